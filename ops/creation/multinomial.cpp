#include <minima/ops/creation/random.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/searchsorted.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/random/generator.h>

#include <cstdint>

namespace minima {

Tensor multinomial(const Tensor& weights, std::int64_t count, bool replacement, RandomGenerator* generator) {
  constexpr const char* op = "multinomial";
  detail::check_defined(op, weights);
  if (!is_floating(weights.dtype()))
    throw DTypeError(str(op, ": weights must be floating, got ", weights, "; convert them with to()"));
  if (weights.rank() < 1 || weights.rank() > 2 || weights.shape().back() == 0)
    throw ShapeError(str(op, ": weights must be [C] or [N, C] with at least one class, got ", weights));
  const std::int64_t classes = weights.shape().back();
  if (count < 1 || (!replacement && count > classes))
    throw ValueError(str(op, ": count must be positive and, without replacement, at most the number of classes, got ",
                         count, " for ", weights));
  Shape drawn = weights.shape();
  drawn[drawn.rank() - 1] = count;
  detail::checked_numel(drawn, op);
  const NoGrad constant;
  const detail::WithoutAutocast guard;
  const Tensor w = cast(weights.detach(), DType::float64);
  const TensorOptions options{.dtype = DType::float64, .device = w.device()};
  if (!detail::on_cuda(w)) {
    if (!all(logical_and(w >= 0, isfinite(w))).item<bool>())
      throw ValueError(str(op, ": weights must be nonnegative and finite, but ", weights, " has other elements"));
    if (!all(sum(w > 0, {-1}) >= (replacement ? 1 : count)).item<bool>())
      throw ValueError(str(op, ": a row of ", weights, " has too few positive weights for ", count, " draws"));
  }
  if (replacement) {
    const Tensor sums = cumsum(w, -1);
    const Tensor points = rand(drawn, options, generator) * slice(sums, -1, classes - 1);
    return minimum(searchsorted(sums, points, true), classes - 1);  // a point may be rounded up to the total
  }
  // The classes whose exponential waiting times with these rates are the shortest.
  const Tensor waiting = -log(rand(w.shape(), options, generator));
  return topk(where(w > 0, w / waiting, -1), count, -1).indices;
}

Tensor bernoulli(const Tensor& p, RandomGenerator* generator) {
  constexpr const char* op = "bernoulli";
  detail::check_defined(op, p);
  if (!is_floating(p.dtype())) throw DTypeError(str(op, ": p must be floating, got ", p, "; convert it with to()"));
  const NoGrad constant;
  if (!detail::on_cuda(p) && !all(logical_and(p >= 0, p <= 1)).item<bool>())
    throw ValueError(str(op, ": p must be between 0 and 1, but ", p, " has other elements"));
  const DType compute = is_half(p.dtype()) ? DType::float32 : p.dtype();
  return cast(rand(p.shape(), {.dtype = compute, .device = p.device()}, generator) < p.detach(), p.dtype());
}

}  // namespace minima
