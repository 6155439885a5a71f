#include <minima/ops/convolution/kernels.h>

#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

/// Calls f(first element of the image, first element of its columns) for each image, in parallel.
template <class F>
void each_image(const ConvGeometry& g, F&& f) {
  const std::int64_t pixels = g.channels * g.pixels(), columns = g.terms() * g.positions();
  parallel_for(0, g.batch, grain_for(static_cast<double>(columns)), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t n = first; n < last; ++n) f(n * pixels, n * columns);
  });
}

}  // namespace

void unfold_kernel_cpu(const ConvGeometry& g, const Tensor& x, const Tensor& columns) {
  dispatch<full_floating>(x.dtype(), "unfold", [&]<class T> {
    each_image(g, [&](std::int64_t image, std::int64_t column) {
      gather_patches<T>(g, false, x.data<T>() + image, {0, g.out_rows()}, g.group_channels(),
                        columns.data<T>() + column);
    });
  });
}

void fold_kernel_cpu(const ConvGeometry& g, const Tensor& columns, const Tensor& x) {
  dispatch<full_floating>(x.dtype(), "fold", [&]<class T> {
    each_image(g, [&](std::int64_t image, std::int64_t column) {
      std::fill_n(x.data<T>() + image, g.channels * g.pixels(), T(0));
      scatter_patches<T>(g, false, x.data<T>() + image, {0, g.out_rows()}, columns.data<T>() + column);
    });
  });
}

}  // namespace minima::detail
