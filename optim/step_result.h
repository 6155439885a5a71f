#pragma once

#include <minima/tensor/tensor.h>

namespace minima::optim {

/// What became of a step.
struct StepResult {
  Tensor found_inf;  ///< float32 of rank 0, not 0 if a gradient was not finite; undefined where nobody looked

  /// Whether parameters and state were left as they were. Waits for the device: ask late, or not at all.
  bool skipped() const { return found_inf.defined() && found_inf.item<float>() != 0; }
};

/// What a step does about NaN and infinities in gradients where no loss scaler watches over it.
enum class NonFinite {
  ignore,  ///< takes them as they are
  skip,    ///< leaves the step out, without waiting for the device
  raise,   ///< throws ValueError that names the first such parameter; waits for the device
};

/// What a loss scaler tells an optimizer.
struct ScaledStep {
  Tensor found_inf;      ///< float32 of rank 0: where it is not 0 the step is left out; undefined: never
  Tensor inverse_scale;  ///< float64 of rank 0: gradients are multiplied by it; undefined: they are as they should be
};

}  // namespace minima::optim
