#pragma once

#include <minima/tensor/base/format.h>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace simulated::prices {

inline void check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(minima::str(call, " returned ", status));
}
#define CHECK(call) ::simulated::prices::check(static_cast<int>(call), #call)

/// The time between two events around `work` on the stream, in milliseconds.
template <class F> double gpu_milliseconds(cudaStream_t stream, F&& work) {
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreateWithFlags(&begin, 0));
  CHECK(cudaEventCreateWithFlags(&end, 0));
  CHECK(cudaEventRecord(begin, stream));
  work();
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return milliseconds;
}

/// A line "NAME <tab> MEASURED <tab> UNIT <tab> MODEL"; - stands for what the time model does not have.
inline void print(const std::string& name, double measured, const char* unit, double model = 0) {
  std::printf(model > 0 ? "%s\t%.4g\t%s\t%.4g\n" : "%s\t%.4g\t%s\t-\n", name.c_str(), measured, unit, model);
  std::fflush(stdout);
}

}  // namespace simulated::prices
