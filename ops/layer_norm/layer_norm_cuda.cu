#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/layer_norm/layer_norm_device.cuh>
#include <minima/ops/loops/lines/lines.cuh>

#include <algorithm>

namespace minima::detail {

namespace {

Affine affine(const Tensor& values, Tensor& kept) {
  if (!values.defined()) return {nullptr, DType::float32};
  kept = arranged(values, Layout::contiguous(values.shape()));
  return {kept.raw_data(), kept.dtype()};
}

template <class T> T* data_or_null(const Tensor& x) { return x.defined() ? x.data<T>() : nullptr; }

}  // namespace

void layer_norm_kernel_cuda(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                            const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd) {
  Tensor none;
  add_layer_norm_kernel_cuda(x, none, n, weight, bias, norm, none, y, mean, rstd);
}

void add_layer_norm_kernel_cuda(const Tensor& x, const Tensor& residual, std::int64_t n, const Tensor& weight,
                                const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                                const Tensor& rstd) {
  if (x.numel() == 0) return;
  Tensor kept[2];
  const cuda::Grid grid{cuda::blocks_of(x.numel() / n, "layer_norm"), dim3(cuda::threads_for(n))};
  dispatch<floating>(x.dtype(), "layer_norm", [&]<class X> {
    using T = Compute<X>;
    cuda::launch("layer_norm", grid, layer_norm_kernel<X>, x.data<X>(), data_or_null<X>(residual), data_or_null<X>(sum),
                 n, affine(weight, kept[0]), affine(bias, kept[1]), norm.eps, norm.centered, y.data<X>(),
                 data_or_null<T>(mean), data_or_null<T>(rstd));
  });
}

void layer_norm_gradient_kernel_cuda(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                     const Tensor& dbias, const Tensor& also) {
  const std::int64_t rows = n == 0 ? 0 : x.numel() / n;
  // Enough chunks to fill a GPU; the split depends on the shape alone.
  const std::int64_t chunk = std::max<std::int64_t>(1, (rows + 511) / 512), chunks = (rows + chunk - 1) / chunk;
  const bool is_affine = dweight.defined() || dbias.defined();
  Tensor kept;
  dispatch<floating>(x.dtype(), "layer_norm", [&]<class X> {
    using T = Compute<X>;
    Tensor partial;
    if (is_affine) partial = empty(Shape{2 * chunks * n}, {.dtype = dtype_of<T>, .device = x.device()});
    cuda::launch("layer_norm_gradient", {dim3(static_cast<unsigned>(chunks)), dim3(cuda::threads_for(n))},
                 layer_norm_gradient_kernel<X>, g.data<X>(), x.data<X>(), rows, n, chunk, affine(weight, kept),
                 data_or_null<T>(mean), rstd.data<T>(), data_or_null<X>(also), data_or_null<X>(dx),
                 data_or_null<T>(partial));
    if (is_affine)
      cuda::launch("add_chunks", cuda::grid_for(n), add_chunks_kernel<T>, partial.data<T>(), chunks, n,
                   data_or_null<T>(dweight), data_or_null<T>(dbias));
  });
}

}  // namespace minima::detail
