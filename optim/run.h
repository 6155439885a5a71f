#pragma once

#include <minima/tensor/device.h>
#include <minima/tensor/dtype.h>

namespace minima::optim::detail {

inline constexpr int max_states = 3;

/// One tensor of a pass over many: contiguous runs of `count` elements, and the rule that updates them.
struct Run {
  void* parameter = nullptr;  ///< what the rule updates: the parameter or its float32 master
  const void* gradient = nullptr;
  void* state[max_states] = {};
  std::int64_t count = 0;
  DType dtype = DType::float32;           ///< of `parameter` and `state`
  DType gradient_dtype = DType::float32;
  void* rounded = nullptr;                ///< the half-precision parameter that the master is rounded to
  DType rounded_dtype = DType::float32;
  void (*update)(const Run& run, std::int64_t first, std::int64_t last) = nullptr;
  /// The same on CUDA for runs that have one rule and the same dtypes; null if the rule has no kernel.
  void (*update_all_cuda)(const Run* const* runs, std::size_t count) = nullptr;
  alignas(double) unsigned char rule[96];
};

/// Defined and instantiated by multi_tensor.cuh and the .cu files that include it.
template <class Rule> void update_all_on_cuda(const Run* const* runs, std::size_t count);

/// Σ|x|ᵖ of all elements of `runs` (their gradients), or max|x| for p = ∞, as a float64 in device memory.
void power_sum_cuda(const Run* runs, std::size_t count, double p, Device device, double* result);

}  // namespace minima::optim::detail
