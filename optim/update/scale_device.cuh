#pragma once

#include <minima/optim/update/multi_tensor_device.cuh>

namespace minima::optim::detail {

/// Multiplies gradients by *factor unless it is null. Every block that finds a non-finite element writes the same 1.
template <class G>
__global__ void __launch_bounds__(update_threads)
    scale_kernel(const Pieces pieces, const double* factor, float* found_inf) {
  const int t = pieces.of_block(blockIdx.x);
  const Piece& piece = pieces.piece[t];
  const std::int64_t first = (blockIdx.x - pieces.first_block[t]) * update_block;
  const std::int64_t last = first + update_block < piece.count ? first + update_block : piece.count;
  using T = Compute<G>;
  const T by = factor ? static_cast<T>(*factor) : T(1);
  auto* const g = static_cast<G*>(const_cast<void*>(piece.gradient));
  bool bad = false;
  for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) {
    const T x = static_cast<T>(g[i]);
    bad = bad || !math::isfinite(x);
    if (factor) g[i] = static_cast<G>(x * by);
  }
  if (bad && found_inf) *found_inf = 1;
}

}  // namespace minima::optim::detail
