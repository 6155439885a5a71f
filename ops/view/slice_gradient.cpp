#include <minima/ops/view/slice_gradient.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/zero_memory.h>

#include <utility>

namespace minima {

namespace {

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

Tensor slice_gradient(const Tensor& g, const TensorSpec& x, const Layout& view) {
  Layout relative = view;
  relative.offset -= x.layout.offset;
  Layout from_zero = x.layout;
  from_zero.offset = 0;
  return apply(SliceGradient{std::move(from_zero), std::move(relative)}, g);
}

}  // namespace minima
