#pragma once

#include <minima/optim/optimizer.h>

#include <vector>

namespace minima::optim::detail {

/// A slot's state made at the first update (zeros of these shapes, the master from the parameter) or moved after a
/// parameter that changed its device or dtype since; options may ask for more of it than before. True at the first.
bool prepare_state(Optimizer::Slot& slot, const std::vector<Shape>& shapes);
/// As before the first update.
void forget_state(Optimizer::Slot& slot) noexcept;

/// The dtype that a parameter is updated in.
DType update_dtype(const Tensor& parameter);

/// One parameter's update by whole tensors, for optimizers with products and norms.
struct WholeUpdate {
  /// Counts the step. Undefined tensors if there is no gradient.
  WholeUpdate(Optimizer::Slot& slot, const std::vector<Shape>& shapes);
  bool has_gradient() const { return gradient.defined(); }
  /// Rounds the master into a half-precision parameter.
  void finish() const;

  Tensor parameter;  ///< to be changed: the parameter or its master
  Tensor gradient;   ///< in the same dtype
  double steps = 0;  ///< this one included
  bool is_first = false;

 private:
  Tensor rounded_;
};

}  // namespace minima::optim::detail
