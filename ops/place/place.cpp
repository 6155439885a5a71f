#include <minima/ops/place/place.h>

#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/gather/gather_kernels.h>
#include <minima/ops/gather/scatter.h>
#include <minima/ops/index/index.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/scan/scan.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dispatch.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace minima {

namespace {

void check_index(const char* op, const Tensor& index) {
  detail::check_defined(op, index, 1);
  if (index.dtype() != DType::int64)
    throw DTypeError(str(op, ": the index must be int64, got ", index, "; convert it with to()"));
}

void check_source(const char* op, const Tensor& x, const Tensor& source) {
  detail::check_defined(op, source, 2);
  if (source.dtype() != x.dtype())
    throw DTypeError(str(op, ": the source must have the dtype of x ", x, ", got ", source, "; convert it with to()"));
}

/// Throws IndexError unless every index is in range; negative ones count from the end. On a GPU, reading finds out.
void check_range(const char* op, const Tensor& index, std::int64_t size) {
  if (detail::on_cuda(index) || detail::indices_within(index, -size, size)) return;
  const Tensor outside = logical_or(index < -size, index >= size);
  throw IndexError(str(op, ": index ", masked_select(index, outside)[0].item<std::int64_t>(), " is out of range for ",
                       size, " elements"));
}

/// Indices for `index`: whole dimensions before `dim`, then a vector.
std::vector<Index> at_dim(int dim, const Tensor& index) {
  std::vector<Index> at(static_cast<std::size_t>(dim), everything);
  at.emplace_back(index);
  return at;
}

/// Checks a vector of indices of one dimension and returns the dimension.
int check_vector(const char* op, const Tensor& x, std::int64_t dim, const Tensor& index) {
  detail::check_defined(op, x);
  check_index(op, index);
  const int along = wrap_dim(dim, x.rank(), op);
  if (index.rank() > 1) throw ShapeError(str(op, ": needs a vector of indices, got ", index, " for x ", x));
  check_range(op, index, x.rank() == 0 ? 1 : x.shape()[along]);
  return along;
}

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
  return best + (shared - shared.detach());
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

Tensor take(const Tensor& x, const Tensor& index) {
  constexpr const char* op = "take";
  detail::check_defined(op, x);
  check_index(op, index);
  check_range(op, index, x.numel());
  return reshape(minima::index(reshape(x, {-1}), {reshape(index, {-1})}), index.shape());
}

Tensor take_along_dim(const Tensor& x, const Tensor& index, std::int64_t dim) {
  constexpr const char* op = "take_along_dim";
  detail::check_defined(op, x);
  check_index(op, index);
  const int along = wrap_dim(dim, x.rank(), op);
  if (index.rank() != x.rank()) throw ShapeError(str(op, ": the index must have the rank of x ", x, ", got ", index));
  if (x.rank() == 0) return gather(x, 0, index);
  Shape common = x.shape(), places = index.shape();
  common[along] = places[along] = 1;
  Shape all = broadcast(common, places, op), wanted = all;
  all[along] = x.shape()[along];
  wanted[along] = index.shape()[along];
  check_range(op, index, x.shape()[along]);
  const bool from_start = !detail::on_cuda(index) && detail::indices_within(index, 0, x.shape()[along]);
  const Tensor position = from_start ? index : where(index < 0, index + x.shape()[along], index);
  return gather(expand(x, all), along, expand(position, wanted));
}

Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  constexpr const char* op = "put";
  detail::check_defined(op, x);
  check_index(op, index);
  check_source(op, x, source);
  if (index.numel() != source.numel())
    throw ShapeError(str(op, ": needs as many indices as source elements, got ", index, " and ", source));
  if (accumulate && x.dtype() == DType::boolean)
    throw DTypeError(str(op, ": cannot accumulate bool, got ", x, "; convert it with to()"));
  check_range(op, index, x.numel());
  return reshape(index_put(reshape(x, {-1}), {reshape(index, {-1})}, reshape(source, {-1}), accumulate), x.shape());
}

Tensor index_copy(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr const char* op = "index_copy";
  const int along = check_vector(op, x, dim, index);
  check_source(op, x, source);
  using detail::as_vector;
  if (x.rank() <= 1 && source.rank() <= 1 && (x.rank() == 0 || source.rank() == 0))
    return reshape(index_copy(as_vector(x), 0, index, as_vector(source)), x.shape());
  Shape expected = x.shape();
  expected[along] = index.numel();
  if (source.shape() != expected)
    throw ShapeError(str(op, ": the source must have shape ", expected, " for ", index.numel(), " indices of x ", x,
                         ", got ", source));
  return index_put(x, at_dim(along, as_vector(index)), source);
}

Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, Scalar value) {
  constexpr const char* op = "index_fill";
  const int along = check_vector(op, x, dim, index);
  detail::check_number(op, value, x.dtype());
  using detail::as_vector;
  return reshape(index_put(as_vector(x), at_dim(along, as_vector(index)),
                           full({}, value, {.dtype = x.dtype(), .device = x.device()})),
                 x.shape());
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  constexpr const char* op = "masked_scatter";
  detail::check_defined(op, x);
  detail::check_defined(op, mask, 1);
  check_source(op, x, source);
  if (mask.dtype() != DType::boolean)
    throw DTypeError(str(op, ": mask must be bool, got ", mask, "; use a comparison, such as x > 0"));
  const Shape shape = broadcast(mask.shape(), x.shape(), op);
  if (shape != x.shape()) throw ShapeError(str(op, ": the mask must broadcast to the shape of x ", x, ", got ", mask));
  const Tensor flags = reshape(expand(mask, shape), {-1});
  if (!detail::on_cuda(x)) {
    const auto wanted = sum(flags).item<std::int64_t>();
    if (wanted > source.numel())
      throw ShapeError(str(op, ": the mask selects ", wanted, " elements, but the source has only ", source.numel()));
  }
  if (source.numel() == 0) return clone(x);
  const Tensor from = gather(reshape(source, {-1}), 0, where(flags, cumsum(flags, 0) - 1, 0));
  return where(reshape(flags, shape), reshape(from, shape), x);
}

Tensor scatter_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source, ScatterMode mode,
                      bool include_self) {
  constexpr const char* op = "scatter_reduce";
  detail::check_defined(op, x);
  check_index(op, index);
  check_source(op, x, source);
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

}  // namespace minima
