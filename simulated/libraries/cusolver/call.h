#pragma once

#include "simulated/libraries/cusolver/dense.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"
#include "simulated/runtime/call.h"

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// The simulated cuSOLVER and cuBLAS have these in common: handles, matrices in memory, work.

namespace simulated {

/// A handle of either library stands for this.
struct DenseHandle {
  int device = 0;
  cudaStream_t stream = nullptr;
};

/// A column-major matrix of float32 or float64 in a GPU's memory.
struct Stored {
  char* address = nullptr;
  std::int64_t m = 0, n = 0, ld = 0;
  bool is_double = false;

  std::size_t element() const { return is_double ? sizeof(double) : sizeof(float); }
  /// The bytes from the first element to behind the last.
  std::size_t bytes() const { return m == 0 || n == 0 ? 0 : static_cast<std::size_t>(ld * (n - 1) + m) * element(); }
  Access access() const { return {address, bytes()}; }
  bool is_valid() const { return m >= 0 && n >= 0 && ld >= (m > 1 ? m : 1) && (bytes() == 0 || address); }
  double at(std::int64_t i, std::int64_t j) const;
  void set(std::int64_t i, std::int64_t j, double value) const;
  Dense load() const;
  void store(const Dense& from) const;  ///< rounded once
  /// All elements, or those of a triangle without its diagonal, become NaN: what a function leaves undefined.
  void spoil() const;
  void spoil(bool upper) const;
};
/// A vector as a matrix of one column.
inline Stored vector_of(void* address, std::int64_t count, bool is_double) {
  return {static_cast<char*>(address), count, 1, count > 1 ? count : 1, is_double};
}
std::vector<double> load_vector(const Stored& from);
void store_vector(const Stored& to, const std::vector<double>& values);

/// Submits work on the handle's stream that touches this memory. Null or memory that the GPU cannot reach is an illegal
/// address when it runs.
cudaError_t submit_dense(const Call& call, const DenseHandle& handle, const char* function,
                         const std::vector<Access>& accesses, double flops, bool is_double, std::function<void()> run);

/// "cusolverDnXgetrf: the handle belongs to cuda:1, …" as a report; true if it does not.
bool is_of_current_device(const Call& call, const DenseHandle& handle, const char* function);

}  // namespace simulated
