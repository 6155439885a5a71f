#pragma once

#include <minima/tensor/tensor.h>

namespace minima::optim {

/// The outcome of a step.
struct StepResult {
  Tensor found_inf;       ///< float32 of rank 0, nonzero if a gradient was not finite; undefined if not checked
  Tensor grad_norm = {};  ///< the gradients' norm, float64 of rank 0; undefined unless the optimizer clips

  /// Whether the step left parameters and state unchanged. Synchronises with the device.
  bool skipped() const { return found_inf.defined() && found_inf.item<float>() != 0; }
};

/// Decides what a step without a loss scaler does about NaN and infinities in gradients.
enum class NonFinite {
  ignore,  ///< applies them
  skip,    ///< skips the step, without synchronising
  raise,   ///< throws ValueError naming the first such parameter; synchronises
};

/// Instructions to an optimizer, from a loss scaler or an Accumulation.
struct ScaledStep {
  Tensor found_inf;      ///< float32 of rank 0: nonzero skips the step; undefined: never skip
  Tensor inverse_scale;  ///< float64 of rank 0, a factor on the gradients; undefined: 1
  bool check = false;    ///< treat NaN and infinities as on_non_finite() says; a loss scaler does so itself
};

}  // namespace minima::optim
