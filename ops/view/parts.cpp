#include <minima/ops/view/parts.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/unobserved.h>
#include <minima/ops/op.h>
#include <minima/tensor/complex/parts.h>

namespace minima::detail {

namespace {

struct ViewAsReal {
  static constexpr Traits traits{.name = "view_as_real"};
  TypedLayout view(const Tensor& z) const { return {parts_layout(z.layout()), real_dtype(z.dtype())}; }
  /// A row-major gradient may still begin at an odd offset.
  Tensor gradient(Grad g) const {
    return complex_view(has_pairs(g.layout()) ? g : copy_as(g, Layout::contiguous(g.shape())));
  }
};

struct ViewAsComplex {
  static constexpr Traits traits{.name = "view_as_complex"};
  TypedLayout view(const Tensor& parts) const { return {complex_layout(parts.layout()), complex_dtype(parts.dtype())}; }
  Tensor gradient(Grad g) const { return real_view(g); }
};

}  // namespace

Tensor make_view(const Tensor& x, TypedLayout layout) {
  Observer* const listener = observer();
  Tensor result = [&] {
    const Unobserved until_it_has_its_dtype;
    return make_view(x, static_cast<Layout&&>(layout));
  }();
  result.impl()->dtype = layout.dtype;
  if (listener) listener->view(x, result);
  return result;
}

Tensor real_view(const Tensor& z) { return apply(ViewAsReal{}, z); }

Tensor complex_view(const Tensor& parts) {
  if (!has_pairs(parts.layout()))
    throw ValueError(str("view_as_complex: needs pairs that are adjacent and begin at even offsets, got ", parts,
                         " with strides ", parts.strides(), " and offset ", parts.layout().offset, "; take ",
                         parts.is_contiguous() ? "clone()" : "contiguous()", " of it first"));
  return apply(ViewAsComplex{}, parts);
}

}  // namespace minima::detail
