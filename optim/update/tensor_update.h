#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>

namespace minima::optim::detail {

inline constexpr int max_states = 3;

/// Number of updates a parameter has received. Float64, because kernels increment it on the device.
struct StepCount {
  double steps = 0;
  double product = 1;  ///< of factors that a rule accumulates over the steps, as NAdam does; ASGD: the next step's η
};

/// Holds what a loss scaler or a NaN check decides about a step, at addresses that kernels read, so that the host does
/// not synchronise. Null pointers: no decision.
struct StepControl {
  const float* found_inf = nullptr;       ///< nonzero: skip the step
  const double* inverse_scale = nullptr;  ///< factor on the gradients
};

/// One tensor of a pass over many: contiguous arrays of `count` elements and the rule that updates them.
struct TensorUpdate {
  void* parameter = nullptr;  ///< what the rule updates: the parameter or its float32 master
  const void* gradient = nullptr;
  void* state[max_states] = {};
  std::int64_t count = 0;
  DType dtype = DType::float32;  ///< of `parameter` and `state`
  DType gradient_dtype = DType::float32;
  void* rounded = nullptr;  ///< the half-precision parameter that the master is rounded to
  DType rounded_dtype = DType::float32;
  StepCount* step_count = nullptr;  ///< on the tensor's device
  const double* lr = nullptr;       ///< GPU only: the current learning rate, which replaces the rule's
  double gradient_factor = 1;       ///< CPU only
  Device device;
  void (*run_on_cpu)(const TensorUpdate& update, std::int64_t first, std::int64_t last) = nullptr;
  /// Updates tensors that share rule and dtypes; null if the rule has no kernel.
  void (*run_on_cuda)(const TensorUpdate* const* updates, std::size_t count, StepControl control) = nullptr;
  alignas(double) unsigned char rule[160];
};

/// Defined in multi_tensor.cuh, instantiated in elementwise/rules_cuda.cu.
template <class Rule>
void update_on_cuda(const TensorUpdate* const* updates, std::size_t count, StepControl control);

/// Σ|g|ᵖ over all elements of the gradients, or max|g| for p = ∞, as a float64 in device memory.
void power_sum_cuda(const TensorUpdate* gradients, std::size_t count, double p, Device device, double* result);
/// Multiplies gradients by *factor (null: leaves them as they are) and sets *found_inf (may be null) to 1 if one of
/// them was not finite before.
void scale_cuda(const TensorUpdate* gradients, std::size_t count, const double* factor, float* found_inf);

}  // namespace minima::optim::detail
