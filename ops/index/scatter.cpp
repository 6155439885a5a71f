#include <minima/ops/index/scatter.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/view/view.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/index/common.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>

#include <array>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

void check_indices_of(const char* op, const Tensor& x, const Tensor& index, const Tensor& source) {
  if (index.dtype() != DType::int64)
    throw DTypeError(str(op, ": the index must be int64, got ", index, "; convert it with to()"));
  if (source.dtype() != x.dtype())
    throw DTypeError(str(op, ": the source must have the dtype of x ", x, ", got ", source, "; convert it with to()"));
}

}  // namespace

Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr const char* op = "scatter";
  detail::check_defined(op, x);
  detail::check_defined(op, index, 1);
  detail::check_defined(op, source, 2);
  const int along = wrap_dim(dim, x.rank(), op);
  check_indices_of(op, x, index, source);
  using detail::as_vector;
  if (detail::mixes_scalars(x, index, source))
    return reshape(scatter(as_vector(x), dim, as_vector(index), as_vector(source)), x.shape());
  bool fits = index.rank() == x.rank() && source.shape() == index.shape();
  for (int d = 0; fits && d < x.rank(); ++d) fits = d == along || index.shape()[d] <= x.shape()[d];
  if (!fits)
    throw ShapeError(str(op, ": the source ", source.shape(), " and the index ", index.shape(),
                         " must have the same shape and the rank of x ", x.shape(),
                         ", and must not be larger except in dimension ", along));
  const std::int64_t size = x.rank() == 0 ? 1 : x.shape()[along];
  if (!detail::on_cuda(index)) detail::check_indices(op, index, along, size);
  if (x.rank() == 0) return clone(source);
  // On the device, a negative index is seen too late to be refused, and must not count from the end.
  const Tensor places = detail::on_cuda(index)
                            ? where(index < 0, full({}, size, {.dtype = DType::int64, .device = index.device()}), index)
                            : index;
  std::vector<Index> at;
  for (int d = 0; d < x.rank(); ++d) {
    Shape shape = Shape::filled(x.rank(), 1);
    shape[d] = index.shape()[d];
    const TensorOptions options{.dtype = DType::int64, .device = index.device()};
    at.emplace_back(d == along ? places : reshape(arange(0, shape[d], 1, options), shape));
  }
  return index_put(x, at, source);
}

Tensor index_add(const Tensor& to, std::int64_t dim, const Tensor& index, const Tensor& added) {
  constexpr const char* op = "index_add";
  detail::check_defined(op, to);
  detail::check_defined(op, index, 1);
  detail::check_defined(op, added, 2);
  std::array<Tensor, 2> both{to, added};
  if (detail::mode().autocast) detail::autocast_inputs(Cast::widest, both.data(), both.size());
  const detail::WithoutAutocast inside;
  const auto& [x, source] = both;
  const int along = wrap_dim(dim, x.rank(), op);
  check_indices_of(op, x, index, source);
  if (x.rank() <= 1 && source.rank() <= 1 && (x.rank() == 0 || source.rank() == 0))
    return reshape(index_add(detail::as_vector(x), 0, index, detail::as_vector(source)), x.shape());
  if (x.dtype() == DType::boolean)
    throw DTypeError(str(op, ": bool is not supported, got ", x, "; convert it with to()"));
  bool fits = index.rank() <= 1 && source.rank() == x.rank() && index.numel() == source.shape()[along];
  for (int d = 0; fits && d < x.rank(); ++d) fits = d == along || source.shape()[d] == x.shape()[d];
  if (!fits)
    throw ShapeError(str(op, ": needs an index vector as long as the source's dimension ", along,
                         " and a source with x's sizes elsewhere, got ", index, " for source ", source.shape(),
                         " and x ", x.shape()));
  if (!detail::on_cuda(index)) detail::check_indices(op, index, along, x.shape()[along]);
  Shape flat = Shape::filled(x.rank(), 1);
  flat[along] = index.numel();
  return scatter_add(x, along, expand(reshape(index, flat), source.shape()), source);
}

}  // namespace minima
