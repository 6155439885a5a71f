#include <minima/ops/view/slice.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/view/parts.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/zero_memory.h>

#include <cstdint>
#include <utility>

namespace minima {

namespace {

/// x's spec, row-major if its elements overlap: each element needs a separate gradient.
TensorSpec without_overlap(const TensorSpec& x) {
  return x.layout.may_overlap() ? spec_of(x.shape(), x.dtype, x.device) : x;
}

struct Slice {
  static constexpr Traits traits{.name = "slice"};
  int dim;
  std::int64_t start, stop, step;
  Layout view(const Tensor& x) const { return x.layout().sliced(dim, start, stop, step); }
  Tensor gradient(Grad g, Spec<0> x) const {
    const TensorSpec places = without_overlap(x);
    return slice_gradient(g, places, places.layout.sliced(dim, start, stop, step));
  }
};

struct Select {
  static constexpr Traits traits{.name = "select"};
  int dim;
  std::int64_t index;
  Layout view(const Tensor& x) const { return x.layout().selected(dim, index); }
  Tensor gradient(Grad g, Spec<0> x) const {
    const TensorSpec places = without_overlap(x);
    return slice_gradient(g, places, places.layout.selected(dim, index));
  }
};

std::int64_t size_along(const char* op, const Tensor& x, std::int64_t dim) {
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have at least one dimension, got ", x));
  return x.shape()[wrap_dim(dim, x.rank(), op)];
}

struct SliceGradient {
  static constexpr Traits traits{.name = "slice_gradient"};
  Layout x;     ///< the input's layout with offset 0
  Layout view;  ///< the view's layout relative to that
  TensorSpec result(const Tensor& g) const { return {x, g.dtype(), g.device()}; }
  Cost cost(const Tensor& g) const {
    return {.bytes =
                static_cast<double>(g.itemsize()) * (static_cast<double>(g.numel()) + static_cast<double>(x.numel()))};
  }
  void cpu(const Tensor& g, Tensor& y) const {
    detail::zero_memory(Tensor(new TensorImpl(y.impl()->storage, Layout::contiguous({x.end()}), y.dtype())));
    const Tensor target(new TensorImpl(y.impl()->storage, view, y.dtype()));
    if (view.may_overlap()) detail::add_kernel_cpu(g, target);
    else detail::copy_kernel_cpu(g, target);
  }
  void cuda(const Tensor& g, Tensor& y) const {
    detail::zero_kernel_cuda(y, x.end());
    const Tensor target(new TensorImpl(y.impl()->storage, view, y.dtype()));
    if (view.may_overlap()) detail::add_kernel_cuda(g, target);
    else detail::copy_kernel_cuda(g, target);
  }
  // The gradient of the gradient may have other strides; in x's layout, the view addresses the right elements.
  Tensor gradient(Grad gg) const { return as_strided(gg.layout() == x ? gg : copy_as(gg, x), view); }
};

}  // namespace

Tensor slice(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t stop, std::int64_t step) {
  detail::check_defined("slice", x);
  return apply(Slice{wrap_dim(dim, x.rank(), "slice"), start, stop, step}, x);
}

Tensor narrow(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t length) {
  detail::check_defined("narrow", x);
  const std::int64_t size = size_along("narrow", x, dim);
  if (start < 0) start += size;
  if (start < 0 || length < 0 || start > size - length)
    throw IndexError(str("narrow: start ", start, " with length ", length, " is out of range for dimension ", dim,
                         " of ", x.shape()));
  return slice(x, dim, start, start + length);
}

Tensor select(const Tensor& x, std::int64_t dim, std::int64_t index) {
  detail::check_defined("select", x);
  return apply(Select{wrap_dim(dim, x.rank(), "select"), index}, x);
}

Tensor Tensor::operator[](std::int64_t index) const { return select(*this, 0, index); }

Tensor unfold(const Tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step) {
  constexpr const char* op = "unfold";
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  const Tensor own = x.layout().may_overlap() ? clone(x) : x;  // else its gradient would be ambiguous
  const Tensor from = x.rank() == 0 ? unsqueeze(own, 0) : own;
  const std::int64_t length = from.shape()[along];
  if (size < 0 || size > length)
    throw ShapeError(str(op, ": size must be between 0 and that of dimension ", along, ", got ", size, " for ", x));
  if (step < 1) throw ValueError(str(op, ": step must be positive, got ", step));
  Layout layout = from.layout();
  const std::int64_t stride = layout.strides[along], count = (length - size) / step + 1;
  layout.shape[along] = count;
  layout.strides[along] = count > 1 ? detail::fit(detail::Wide{stride} * step, op) : 0;
  layout.shape.push_back(size);
  layout.strides.push_back(stride);
  return x.rank() == 0 ? select(as_strided(from, layout), 0, 0) : as_strided(from, layout);
}

Tensor slice_gradient(const Tensor& g, const TensorSpec& x, const Layout& view) {
  Layout relative = view;
  relative.offset -= x.layout.offset;
  Layout from_zero = x.layout;
  from_zero.offset = 0;
  return apply(SliceGradient{std::move(from_zero), std::move(relative)}, g);
}

}  // namespace minima
