#pragma once

#include "simulated/executor.h"
#include "simulated/machine/report.h"
#include "simulated/simulation.h"

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace simulated {

/// Two H100 and a seed of their own for each test.
class Simulated : public ::testing::Test {
 protected:
  void SetUp() override {
    restart("2xH100", 1);
    cudaGetLastError();
  }
};

#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess) << cudaGetErrorString(cudaPeekAtLastError())

inline int* device_ints(std::size_t count) {
  void* pointer = nullptr;
  EXPECT_CUDA(cudaMalloc(&pointer, count * sizeof(int)));
  return static_cast<int*>(pointer);
}
inline int* pinned_ints(std::size_t count) {
  void* pointer = nullptr;
  EXPECT_CUDA(cudaHostAlloc(&pointer, count * sizeof(int), cudaHostAllocPortable));
  return static_cast<int*>(pointer);
}
inline cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}
inline cudaEvent_t new_event(unsigned flags = cudaEventDisableTiming) {
  cudaEvent_t event = nullptr;
  EXPECT_CUDA(cudaEventCreateWithFlags(&event, flags));
  return event;
}

/// *to = value, by a kernel.
inline void store_kernel(int* to, int value) { *to = value; }
/// *to = *from, by a kernel.
inline void load_kernel(int* to, const int* from) { *to = *from; }

template <class... Parameters>
cudaError_t launch(cudaStream_t stream, void (*kernel)(Parameters...), std::type_identity_t<Parameters>... values) {
  register_kernel("test", kernel);
  void* arguments[] = {&values...};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, stream);
}

/// The first int of device memory, after everything has run.
inline int value_of(const int* pointer) {
  EXPECT_CUDA(cudaDeviceSynchronize());
  int value = 0;
  EXPECT_CUDA(cudaMemcpy(&value, pointer, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

/// The results of body() under many seeds: every order that CUDA allows comes up.
template <class Body> std::set<int> outcomes(const Body& body) {
  std::set<int> results;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    restart("2xH100", seed);
    results.insert(body());
  }
  return results;
}

/// The one report that body() causes, or a list of how many there were.
template <class Body> std::string report_of(const Body& body) {
  CaughtReports caught;
  body();
  const std::vector<std::string> reports = caught.take();
  return reports.size() == 1 ? reports[0] : std::to_string(reports.size()) + " reports";
}

}  // namespace simulated
