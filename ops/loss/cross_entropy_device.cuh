#pragma once

#include <minima/ops/loss/kernels.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/reduce/softmax_device.cuh>

namespace minima::detail {

/// A target's contribution: (1 - smoothing) w_t for its own class, smoothing/C · w_c for each class.
struct ClassWeights {
  const void* data;  ///< null: all 1
  DType dtype;
  std::int64_t ignore;
  double keep, share;

  template <class T> __device__ T weight(std::int64_t c) const {
    return data ? cuda::load_as<T>(data, c, dtype) : T(1);
  }
};

/// `weight` is row-major, or undefined.
inline ClassWeights class_weights(const CrossEntropyAttributes& a, const Tensor& weight, std::int64_t classes) {
  const double share = a.smoothing == 0 ? 0 : a.smoothing / static_cast<double>(classes);
  if (!weight.defined()) return {nullptr, DType::float32, a.ignore_index, 1 - a.smoothing, share};
  return {weight.raw_data(), weight.dtype(), a.ignore_index, 1 - a.smoothing, share};
}

/// Per line: its maximum and its Σ exp relative to that ([2, lines], may be null), its loss, and its share of a mean's
/// divisor. Differences to the maximum are taken before the logarithm is added, which large logits would absorb.
template <bool whole_block, class X>
__global__ void __launch_bounds__(512)
    cross_entropy_kernel(const X* x, const std::int64_t* targets, const Lines lines, const ClassWeights weights,
                         Compute<X>* max_sum, Compute<X>* losses, Compute<X>* counts, cuda::Fault* fault) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<whole_block> team;
  if (team.line >= lines.outer * lines.inner) return;
  x += start_of(team.line, lines);
  const MaxSum<T> state = max_sum_of_line<whole_block, T>(team, x, lines, scratch);
  const T log_sum = math::log(state.sum);
  T shared = 0, share_sum = 0;
  if (weights.share != 0) {
    cuda::for_line(team, x, lines.length, lines.inner, [&](std::int64_t c, X value) {
      const T share = static_cast<T>(weights.share) * weights.weight<T>(c);
      shared += share * (static_cast<T>(value) - state.max);
      share_sum += share;
    });
    shared = team.all(shared, cuda::Plus(), T(0), scratch);
    share_sum = team.all(share_sum, cuda::Plus(), T(0), scratch);
  }
  if (team.rank != 0) return;
  const std::int64_t target = targets[team.line];
  const bool ignored = target == weights.ignore || !cuda::is_index(target, lines.length, fault);
  T loss = 0, count = 0;
  if (!ignored) {
    count = weights.weight<T>(target);
    loss = static_cast<T>(weights.keep) * count * (log_sum - (static_cast<T>(x[target * lines.inner]) - state.max));
    if (weights.share != 0) loss += share_sum * log_sum - shared;
  }
  if (max_sum) {
    max_sum[team.line] = state.max;
    max_sum[lines.outer * lines.inner + team.line] = state.sum;
  }
  losses[team.line] = loss;
  counts[team.line] = count;
}

/// One block: the sum or mean of all losses, and the mean's divisor (`total` may be null).
template <class T>
__global__ void __launch_bounds__(512) add_losses_kernel(const T* losses, const T* counts, std::int64_t lines,
                                                         bool mean, void* loss, DType dtype, double* total) {
  __shared__ double halves[2][cuda::warp];
  cuda::Scratch<double> scratch(halves);
  double sum = 0, count = 0;
  for (std::int64_t i = threadIdx.x; i < lines; i += blockDim.x) {
    sum += static_cast<double>(losses[i]);
    count += static_cast<double>(counts[i]);
  }
  sum = cuda::over_block(sum, cuda::Plus(), 0.0, scratch);
  count = cuda::over_block(count, cuda::Plus(), 0.0, scratch);
  if (threadIdx.x != 0) return;
  if (loss) cuda::store_as(loss, 0, dtype, static_cast<T>(mean ? sum / count : sum));
  if (total) *total = count;
}

/// dx = g · (Σ_c t_c · softmax(x) - t), with the maximum and sum that the forward pass saved for each line. `total` is
/// null unless the loss was a mean; `per_line`: g has one element per line. dx may overwrite x.
template <bool whole_block, class X>
__global__ void __launch_bounds__(512)
    cross_entropy_gradient_kernel(const void* g, DType g_dtype, bool per_line, const X* x, const std::int64_t* targets,
                                  const Lines lines, const ClassWeights weights, const Compute<X>* max_sum,
                                  const double* total, X* dx) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<whole_block> team;
  if (team.line >= lines.outer * lines.inner) return;
  const std::int64_t start = start_of(team.line, lines), target = targets[team.line];
  x += start;
  dx += start;
  const bool ignored = target == weights.ignore || target < 0 || target >= lines.length;
  T slope = ignored ? T(0) : cuda::load_as<T>(g, per_line ? team.line : 0, g_dtype);
  if (total && !ignored) slope = static_cast<T>(static_cast<double>(slope) / *total);
  T share_sum = 0;
  if (weights.share != 0) {
    for (std::int64_t c = team.rank; c < lines.length; c += team.size)
      share_sum += static_cast<T>(weights.share) * weights.weight<T>(c);
    share_sum = team.all(share_sum, cuda::Plus(), T(0), scratch);
  }
  const T at_target = ignored ? T(0) : static_cast<T>(weights.keep) * weights.weight<T>(target);
  const T max = max_sum[team.line], sum = max_sum[lines.outer * lines.inner + team.line];
  const T factor = slope * (at_target + (ignored ? T(0) : share_sum)) / sum;
  cuda::for_line(team, x, lines.length, lines.inner, [&](std::int64_t c, X logit) {
    T value = math::exp(static_cast<T>(logit) - max) * factor;
    if (weights.share != 0) value -= static_cast<T>(weights.share) * weights.weight<T>(c) * slope;
    if (c == target) value -= slope * at_target;
    dx[c * lines.inner] = static_cast<X>(value);
  });
}

/// The factor of -log p in the loss, for every class of every line.
template <class X>
__global__ void __launch_bounds__(256)
    class_targets_kernel(const std::int64_t* targets, const Lines lines, const ClassWeights weights, X* y) {
  using T = Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= lines.outer * lines.length * lines.inner) return;
  const std::int64_t c = i / lines.inner % lines.length;
  const std::int64_t target = targets[i / (lines.inner * lines.length) * lines.inner + i % lines.inner];
  T value = 0;
  if (target != weights.ignore) {
    value = static_cast<T>(weights.share) * weights.weight<T>(c);
    if (c == target) value += static_cast<T>(weights.keep) * weights.weight<T>(c);
  }
  y[i] = static_cast<X>(value);
}

}  // namespace minima::detail
