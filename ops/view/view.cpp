#include <minima/ops/view/view.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/view/parts.h>
#include <minima/tensor/complex/parts.h>
#include <minima/tensor/layout/checked.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

struct Reshape {
  static constexpr Traits traits{.name = "reshape"};
  Layout layout;
  Layout view(const Tensor&) const { return layout; }
  Tensor gradient(Grad g, Spec<0> x) const { return reshape(g, x.shape()); }
};

struct Permute {
  static constexpr Traits traits{.name = "permute"};
  Shape order;
  Layout view(const Tensor& x) const { return x.layout().permuted(order); }
  Tensor gradient(Grad g) const {
    Shape inverse = Shape::filled(order.rank(), 0);
    for (int i = 0; i < order.rank(); ++i) inverse[wrap_dim(order[i], order.rank(), "permute")] = i;
    return permute(g, inverse);
  }
};

struct Transpose {
  static constexpr Traits traits{.name = "transpose"};
  int a, b;
  Layout view(const Tensor& x) const { return x.layout().transposed(a, b); }
  Tensor gradient(Grad g) const { return transpose(g, a, b); }
};

struct Expand {
  static constexpr Traits traits{.name = "expand"};
  Shape shape;
  Layout view(const Tensor& x) const { return x.layout().expanded(shape); }
  Tensor gradient(Grad g) const { return g; }  // the engine sums over broadcast dimensions
};

struct AsStrided {
  static constexpr Traits traits{.name = "as_strided"};
  Layout layout;
  Layout view(const Tensor&) const { return layout; }
  Tensor gradient(Grad g, Spec<0> x) const { return slice_gradient(g, x, layout); }
};

/// Throws unless the layout stays within x and x's elements do not overlap, so that every element has its gradient.
void expect_within(const Tensor& x, const Layout& layout) {
  if (x.layout().may_overlap())
    throw AutogradError(str("as_strided: elements of ", x, " share memory, so their gradients are ambiguous; ",
                            "clone it first, or take the view of the tensor it was expanded from"));
  if (layout.numel() > 0 && (layout.offset < x.layout().offset || layout.end() > x.layout().end()))
    throw AutogradError(str("as_strided: shape ", layout.shape, " with strides ", layout.strides, " and offset ",
                            layout.offset, " reaches elements outside ", x, ", which have no gradient; take ",
                            "the view from its base"));
}

Tensor reshape_to(const Tensor& x, const Shape& wanted, const char* op, bool may_copy) {
  detail::check_defined(op, x);
  const Shape shape = infer_shape(wanted, x.numel(), op);
  Layout layout;
  if (x.layout().try_reshape(shape, layout)) return apply(Reshape{layout}, x);
  if (!may_copy)
    throw ShapeError(
        str(op, ": strides ", x.strides(), " of ", x, " do not allow shape ", shape, " without a copy; use reshape"));
  return reshape_to(contiguous(x), shape, op, false);
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  if (x.defined() && x.shape() == shape) return x;
  return reshape_to(x, shape, "reshape", true);
}

Tensor view(const Tensor& x, const Shape& shape) { return reshape_to(x, shape, "view", false); }

Tensor permute(const Tensor& x, const Shape& order) { return apply(Permute{order}, x); }

Tensor transpose(const Tensor& x, std::int64_t a, std::int64_t b) {
  detail::check_defined("transpose", x);
  return apply(Transpose{wrap_dim(a, x.rank(), "transpose"), wrap_dim(b, x.rank(), "transpose")}, x);
}

Tensor t(const Tensor& x) {
  detail::check_defined("t", x);
  if (x.rank() > 2) throw ShapeError(str("t: needs at most two dimensions, got ", x, "; use transpose"));
  return x.rank() < 2 ? x : transpose(x, 0, 1);
}

Tensor expand(const Tensor& x, const Shape& shape) { return apply(Expand{shape}, x); }

Tensor unsqueeze(const Tensor& x, std::int64_t dim) {
  detail::check_defined("unsqueeze", x);
  return apply(Reshape{x.layout().unsqueezed(wrap_dim(dim, x.rank() + 1, "unsqueeze"))}, x);
}

Tensor squeeze(const Tensor& x, std::int64_t dim) {
  detail::check_defined("squeeze", x);
  return apply(Reshape{x.layout().squeezed(wrap_dim(dim, x.rank(), "squeeze"))}, x);
}

Tensor squeeze(const Tensor& x) {
  detail::check_defined("squeeze", x);
  Layout layout = x.layout();
  for (int dim = layout.rank() - 1; dim >= 0; --dim) layout = layout.squeezed(dim);
  return apply(Reshape{layout}, x);
}

Tensor flatten(const Tensor& x, std::int64_t first, std::int64_t last) {
  detail::check_defined("flatten", x);
  const int from = wrap_dim(first, x.rank(), "flatten"), to = wrap_dim(last, x.rank(), "flatten");
  if (x.rank() == 0) return reshape(x, {1});
  if (from > to) throw ValueError(str("flatten: dimension ", from, " does not come before ", to, " in ", x.shape()));
  Shape shape;
  std::int64_t merged = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (i >= from && i <= to) merged *= x.shape()[i];
    if (i == to) shape.push_back(merged);
    else if (i < from || i > to) shape.push_back(x.shape()[i]);
  }
  return reshape(x, shape);
}

Tensor as_strided(const Tensor& x, const Layout& layout) {
  detail::check_defined("as_strided", x);
  const detail::Wide needed = detail::Wide{detail::checked_end(layout, "as_strided")} * x.itemsize();
  if (needed > x.impl()->storage->bytes())
    throw IndexError(str("as_strided: shape ", layout.shape, " with strides ", layout.strides, " and offset ",
                         layout.offset, " reaches past the storage of ", x));
  if (is_grad_enabled() && x.requires_grad()) expect_within(x, layout);
  // For an empty tensor, strides and offset are meaningless, and arithmetic on them might overflow.
  return apply(AsStrided{layout.numel() > 0 ? layout : Layout::contiguous(layout.shape)}, x);
}

namespace detail {

Tensor as_strided(const Tensor& x, const Layout& view, DType dtype) {
  if (dtype == x.dtype()) return apply(AsStrided{view}, x);
  if (is_complex(x.dtype())) return apply(AsStrided{view}, real_view(x));
  return complex_view(apply(AsStrided{parts_layout(view)}, x));
}

Edge record_as_strided(const Tensor& base, const Layout& view, DType dtype) {
  EnableGrad guard;
  return edge_to(as_strided(base, view, dtype));
}

}  // namespace detail

}  // namespace minima
