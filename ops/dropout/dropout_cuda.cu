#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/dropout/dropout_kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <cmath>

namespace minima::detail {

/// y = x · scale where the element's word is below the threshold, else 0; one thread per Philox block of four elements.
template <class X>
__global__ void __launch_bounds__(256) dropout_kernel(const X* x, X* y, std::int64_t count, PhiloxState start,
                                                      std::uint32_t threshold, cuda::Compute<X> scale, bool packed) {
  using T = cuda::Compute<X>;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, first = 4 * block;
  if (first >= count) return;
  const Philox::Block words = Philox::at(start.seed, start.position() + static_cast<std::uint64_t>(block));
  const auto drop = [&](X value, int i) {
    return words.word[i] >> 8 < threshold ? static_cast<X>(static_cast<T>(value) * scale) : static_cast<X>(T(0));
  };
  if (packed && first + 4 <= count) {
    cuda::Pack<X, 4> pack = cuda::load_pack<X, 4>(x + first);
    for (int i = 0; i < 4; ++i) pack.items[i] = drop(pack.items[i], i);
    cuda::store_pack(y + first, pack);
  } else {
    for (int i = 0; i < 4 && first + i < count; ++i) y[first + i] = drop(x[first + i], i);
  }
}

void dropout_kernel_cuda(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y) {
  // Elements are numbered in row-major order, so other layouts go through row-major copies.
  const Layout rows = Layout::contiguous(x.shape());
  const Tensor from = arranged(x, rows);
  const Tensor to = y.is_contiguous() ? y : empty(rows, {.dtype = y.dtype(), .device = y.device()});
  const std::int64_t count = x.numel();
  const auto threshold = static_cast<std::uint32_t>(std::ceil(keep * 0x1p24));
  const auto is_aligned = [](const Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.raw_data()) % 16 == 0; };
  dispatch<floating>(x.dtype(), "dropout", [&]<class X> {
    cuda::launch("dropout", cuda::grid_for((count + 3) / 4), dropout_kernel<X>, from.data<X>(), to.data<X>(), count,
                 start, threshold, static_cast<cuda::Compute<X>>(scale), is_aligned(from) && is_aligned(to));
  });
  if (!to.is_same(y)) copy_kernel_cuda(to, y);
}

}  // namespace minima::detail
