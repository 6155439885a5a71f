#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/view/view.h>

#include <minima/ops/index/common.h>
#include <minima/ops/op.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// Indices for `index`: whole dimensions before `dim`, then a vector.
std::vector<Index> at_dim(int dim, const Tensor& index) {
  std::vector<Index> at(static_cast<std::size_t>(dim), everything);
  at.emplace_back(index);
  return at;
}

/// Checks a vector of indices of one dimension and returns the dimension.
int check_vector(const char* op, const Tensor& x, std::int64_t dim, const Tensor& index) {
  detail::check_defined(op, x);
  detail::check_index(op, index);
  const int along = wrap_dim(dim, x.rank(), op);
  if (index.rank() > 1) throw ShapeError(str(op, ": needs a vector of indices, got ", index, " for x ", x));
  detail::check_range(op, index, x.rank() == 0 ? 1 : x.shape()[along]);
  return along;
}

}  // namespace

Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  constexpr const char* op = "put";
  detail::check_defined(op, x);
  detail::check_index(op, index);
  detail::check_source(op, x, source);
  if (index.numel() != source.numel())
    throw ShapeError(str(op, ": needs as many indices as source elements, got ", index, " and ", source));
  if (accumulate && x.dtype() == DType::boolean)
    throw DTypeError(str(op, ": cannot accumulate bool, got ", x, "; convert it with to()"));
  detail::check_range(op, index, x.numel());
  return reshape(index_put(reshape(x, {-1}), {reshape(index, {-1})}, reshape(source, {-1}), accumulate), x.shape());
}

Tensor index_copy(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr const char* op = "index_copy";
  const int along = check_vector(op, x, dim, index);
  detail::check_source(op, x, source);
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

}  // namespace minima
