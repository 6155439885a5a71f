#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima::optim::detail {

/// A point on the search line.
struct WolfePoint {
  double step, loss;
  double slope;  ///< derivative of the loss with respect to the step
  Tensor gradient;
};

/// Finds a step that meets the strong Wolfe conditions (Nocedal & Wright, "Numerical Optimization", algorithms 3.5 and
/// 3.6, in the variant of Schmidt's minFunc, as PyTorch). Returns it, or the best one found in `most` evaluations, and
/// the number of evaluations. A loss or slope that is not finite is too high, so the step shrinks: the point returned
/// is finite if `start` is. `reach` is the largest absolute element of the direction.
MINIMA_API std::pair<WolfePoint, int> strong_wolfe(const WolfePoint& start, double first_step, double reach, int most,
                                                   const Function<WolfePoint(double step)>& try_at);

}  // namespace minima::optim::detail
