#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/layer_norm/layer_norm_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/layer_norm/layer_norm_device.cuh>
#include <minima/ops/loops/lines/lines.cuh>

#include <algorithm>

namespace minima::detail {

namespace {

/// weight or bias in T.
template <class T>
Affine<T> affine(const Tensor& values, Tensor& kept) {
  if (!values.defined()) return {nullptr};
  kept = arranged(values, Layout::contiguous(values.shape()));
  if (kept.dtype() != dtype_of<T>) {
    const Tensor converted = empty(kept.shape(), {.dtype = dtype_of<T>, .device = kept.device()});
    copy_kernel_cuda(kept, converted);
    kept = converted;
  }
  return {kept.data<T>()};
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
  const std::int64_t rows = x.numel() / n;
  Tensor kept[2];
  dispatch<floating>(x.dtype(), "layer_norm", [&]<class X> {
    using T = Compute<X>;
    const LayerNormCall<X> call{x.data<X>(),
                                data_or_null<X>(residual),
                                data_or_null<X>(sum),
                                rows,
                                n,
                                affine<T>(weight, kept[0]),
                                affine<T>(bias, kept[1]),
                                norm.eps,
                                norm.centered,
                                y.data<X>(),
                                data_or_null<T>(mean),
                                data_or_null<T>(rstd)};
    const cuda::RowBlock block = cuda::row_block<X>(n, norm_packs);
    if (block.threads > 0 &&
        cuda::has_packs<X>(n, call.x, call.residual, call.kept, call.weight.data, call.bias.data, call.y))
      cuda::launch(
          "layer_norm_packed",
          {cuda::blocks_of((rows + block.rows - 1) / block.rows, "layer_norm"), dim3(block.threads, block.rows)},
          layer_norm_packed_kernel<X>, call);
    else
      cuda::launch("layer_norm", {cuda::blocks_of(rows, "layer_norm"), dim3(cuda::threads_for(n))},
                   layer_norm_kernel<X>, call);
  });
}

void layer_norm_gradient_kernel_cuda(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                     const Tensor& dbias, const Tensor& also) {
  const std::int64_t rows = n == 0 ? 0 : x.numel() / n;
  // Enough chunks to fill a GPU; the split depends on the shape alone.
  const std::int64_t chunk = std::max<std::int64_t>(4, (rows + 1023) / 1024), chunks = (rows + chunk - 1) / chunk;
  const bool is_affine = dweight.defined() || dbias.defined();
  Tensor kept;
  dispatch<floating>(x.dtype(), "layer_norm", [&]<class X> {
    using T = Compute<X>;
    Tensor partial;
    if (is_affine) partial = empty(Shape{2 * chunks * n}, {.dtype = dtype_of<T>, .device = x.device()});
    const LayerNormGradientCall<X> call{g.data<X>(),
                                        x.data<X>(),
                                        rows,
                                        n,
                                        chunk,
                                        affine<T>(weight, kept),
                                        data_or_null<T>(mean),
                                        rstd.data<T>(),
                                        data_or_null<X>(also),
                                        data_or_null<X>(dx),
                                        data_or_null<T>(partial)};
    const cuda::RowBlock block = cuda::row_block<X>(n, norm_gradient_packs);
    if (block.threads > 0 && cuda::has_packs<X>(n, call.g, call.x, call.weight.data, call.also, call.dx, call.partial))
      cuda::launch("layer_norm_gradient_packed",
                   {cuda::blocks_of((chunks + block.rows - 1) / block.rows, "layer_norm_gradient"),
                    dim3(block.threads, block.rows)},
                   layer_norm_gradient_packed_kernel<X>, call);
    else
      cuda::launch("layer_norm_gradient", {cuda::blocks_of(chunks, "layer_norm_gradient"), dim3(cuda::threads_for(n))},
                   layer_norm_gradient_kernel<X>, call);
    if (is_affine)
      cuda::launch("add_chunks",
                   {cuda::blocks_of((2 * n + cuda::warp - 1) / cuda::warp, "layer_norm"), dim3(cuda::warp, cuda::warp)},
                   add_chunks_kernel<T>, partial.data<T>(), chunks, n, data_or_null<T>(dweight),
                   data_or_null<T>(dbias));
  });
}

}  // namespace minima::detail
