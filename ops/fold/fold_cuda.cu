#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/fold/fold_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/conv2d/patches_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

namespace {

cuda::Grid grid_of(std::int64_t elements) { return cuda::grid_for((elements + patch_elements - 1) / patch_elements); }

}  // namespace

void unfold_kernel_cuda(const ConvGeometry& g, const Tensor& x, const Tensor& patches) {
  const std::int64_t positions = g.batch * g.positions();
  dispatch<floating>(x.dtype(), "unfold", [&]<class X> {
    cuda::launch("gather_patches", grid_of(positions * g.terms()), gather_patches_kernel<X>, g, x.data<X>(), 0,
                 positions, patches.data<X>());
  });
}

void fold_kernel_cuda(const ConvGeometry& g, const Tensor& patches, const Tensor& x) {
  zero_kernel_cuda(x, x.numel());
  const std::int64_t positions = g.batch * g.positions();
  dispatch<full_floating>(x.dtype(), "fold", [&]<class T> {
    cuda::launch("scatter_patches", grid_of(g.batch * g.pixels() * g.channels), scatter_patches_kernel<T>, g,
                 patches.data<T>(), 0, positions, 0, g.batch, x.data<T>());
  });
}

}  // namespace minima::detail
