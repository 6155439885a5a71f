#pragma once

#include <minima/optim/update/multi_tensor_device.cuh>

namespace minima::optim::detail {

/// One block's partial Σ|g|ᵖ or max|g|; NaN propagates.
template <class G>
__global__ void __launch_bounds__(update_threads) power_sum_kernel(const Pieces pieces, double p, double* partial) {
  __shared__ double halves[2][cuda::warp];
  cuda::Scratch<double> scratch(halves);
  const int t = pieces.of_block(blockIdx.x);
  const Piece& piece = pieces.piece[t];
  const std::int64_t first = (blockIdx.x - pieces.first_block[t]) * update_block;
  const std::int64_t last = first + update_block < piece.count ? first + update_block : piece.count;
  const bool is_max = p == math::cpu::Format<double>::infinity;
  double total = 0;
  const auto at = [&](std::int64_t i) {
    return math::abs(static_cast<double>(static_cast<const G*>(piece.gradient)[i]));
  };
  if (p == 2) {
    for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x) total += at(i) * at(i);
  } else {
    for (std::int64_t i = first + threadIdx.x; i < last; i += blockDim.x)
      total = is_max ? math::max(total, at(i)) : total + (p == 1 ? at(i) : math::exp(p * math::log(at(i))));
  }
  const auto join = [is_max](double a, double b) { return is_max ? math::max(a, b) : a + b; };
  total = cuda::over_block(total, join, 0.0, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}

/// One block: adds the partial results in order, and the previous result unless `first`.
static __global__ void __launch_bounds__(update_threads)
    add_power_sums_kernel(const double* partial, std::uint32_t count, bool is_max, bool first, double* result) {
  __shared__ double halves[2][cuda::warp];
  cuda::Scratch<double> scratch(halves);
  const auto join = [is_max](double a, double b) { return is_max ? math::max(a, b) : a + b; };
  double total = 0;
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) total = join(total, partial[i]);
  total = cuda::over_block(total, join, 0.0, scratch);
  if (threadIdx.x == 0) *result = first ? total : join(*result, total);
}

}  // namespace minima::optim::detail
