#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/view/view.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/dispatch.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace minima {

namespace {

/// The largest elements of the sources of each target and x; unrecorded. Sources are written in ascending order, so
/// the largest of each target is written last.
Tensor extremes(const Tensor& x, int dim, const Tensor& index, const Tensor& source, bool largest, bool include_self) {
  const NoGrad constant;
  const auto [values, order] = sort(source.detach(), dim, !largest);
  const Tensor targets = gather(index, dim, order);
  Tensor best = scatter(x.detach(), dim, targets, values);
  if (!largest && is_floating(x.dtype())) {  // NaN is written first, but wins
    const Tensor nothing = zeros(x.shape(), {.dtype = DType::int64, .device = x.device()});
    const Tensor nans = scatter_add(nothing, dim, index, isnan(source.detach()).to(DType::int64));
    best = where(nans > 0, NAN, best);
  }
  if (!include_self) return best;
  return largest ? maximum(best, x.detach()) : minimum(best, x.detach());
}

/// The same in one pass over the sources, on the CPU; unrecorded. Targets hold what the sources compete with.
struct ScatterExtreme {
  static constexpr Traits traits{.name = "scatter_extreme"};
  int dim;
  bool largest;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("dim", dim);
    visitor.integer("largest", largest);
  }
  TensorSpec result(const Tensor& x, const Tensor&, const Tensor&) const {
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x, const Tensor& index, const Tensor&) const {
    const auto size = static_cast<double>(x.itemsize()), count = static_cast<double>(index.numel());
    return {.flops = count, .bytes = 2 * static_cast<double>(x.numel()) * size + count * (3 * size + 8)};
  }
  void cpu(const Tensor& x, const Tensor& index, const Tensor& source, Tensor& y) const {
    detail::copy_values(x, y);
    detail::scatter_extreme_kernel_cpu(source, dim, index, largest, y);
  }
};

/// Whether each target has a source.
Tensor has_source(const Tensor& x, int dim, const Tensor& index) {
  const TensorOptions options{.dtype = DType::int64, .device = x.device()};
  return scatter_add(zeros(x.shape(), options), dim, index, ones(index.shape(), options)) > 0;
}

/// Less extreme than any other number, to be replaced by the first source.
Scalar least_extreme(DType dtype, bool largest) {
  if (is_floating(dtype)) return largest ? -INFINITY : INFINITY;
  std::int64_t limit = 0;
  dispatch<numeric>(dtype, "scatter_reduce", [&]<class T> {
    if constexpr (std::is_integral_v<T>)
      limit = largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  });
  return limit;
}

Tensor best_of(const Tensor& x, int dim, const Tensor& index, const Tensor& source, bool largest, bool include_self) {
  if (detail::on_cuda(x)) return extremes(x, dim, index, source, largest, include_self);
  const NoGrad constant;
  const Tensor start = include_self
                           ? x.detach()
                           : where(has_source(x, dim, index),
                                   full({}, least_extreme(x.dtype(), largest), {.dtype = x.dtype()}), x.detach());
  return apply(ScatterExtreme{dim, largest}, start, index, source.detach());
}

Tensor combined_extreme(const Tensor& x, int dim, const Tensor& index, const Tensor& source, bool largest,
                        bool include_self) {
  Tensor best = best_of(x, dim, index, source, largest, include_self);
  if (!is_floating(x.dtype()) || !is_grad_enabled() || !(x.requires_grad() || source.requires_grad())) return best;
  // The mean of the winners has the value of each of them, and the derivative that they share.
  const DType dtype = x.dtype();
  const Tensor mine = include_self ? (x.detach() == best) : logical_not(has_source(x, dim, index));
  const Tensor theirs = source.detach() == gather(best, dim, index);
  const Tensor count = scatter_add(mine.to(dtype), dim, index, theirs.to(dtype));
  const Tensor total = scatter_add(where(mine, x, 0), dim, index, where(theirs, source, 0));
  const Tensor shared = total / maximum(count, 1);
  return where(isinf(best), shared, best + (shared - shared.detach()));  // infinity less itself is NaN
}

