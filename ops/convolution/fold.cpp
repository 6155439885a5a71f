#include <minima/ops/convolution/fold.h>

#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/convolution/kernels.h>
#include <minima/ops/core/pair.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>

namespace minima {

namespace {

using detail::ConvGeometry;

/// The convolution that sees the columns of images [N, C, H, W].
ConvGeometry geometry_of(const char* op, const Shape& images, const FoldOptions& o) {
  const auto expect = [&](const char* what, Pair p, std::int64_t least) {
    if (p.height < least || p.width < least)
      throw ValueError(str(op, ": ", what, " must be at least ", least, ", got [", p.height, ", ", p.width, "]"));
  };
  expect("kernel", o.kernel, 1);
  expect("stride", o.stride, 1);
  expect("dilation", o.dilation, 1);
  expect("padding", o.padding, 0);
  const auto count = [&](int dim, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation) {
    const std::int64_t windows = detail::window_count(images[dim], kernel, stride, padding, dilation, op);
    if (windows < 1)
      throw ShapeError(str(op, ": the kernel [", o.kernel.height, ", ", o.kernel.width, "] with dilation [",
                           o.dilation.height, ", ", o.dilation.width, "] is larger than images ", images,
                           " with padding [", o.padding.height, ", ", o.padding.width, "]"));
    return windows;
  };
  ConvGeometry g{.batch = images[0],
                 .channels = images[1],
                 .outputs = 1,
                 .size = {1, images[2], images[3]},
                 .out = {1, count(2, o.kernel.height, o.stride.height, o.padding.height, o.dilation.height),
                         count(3, o.kernel.width, o.stride.width, o.padding.width, o.dilation.width)},
                 .kernel = {1, o.kernel.height, o.kernel.width},
                 .options = {.stride = {1, o.stride.height, o.stride.width},
                             .padding = {0, o.padding.height, o.padding.width},
                             .dilation = {1, o.dilation.height, o.dilation.width},
                             .groups = 1,
                             .spatial = 2}};
  return g;
}

/// The shape of columns, for any sizes.
Shape columns_of(const char* op, const ConvGeometry& g) {
  using detail::fit;
  using detail::Wide;
  const std::int64_t kernel = fit(Wide{g.kernel.height} * g.kernel.width, op);
  return {g.batch, fit(Wide{g.channels} * kernel, op), fit(Wide{g.out.height} * g.out.width, op)};
}

void check_dtype(const char* op, const Tensor& x) {
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
}

Cost moving(const Tensor& x, const Shape& y) {
  return {.bytes =
              (static_cast<double>(x.numel()) + static_cast<double>(numel(y))) * static_cast<double>(x.itemsize())};
}

/// x as row-major values of the dtype that kernels compute in.
Tensor computed(const Tensor& x) { return detail::row_major(x, detail::compute_dtype(x.dtype())); }

/// Calls kernel(y), or kernel(a temporary) and copies that into y.
template <class F>
void written(const Tensor& y, DType dtype, F&& kernel) {
  if (y.dtype() == dtype) return kernel(y);
  const Tensor wide = empty(y.shape(), {.dtype = dtype, .device = y.device()});
  kernel(wide);
  detail::copy_values(wide, y);
}

void describe(const FoldOptions& options, detail::AttributeVisitor& visitor) {
  visitor.integers("kernel", {options.kernel.height, options.kernel.width});
  visitor.integers("dilation", {options.dilation.height, options.dilation.width});
  visitor.integers("padding", {options.padding.height, options.padding.width});
  visitor.integers("stride", {options.stride.height, options.stride.width});
}

/// The elements of a row-major tensor, wherever it starts in its storage, in another dense layout.
Tensor dense_alias(const Tensor& x, Layout layout) {
  layout.offset = x.layout().offset;
  return detail::alias(x, layout);
}

/// Patches [N · positions, kH · kW, C] on CUDA as columns [N, C, kH · kW, positions].
Layout as_columns(const ConvGeometry& g) {
  const std::int64_t elements = g.kernel.height * g.kernel.width, positions = g.positions();
  return {{g.batch, g.channels, elements, positions},
          {positions * elements * g.channels, 1, g.channels, elements * g.channels},
          0};
}

struct Unfold {
  static constexpr Traits traits{.name = "unfold"};
  FoldOptions options;
  void list_attributes(detail::AttributeVisitor& visitor) const { describe(options, visitor); }

