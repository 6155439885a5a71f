#pragma once

#include <minima/optim/optimizer.h>

#include <vector>

namespace minima::optim::detail {

/// Allocates a slot's state at the first update: zeros of these shapes, and the master as a copy of the parameter. At
/// later ones moves it to the parameter's current device and dtype, and adds tensors that changed options require.
/// True at the first.
bool prepare_state(Optimizer::Slot& slot, const std::vector<Shape>& shapes);
/// Resets a slot to before its first update.
void forget_state(Optimizer::Slot& slot) noexcept;

/// The dtype in which a parameter is updated: its own, or float32 for half types.
DType update_dtype(const Tensor& parameter);

/// The update of one parameter by tensor operators, for optimizers that need products and norms.
struct WholeUpdate {
  /// Counts the step. Without a gradient all tensors stay undefined.
  WholeUpdate(Optimizer::Slot& slot, const std::vector<Shape>& shapes);
  bool has_gradient() const { return gradient.defined(); }
  /// Rounds the master into a half-precision parameter.
  void finish() const;

  Tensor parameter;  ///< to be changed in place: the parameter or its master
  Tensor gradient;   ///< in the same dtype
  double steps = 0;  ///< including this one
  bool is_first = false;

 private:
  Tensor rounded_;
};

}  // namespace minima::optim::detail