/// The product of each target's sources, 0 where there are none. With the sources of a target side by side, in the
/// order of the source, pass n multiplies each by what those up to 2ⁿ places before it have come to, so that gradients
/// of any order divide by nothing, and zeros need no care.
Tensor products(const Tensor& x, int dim, const Tensor& index, const Tensor& source) {
  const auto [targets, order] = sort(index, dim);
  Tensor product = gather(source, dim, order);
  const std::int64_t count = index.rank() == 0 ? 1 : index.shape()[dim];
  Tensor is_last = ones(index.shape(), {.dtype = DType::boolean, .device = x.device()});
  for (std::int64_t step = 1; step < count; step *= 2) {
    const std::int64_t rest = count - step;
    const Tensor same = narrow(targets, dim, 0, rest) == narrow(targets, dim, step, rest);
    if (step == 1) is_last = cat({logical_not(same), narrow(is_last, dim, 0, 1)}, dim);
    if (!detail::on_cuda(x) && !any(same).item<bool>()) break;
    const Tensor before = where(same, narrow(product, dim, 0, rest), 1);
    product = cat({narrow(product, dim, 0, step), narrow(product, dim, step, rest) * before}, dim);
  }
  const TensorOptions like_x{.dtype = x.dtype(), .device = x.device()};
  return scatter_add(zeros(x.shape(), like_x), dim, targets, where(is_last, product, 0));
}

}  // namespace

Tensor scatter_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source, ScatterMode mode,
                      bool include_self) {
  constexpr const char* op = "scatter_reduce";
  detail::check_defined(op, x);
  detail::check_index(op, index);
  detail::check_source(op, x, source);
  const int along = wrap_dim(dim, x.rank(), op);
  using detail::as_vector;
  if (detail::mixes_scalars(x, index, source))
    return reshape(scatter_reduce(as_vector(x), dim, as_vector(index), as_vector(source), mode, include_self),
                   x.shape());
  bool fits = index.rank() == x.rank() && source.shape() == index.shape();
  for (int d = 0; fits && d < x.rank(); ++d) fits = d == along || index.shape()[d] <= x.shape()[d];
  if (!fits)
    throw ShapeError(str(op, ": the source ", source.shape(), " and the index ", index.shape(),
                         " must have the same shape and the rank of x ", x.shape(),
                         ", and must not be larger except in dimension ", along));
  if (x.dtype() == DType::boolean || (mode == ScatterMode::mean && !is_floating(x.dtype())))
    throw DTypeError(str(op, ": ",
                         mode == ScatterMode::mean ? "the mean needs a floating tensor" : "bool is not supported",
                         ", got ", x, "; convert it with to()"));
  if (!detail::on_cuda(index)) detail::check_indices(op, index, along, x.rank() == 0 ? 1 : x.shape()[along]);
  if (index.numel() == 0) return clone(x);
  const detail::WithoutAutocast guard;
  if (mode == ScatterMode::amax || mode == ScatterMode::amin)
    return combined_extreme(x, along, index, source, mode == ScatterMode::amax, include_self);
  if (mode == ScatterMode::prod) {
    const Tensor product = products(x, along, index, source);
    return where(has_source(x, along, index), include_self ? x * product : product, x);
  }
  const Tensor start = include_self ? x : where(has_source(x, along, index), 0, x);
  Tensor total = scatter_add(start, along, index, source);
  if (mode == ScatterMode::sum) return total;
  const TensorOptions like_x{.dtype = x.dtype(), .device = x.device()};
  const Tensor one = ones({}, like_x);
  const Tensor count = scatter_add(include_self ? ones(x.shape(), like_x) : zeros(x.shape(), like_x), along, index,
                                   expand(one, source.shape()));
  return total / maximum(count, one);
}

Tensor index_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source, ScatterMode mode,
                    bool include_self) {
  constexpr const char* op = "index_reduce";
  detail::check_defined(op, x);
  detail::check_defined(op, index, 1);
  detail::check_defined(op, source, 2);
  const int along = wrap_dim(dim, x.rank(), op);
  Shape expected = x.shape();
  if (index.rank() == 1) expected[along] = index.numel();
  if (index.rank() != 1 || index.dtype() != DType::int64 || source.shape() != expected)
    throw ShapeError(str(op, ": needs an index int64 [K] and a source with K slices along dimension ", along, " of ", x,
                         ", got ", index, " and ", source));
  Shape column = Shape::filled(x.rank(), 1);
  column[along] = index.numel();
  return scatter_reduce(x, along, expand(reshape(index, column), expected), source, mode, include_self);
}

}  // namespace minima
