#include <minima/ops/sort/sort.h>

#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/sort/kernels.h>
#include <minima/ops/view/slice.h>

#include <cmath>
#include <cstdint>

namespace minima {

namespace {

std::int64_t size_along(const Tensor& x, int dim) { return x.rank() == 0 ? 1 : x.shape()[dim]; }

struct Argsort {
  static constexpr Traits traits{.name = "argsort"};
  int dim;
  bool descending;
  std::int64_t count;      ///< the number of elements kept per line
  std::int64_t first = 0;  ///< the rank of the first of them
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("dim", dim);
    visitor.integer("descending", descending);
    visitor.integer("count", count);
    visitor.integer("first", first);
  }

  TensorSpec result(const Tensor& x) const {
    Shape shape = x.shape();
    if (x.rank() > 0) shape[dim] = count;
    return spec_of(shape, DType::int64, x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto elements = static_cast<double>(x.numel());
    return {.flops = elements * std::log2(1 + static_cast<double>(size_along(x, dim))),
            .bytes = elements * static_cast<double>(x.itemsize() + 8)};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::argsort_kernel_cpu(x, dim, descending, first, y); }
  void cuda(const Tensor& x, Tensor& y) const {
    if (first == 0) return detail::argsort_kernel_cuda(x, dim, descending, y);
    const NoGrad constant;
    detail::copy_values(narrow(apply(Argsort{dim, descending, first + count}, x), dim, first, count), y);
  }
};

/// The first `count` elements (-1: all) of each sorted line.
ValuesAndIndices ordered(const char* op, const Tensor& x, std::int64_t dim, bool descending, std::int64_t count) {
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  const std::int64_t size = size_along(x, along);
  if (count > size || count < -1)
    throw ShapeError(
        str(op, ": k must be from 0 to ", size, ", the size of dimension ", along, " of x ", x, ", got ", count));
  if (x.rank() == 0 && count == 0) throw ShapeError(str(op, ": k must be 1 for a tensor without dimensions, got 0"));
  const Tensor indices = apply(Argsort{along, descending, count < 0 ? size : count}, x.detach());
  return {gather(x, along, indices), indices};
}

}  // namespace

ValuesAndIndices sort(const Tensor& x, std::int64_t dim, bool descending) {
  return ordered("sort", x, dim, descending, -1);
}

Tensor argsort(const Tensor& x, std::int64_t dim, bool descending) {
  detail::check_defined("argsort", x);
  const int along = wrap_dim(dim, x.rank(), "argsort");
  return apply(Argsort{along, descending, size_along(x, along)}, x.detach());
}

ValuesAndIndices topk(const Tensor& x, std::int64_t k, std::int64_t dim, bool largest) {
  if (k < 0) throw ValueError(str("topk: k must not be negative, got ", k));
  return ordered("topk", x, dim, largest, k);
}

namespace detail {

ValuesAndIndices ranks(const Tensor& x, int dim, std::int64_t first, std::int64_t count) {
  const Tensor indices = apply(Argsort{dim, false, count, first}, x.detach());
  return {gather(x, dim, indices), indices};
}

}  // namespace detail

}  // namespace minima
