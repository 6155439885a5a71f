#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/norm/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/norm/layer_norm_device.cuh>

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

/// f<S, Y> for the dtypes of x and y: the same, or float and a half type.
template <class F>
void dispatch_dtypes(const Tensor& x, const Tensor& y, const F& f) {
  dispatch<floating>(y.dtype(), "layer_norm", [&]<class Y> {
    if (x.dtype() == dtype_of<Y>) f.template operator()<Y, Y>();
    else if constexpr (sizeof(Y) == 2) f.template operator()<float, Y>();
  });
}

}  // namespace

void layer_norm_kernel_cuda(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                            const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd) {
  Tensor none;
  add_layer_norm_kernel_cuda(none, x, n, weight, bias, norm, none, y, mean, rstd);
}

void add_layer_norm_kernel_cuda(const Tensor& branch, const Tensor& x, std::int64_t n, const Tensor& weight,
                                const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                                const Tensor& rstd) {
  if (x.numel() == 0) return;
  const std::int64_t rows = x.numel() / n;
  Tensor kept[2];
  dispatch_dtypes(x, y, [&]<class S, class Y> {
    using T = Compute<S>;
    const LayerNormCall<S, Y> call{x.data<S>(),
                                   data_or_null<Y>(branch),
                                   data_or_null<S>(sum),
                                   rows,
                                   n,
                                   affine<T>(weight, kept[0]),
                                   affine<T>(bias, kept[1]),
                                   norm.eps,
                                   norm.centered,
                                   y.data<Y>(),
                                   data_or_null<T>(mean),
                                   data_or_null<T>(rstd)};
    const cuda::RowBlock block = cuda::row_block<S>(n, norm_packs);
    if (block.threads > 0 &&
        cuda::has_packs<S>(n, call.x, call.branch, call.sum, call.weight.data, call.bias.data, call.y))
      cuda::launch(
          "layer_norm_packed",
          {cuda::blocks_of((rows + block.rows - 1) / block.rows, "layer_norm"), dim3(block.threads, block.rows)},
          layer_norm_packed_kernel<S, Y>, call);
    else
      cuda::launch("layer_norm", {cuda::blocks_of(rows, "layer_norm"), dim3(cuda::threads_for(n))},
                   layer_norm_kernel<S, Y>, call);
  });
}

void layer_norm_gradient_kernel_cuda(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const LayerNormGradients& into,
                                     const Tensor& also) {
  const std::int64_t rows = n == 0 ? 0 : x.numel() / n;
  const bool is_affine = into.weight.defined() || into.bias.defined();
  Tensor kept;
  dispatch_dtypes(x, g, [&]<class S, class Y> {
    using T = Compute<S>;
    const cuda::RowBlock block = cuda::row_block<S>(n, norm_gradient_packs);
    // Enough chunks for 8,192 warps, which fill a large GPU; the split depends on the shape alone.
    const std::int64_t most = std::max(1024u, 8192 * cuda::warp / std::max(cuda::warp, block.threads));
    const std::int64_t chunk = std::max<std::int64_t>(4, (rows + most - 1) / most), chunks = (rows + chunk - 1) / chunk;
    Tensor partial;
    if (is_affine) partial = empty(Shape{2 * chunks * n}, {.dtype = dtype_of<T>, .device = x.device()});
    const LayerNormGradientCall<S, Y> call{g.data<Y>(),
                                           x.data<S>(),
                                           rows,
                                           n,
                                           chunk,
                                           affine<T>(weight, kept),
                                           data_or_null<T>(mean),
                                           rstd.data<T>(),
                                           data_or_null<S>(also),
                                           data_or_null<S>(into.x),
                                           data_or_null<Y>(into.branch),
                                           data_or_null<T>(partial)};
    if (block.threads > 0 &&
        cuda::has_packs<S>(n, call.g, call.x, call.weight.data, call.also, call.dx, call.branch, call.partial))
      cuda::launch("layer_norm_gradient_packed",
                   {cuda::blocks_of((chunks + block.rows - 1) / block.rows, "layer_norm_gradient"),
                    dim3(block.threads, block.rows)},
                   layer_norm_gradient_packed_kernel<S, Y>, call);
    else
      cuda::launch("layer_norm_gradient", {cuda::blocks_of(chunks, "layer_norm_gradient"), dim3(cuda::threads_for(n))},
                   layer_norm_gradient_kernel<S, Y>, call);
    if (is_affine)
      cuda::launch("add_chunks",
                   {cuda::blocks_of((2 * n + cuda::warp - 1) / cuda::warp, "layer_norm"), dim3(cuda::warp, cuda::warp)},
                   add_chunks_kernel<T>, partial.data<T>(), chunks, n, data_or_null<T>(into.weight),
                   data_or_null<T>(into.bias));
  });
}

}  // namespace minima::detail