  ConvGeometry geometry(const Tensor& x) const { return geometry_of("unfold", x.shape(), options); }
  TensorSpec result(const Tensor& x) const {
    check_dtype("unfold", x);
    if (x.rank() != 4) throw ShapeError(str("unfold: x must be [N, C, H, W] or [C, H, W], got ", x.shape()));
    return spec_of(columns_of("unfold", geometry(x)), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const { return moving(x, columns_of("unfold", geometry(x))); }
  void cpu(const Tensor& x, Tensor& y) const {
    if (y.numel() == 0) return;
    const Tensor from = computed(x);
    written(y, from.dtype(), [&](const Tensor& columns) { detail::unfold_kernel_cpu(geometry(x), from, columns); });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (y.numel() == 0) return;
    const ConvGeometry g = geometry(x);
    const Tensor patches = empty({y.numel()}, {.dtype = x.dtype(), .device = x.device()});
    detail::unfold_kernel_cuda(g, detail::arranged(x, Layout::channels_last(x.shape())), patches);
    const Layout columns = as_columns(g);
    detail::copy_values(dense_alias(patches, columns), dense_alias(y, Layout::contiguous(columns.shape)));
  }
  Tensor gradient(Grad g, Spec<0> x) const;
};

struct Fold {
  static constexpr Traits traits{.name = "fold"};
  Pair size;
  FoldOptions options;
  void list_attributes(detail::AttributeVisitor& visitor) const { describe(options, visitor); }

  ConvGeometry geometry(const Tensor& x) const {
    const std::int64_t elements = detail::fit(detail::Wide{options.kernel.height} * options.kernel.width, "fold");
    const std::int64_t channels = elements > 0 ? x.shape()[1] / elements : 0;
    return geometry_of("fold", {x.shape()[0], channels, size.height, size.width}, options);
  }
  TensorSpec result(const Tensor& x) const {
    check_dtype("fold", x);
    if (x.rank() != 3)
      throw ShapeError(str("fold: x must be [N, C · kH · kW, L] or [C · kH · kW, L], got ", x.shape()));
    if (size.height < 1 || size.width < 1)
      throw ValueError(str("fold: size must be at least 1, got [", size.height, ", ", size.width, "]"));
    const ConvGeometry g = geometry(x);
    const Shape columns = columns_of("fold", g);
    if (x.shape() != columns)
      throw ShapeError(str("fold: images of size [", size.height, ", ", size.width, "] have ", columns[2],
                           " positions and columns of a multiple of ", g.kernel.height * g.kernel.width,
                           " elements, but x is ", x.shape()));
    return spec_of(g.input(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const { return moving(x, geometry(x).input()); }
  void cpu(const Tensor& x, Tensor& y) const {
    if (y.numel() == 0) return;
    const Tensor columns = computed(x);
    written(y, columns.dtype(), [&](const Tensor& images) { detail::fold_kernel_cpu(geometry(x), columns, images); });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    if (y.numel() == 0) return;
    const ConvGeometry g = geometry(x);
    const DType dtype = detail::compute_dtype(x.dtype());
    const Tensor patches = empty({x.numel()}, {.dtype = dtype, .device = x.device()});
    const Layout columns = as_columns(g);
    detail::copy_values(dense_alias(detail::row_major(x, x.dtype()), Layout::contiguous(columns.shape)),
                        dense_alias(patches, columns));
    const Tensor images =
        dense_alias(empty({y.numel()}, {.dtype = dtype, .device = y.device()}), Layout::channels_last(y.shape()));
    detail::fold_kernel_cuda(g, patches, images);
    detail::copy_values(images, y);
  }
  Tensor gradient(Grad u) const { return apply(Unfold{options}, u); }
};

Tensor Unfold::gradient(Grad g, Spec<0> x) const { return apply(Fold{{x.shape()[2], x.shape()[3]}, options}, g); }

}  // namespace

Tensor unfold(const Tensor& x, const FoldOptions& options) {
  return detail::with_batch(x, 4, [&](const Tensor& batch) { return apply(Unfold{options}, batch); });
}

Tensor fold(const Tensor& x, Pair size, const FoldOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) { return apply(Fold{size, options}, batch); });
}

}  // namespace minima
