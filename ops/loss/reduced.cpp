#include <minima/ops/loss/reduced.h>

#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::detail {

Tensor reduced(const Tensor& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return sum(losses);
    case Reduction::mean: break;
  }
  return mean(losses);
}

void expect_same_shape(const char* op, const Tensor& x, const Tensor& target) {
  if (x.shape() != target.shape())
    throw ShapeError(str(op, ": x and target must have the same shape, got ", x, " and ", target,
                         "; expand() the smaller one to broadcast it"));
}

}  // namespace minima::detail
