#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima::optim::detail {

/// A place on the line that is searched.
struct WolfePoint {
  double step, loss;
  double slope;  ///< the loss's derivative by the step
  Tensor gradient;
};

/// A step that meets the strong Wolfe conditions (Nocedal & Wright, "Numerical Optimization", algorithms 3.5 and 3.6,
/// in the variant of Schmidt's minFunc that PyTorch has), or the best one found in `most` tries; and the number of
/// tries. `reach`: the largest element of the direction.
std::pair<WolfePoint, int> strong_wolfe(const WolfePoint& start, double first_step, double reach, int most,
                                        const Function<WolfePoint(double step)>& try_at);

}  // namespace minima::optim::detail
