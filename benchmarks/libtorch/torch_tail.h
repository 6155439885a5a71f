#pragma once

#include "torch.h"

// The names of ../ops/tail.h for LibTorch.

namespace rows {

inline Tensor running_maximum(const Tensor& x) { return std::get<0>(x.cummax(1)); }
inline Tensor median_of_rows(const Tensor& x) { return std::get<0>(x.median(1)); }
inline Tensor kth_of_rows(const Tensor& x, std::int64_t k) { return std::get<0>(x.kthvalue(k, 1)); }
inline Tensor quantile_of_rows(const Tensor& x, double q) { return x.quantile(q, 1); }
inline Tensor mode_of_rows(const Tensor& x) { return std::get<0>(x.mode(1)); }
inline Tensor unique_values(const Tensor& x) { return std::get<0>(_unique2(x, true, true, true)); }
inline Tensor unit_rows(const Tensor& x) { return x / x.norm(2, {1}, true).clamp_min(1e-12); }
inline Tensor scatter_maximum(const Tensor& x, const Tensor& index, const Tensor& source) {
  return x.scatter_reduce(1, index, source, "amax");
}
inline Tensor bags(const Tensor& table, const Tensor& index) {
  return torch::nn::functional::embedding_bag(index, table);
}
inline Tensor cross_product(const Tensor& a, const Tensor& b) { return linalg_cross(a, b); }
inline Tensor pad_reflect(const Tensor& x, std::int64_t n) { return reflection_pad2d(x, {n, n, n, n}); }
inline Tensor max_pool_indices(const Tensor& x, std::int64_t kernel) {
  return std::get<1>(max_pool2d_with_indices(x, kernel, kernel));
}
inline Tensor norm_pool(const Tensor& x, std::int64_t kernel) {
  return torch::nn::functional::lp_pool2d(x, torch::nn::functional::LPPool2dFuncOptions(2, kernel));
}
inline Tensor folded(const Tensor& x, std::int64_t size, std::int64_t kernel, std::int64_t padding) {
  return col2im(x, {size, size}, {kernel, kernel}, {1, 1}, {padding, padding}, {1, 1});
}
inline Tensor upsample_bicubic(const Tensor& x, std::int64_t size) {
  return upsample_bicubic2d(x, {size, size}, false);
}
inline Tensor upsample_trilinear(const Tensor& x, const Shape& size) { return upsample_trilinear3d(x, size, false); }
inline Tensor downsample(const Tensor& x, std::int64_t size) { return _upsample_bilinear2d_aa(x, {size, size}, false); }
inline Tensor adaptive_average(const Tensor& x, std::int64_t size) { return adaptive_avg_pool2d(x, {size, size}); }
inline Tensor normalized_instances(const Tensor& x) { return instance_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false); }
inline Tensor affine(const Tensor& theta, const Shape& size) { return affine_grid_generator(theta, size, false); }
inline Tensor ctc(const Tensor& logits, const Tensor& targets) {
  const std::vector<std::int64_t> inputs(logits.size(1), logits.size(0)), lengths(logits.size(1), targets.size(1));
  return ctc_loss(log_softmax(logits, 2), targets + 1, inputs, lengths);
}
inline Tensor divergence(const Tensor& x, const Tensor& target) { return kl_div(x, target); }
inline Tensor fourier(const Tensor& x) { return fft_fft(x); }
inline Tensor real_fourier(const Tensor& x) { return fft_rfft(x); }
inline Tensor real_fourier_of_planes(const Tensor& x) { return fft_rfft2(x); }
inline Tensor planes_of_spectra(const Tensor& x) { return fft_irfft2(x); }
inline Tensor spectrogram(const Tensor& x, std::int64_t n_fft) {
  return at::stft(x, n_fft, {}, {}, hann_window(n_fft), true, "reflect", false, true, true);
}

}  // namespace rows
