#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>

namespace minima::optim::detail {

inline constexpr int max_states = 3;

/// How many updates a parameter has had, in float64 because kernels advance it too.
struct Progress {
  double steps = 0;
  double product = 1;  ///< for rules with a factor that adds up from step to step
};

/// What a loss scaler, or a check for NaN, says of a step: where kernels find it, so that nobody waits. Null: nothing.
struct Control {
  const float* found_inf = nullptr;       ///< not 0: the step is left out
  const double* inverse_scale = nullptr;  ///< gradients are multiplied by it
};

/// One tensor of a pass over many: contiguous runs of `count` elements, and the rule that updates them.
struct Run {
  void* parameter = nullptr;  ///< what the rule updates: the parameter or its float32 master
  const void* gradient = nullptr;
  void* state[max_states] = {};
  std::int64_t count = 0;
  DType dtype = DType::float32;  ///< of `parameter` and `state`
  DType gradient_dtype = DType::float32;
  void* rounded = nullptr;  ///< the half-precision parameter that the master is rounded to
  DType rounded_dtype = DType::float32;
  Progress* progress = nullptr;  ///< on the device
  const double* lr = nullptr;    ///< on a GPU: the learning rate now, whatever the rule says
  double gradient_factor = 1;    ///< on the CPU
  Device device;
  void (*update)(const Run& run, std::int64_t first, std::int64_t last) = nullptr;
  /// The same on CUDA for runs that have one rule and the same dtypes; null if the rule has no kernel.
  void (*update_all_cuda)(const Run* const* runs, std::size_t count, Control control) = nullptr;
  alignas(double) unsigned char rule[160];
};

/// Defined and instantiated by multi_tensor.cuh and the .cu files that include it.
template <class Rule> void update_all_on_cuda(const Run* const* runs, std::size_t count, Control control);

/// Σ|x|ᵖ of all elements of `runs` (their gradients), or max|x| for p = ∞, as a float64 in device memory.
void power_sum_cuda(const Run* runs, std::size_t count, double p, Device device, double* result);
/// Multiplies gradients by *factor (null: not at all) and sets *found_inf to 1 where one was not finite before (null:
/// nobody asks).
void scale_cuda(const Run* runs, std::size_t count, const double* factor, float* found_inf);

}  // namespace minima::optim::detail
