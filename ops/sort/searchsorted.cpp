#include <minima/ops/sort/searchsorted.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/sort/kernels.h>
#include <minima/ops/view/view.h>

#include <cmath>

namespace minima {

namespace {

Tensor without_gaps(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }

struct Searchsorted {
  static constexpr Traits traits{.name = "searchsorted", .autocast = Cast::widest};
  bool right;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("right", right); }

  TensorSpec result(const Tensor& sorted, const Tensor& values) const {
    if (sorted.dtype() != values.dtype())
      throw DTypeError(str("searchsorted: dtypes differ: ", sorted, " and ", values, "; convert one with to()"));
    bool fits = sorted.rank() == 1 || (sorted.rank() > 1 && sorted.rank() == values.rank());
    for (int d = 0; fits && sorted.rank() > 1 && d + 1 < sorted.rank(); ++d)
      fits = sorted.shape()[d] == values.shape()[d];
    if (!fits)
      throw ShapeError(
          str("searchsorted: sorted must be a vector, or have the values' sizes except in the last dimension, got ",
              sorted, " for values ", values));
    return spec_of(values.shape(), DType::int64, values.device());
  }
  Cost cost(const Tensor& sorted, const Tensor& values) const {
    const auto count = static_cast<double>(values.numel());
    return {.flops = count * std::log2(1 + static_cast<double>(sorted.shape().back())),
            .bytes = count * static_cast<double>(values.itemsize() + 8)};
  }
  void cpu(const Tensor& sorted, const Tensor& values, Tensor& y) const {
    detail::searchsorted_kernel_cpu(without_gaps(sorted), without_gaps(values), right, y);
  }
  void cuda(const Tensor& sorted, const Tensor& values, Tensor& y) const {
    detail::searchsorted_kernel_cuda(without_gaps(sorted), without_gaps(values), right, y);
  }
};

}  // namespace

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right) {
  return apply(Searchsorted{right}, sorted, values);
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right) {
  constexpr const char* op = "bucketize";
  detail::check_defined(op, x);
  detail::check_defined(op, boundaries, 1);
  if (boundaries.rank() != 1) throw ShapeError(str(op, ": boundaries must be a vector, got ", boundaries));
  if (boundaries.dtype() != x.dtype())
    throw DTypeError(
        str(op, ": boundaries must have the dtype of x ", x, ", got ", boundaries, "; convert them with to()"));
  return reshape(searchsorted(boundaries, flatten(x), right), x.shape());
}

}  // namespace minima
