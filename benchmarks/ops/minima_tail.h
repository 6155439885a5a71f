#pragma once

#include "benchmarks/ops/minima.h"

#include <minima/ops/complex/complex.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/fft/stft.h>

// The names of tail.h for minima.

namespace rows {

inline Tensor running_maximum(const Tensor& x) { return cummax(x, 1).values; }
inline Tensor median_of_rows(const Tensor& x) { return median(x, 1).values; }
inline Tensor kth_of_rows(const Tensor& x, std::int64_t k) { return kthvalue(x, k, 1).values; }
inline Tensor quantile_of_rows(const Tensor& x, double q) { return quantile(x, std::vector{q}, 1); }
inline Tensor mode_of_rows(const Tensor& x) { return mode(x, 1).values; }
inline Tensor unique_values(const Tensor& x) { return unique(x).values; }
inline Tensor unit_rows(const Tensor& x) { return normalize(x); }
inline Tensor scatter_maximum(const Tensor& x, const Tensor& index, const Tensor& source) {
  return scatter_reduce(x, 1, index, source, ScatterMode::amax);
}
inline Tensor bags(const Tensor& table, const Tensor& index) { return embedding_bag(table, index); }
inline Tensor cross_product(const Tensor& a, const Tensor& b) { return cross(a, b); }
inline Tensor pad_reflect(const Tensor& x, std::int64_t n) { return pad(x, {n, n, n, n}, PadMode::reflect); }
inline Tensor max_pool_indices(const Tensor& x, std::int64_t kernel) {
  return max_pool2d_with_indices(x, {.kernel = kernel}).indices;
}
inline Tensor norm_pool(const Tensor& x, std::int64_t kernel) { return lp_pool2d(x, 2, {.kernel = kernel}); }
inline Tensor folded(const Tensor& x, std::int64_t size, std::int64_t kernel, std::int64_t padding) {
  return fold(x, size, {.kernel = kernel, .padding = padding});
}
inline Tensor upsample_bicubic(const Tensor& x, std::int64_t size) {
  return interpolate(x, {.size = {size, size}, .mode = InterpolateMode::cubic});
}
inline Tensor upsample_trilinear(const Tensor& x, const Shape& size) {
  return interpolate(x, {.size = size, .mode = InterpolateMode::linear});
}
inline Tensor downsample(const Tensor& x, std::int64_t size) {
  return interpolate(x, {.size = {size, size}, .mode = InterpolateMode::linear, .antialias = true});
}
inline Tensor adaptive_average(const Tensor& x, std::int64_t size) { return adaptive_avg_pool2d(x, size); }
inline Tensor normalized_instances(const Tensor& x) { return instance_norm(x); }
inline Tensor affine(const Tensor& theta, const Shape& size) { return affine_grid(theta, size); }
inline Tensor ctc(const Tensor& logits, const Tensor& targets) {
  const auto batch = static_cast<std::size_t>(logits.size(1));
  return ctc_loss(log_softmax(logits, 2), targets + 1, std::vector<std::int64_t>(batch, logits.size(0)),
                  std::vector<std::int64_t>(batch, targets.size(1)));
}
inline Tensor divergence(const Tensor& x, const Tensor& target) { return kl_div(x, target); }
inline Tensor fourier(const Tensor& x) { return fft::fft(x); }
inline Tensor real_fourier(const Tensor& x) { return fft::rfft(x); }
inline Tensor real_fourier_of_planes(const Tensor& x) { return fft::rfft2(x); }
inline Tensor planes_of_spectra(const Tensor& x) { return fft::irfft2(x); }
inline Tensor spectrogram(const Tensor& x, std::int64_t n_fft) {
  return stft(x, n_fft, {.window = hann_window(n_fft)});
}

}  // namespace rows
