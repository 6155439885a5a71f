#pragma once

#include "rows.h"

// Rows of the operators that a port needs less often: special functions, order statistics, scans, scattered writes,
// images, losses, complex numbers and Fourier transforms.

namespace rows {

inline void add_special_functions(Rows& r) {
  r.both("lerp", {x(big), x(big)}, [](Inputs in) { return lerp(in[0], in[1], 0.3); });
  r.both("addcmul", {x(big), x(big), x(big)}, [](Inputs in) { return addcmul(in[0], in[1], in[2]); });
  r.forward("remainder", {x(big), above_zero(big)}, [](Inputs in) { return remainder(in[0], in[1]); });
  r.forward("hypot", {x(big), x(big)}, [](Inputs in) { return hypot(in[0], in[1]); });
  r.forward("atan2", {x(big), x(big)}, [](Inputs in) { return atan2(in[0], in[1]); });
  r.forward("logaddexp", {x(big), x(big)}, [](Inputs in) { return logaddexp(in[0], in[1]); });
  r.forward("xlogy", {x(big), above_zero(big)}, [](Inputs in) { return xlogy(in[0], in[1]); });
  r.forward("sinc", {x(big)}, [](Inputs in) { return sinc(in[0]); });
  r.forward("nan_to_num", {x(big)}, [](Inputs in) { return nan_to_num(in[0]); });
  r.forward("erfinv", {x(big)}, [](Inputs in) { return erfinv(clamp(in[0], -0.9, 0.9)); });
  r.both("lgamma", {above_zero(big)}, [](Inputs in) { return lgamma(in[0]); });
  r.forward("digamma", {above_zero(big)}, [](Inputs in) { return digamma(in[0]); });
  r.forward("i0", {x(big)}, [](Inputs in) { return i0(in[0]); });
  r.forward("log1p", {above_zero(big)}, [](Inputs in) { return log1p(in[0]); });
  r.both("mish", {x(big)}, [](Inputs in) { return mish(in[0]); });
  r.both("glu", {x(big)}, [](Inputs in) { return glu(in[0], -1); });
  r.both("swiglu", {x(big), x(big)}, [](Inputs in) { return swiglu(in[0], in[1]); });
}

inline void add_statistics(Rows& r) {
  const Shape rows{1024, 1024};
  r.forward("cummax", {x(big)}, [](Inputs in) { return running_maximum(in[0]); });
  r.both("cumprod", {above_zero(big)}, [](Inputs in) { return cumprod(in[0], 1); });
  r.forward("logcumsumexp", {x(big)}, [](Inputs in) { return logcumsumexp(in[0], 1); });
  r.forward("median_rows", {x(rows)}, [](Inputs in) { return median_of_rows(in[0]); });
  r.forward("kthvalue_rows", {x(rows)}, [](Inputs in) { return kth_of_rows(in[0], 10); });
  r.forward("quantile_rows", {x(rows)}, [](Inputs in) { return quantile_of_rows(in[0], 0.3); });
  r.forward("mode_rows", {index_below(100, rows)}, [](Inputs in) { return mode_of_rows(in[0]); });
  r.forward("unique", {index_below(1000, {1 << 20})}, [](Inputs in) { return unique_values(in[0]); });
  r.forward("bincount", {index_below(1000, {1 << 20})}, [](Inputs in) { return bincount(in[0]); });
  r.forward("histc", {x(big)}, [](Inputs in) { return histc(in[0], 100, -3, 3); });
  r.forward("bucketize", {x(big), x({1000})}, [](Inputs in) { return bucketize(in[0], cumsum(in[1] * in[1], 0)); });
  r.forward("nansum_rows", {x(big)}, [](Inputs in) { return nansum(in[0], {1}); });
  r.both("diff", {x(big)}, [](Inputs in) { return diff(in[0]); });
  r.forward("cov", {x({256, 4096})}, [](Inputs in) { return cov(in[0]); });
  r.both("cdist", {x({512, 64}), x({512, 64})}, [](Inputs in) { return cdist(in[0], in[1], 2); });
  r.both("cosine_similarity", {x(big), x(big)}, [](Inputs in) { return cosine_similarity(in[0], in[1], 1); });
  r.both("normalize", {x(big)}, [](Inputs in) { return unit_rows(in[0]); });
  r.forward("multinomial", {above_zero({256, 1024})}, [](Inputs in) { return multinomial(in[0], 64, true); });
  r.forward("bernoulli", {above_zero(big)}, [](Inputs in) { return bernoulli(clamp(in[0], 0, 1)); });
  r.forward("randn", {}, [](Inputs) { return normal(big); });
  r.forward("randperm", {}, [](Inputs) { return randperm(1 << 20); });
}

inline void add_scattered(Rows& r) {
  r.both("take_along_dim", {x(big), index_below(4096, big)}, [](Inputs in) { return take_along_dim(in[0], in[1], 1); });
  r.forward("index_copy", {x(big), index_below(1024, {1024}), x(big)},
            [](Inputs in) { return index_copy(in[0], 0, in[1], in[2]); });
  r.both("index_add", {x(big), index_below(1024, {1024}), x(big)},
         [](Inputs in) { return index_add(in[0], 0, in[1], in[2]); });
  r.forward("scatter_amax", {x(big), index_below(4096, big), x(big)},
            [](Inputs in) { return scatter_maximum(in[0], in[1], in[2]); });
  r.forward("put", {x(big), index_below(1 << 22, big), x(big)}, [](Inputs in) { return put(in[0], in[1], in[2]); });
  r.forward("masked_select", {x(big), x(big)}, [](Inputs in) { return masked_select(in[0], gt(in[1], 0)); });
  r.forward("masked_scatter", {x(big), x(big)}, [](Inputs in) { return masked_scatter(in[0], gt(in[1], 0), in[1]); });
  r.both("embedding_bag", {x({32000, 256}), index_below(32000, {512, 32})},
         [](Inputs in) { return bags(in[0], in[1]); });
}

inline void add_tail_products(Rows& r) {
  r.both("baddbmm", {x({64, 128, 128}), x({64, 128, 64}), x({64, 64, 128})},
         [](Inputs in) { return baddbmm(in[0], in[1], in[2]); });
  r.forward("kron", {x({64, 64}), x({32, 32})}, [](Inputs in) { return kron(in[0], in[1]); });
  r.forward("cross", {x({1 << 20, 3}), x({1 << 20, 3})}, [](Inputs in) { return cross_product(in[0], in[1]); });
  r.both("outer", {x({2048}), x({2048})}, [](Inputs in) { return outer(in[0], in[1]); });
}

inline void add_tail_images(Rows& r) {
  const Shape images{16, 64, 28, 28};
  r.both("pad_reflect", {x(images)}, [](Inputs in) { return pad_reflect(in[0], 2); });
  r.forward("max_pool_indices", {x({16, 64, 56, 56})}, [](Inputs in) { return max_pool_indices(in[0], 2); });
  r.both("lp_pool", {x({16, 64, 56, 56})}, [](Inputs in) { return norm_pool(in[0], 2); });
  r.both("fold_3x3", {x({16, 576, 784})}, [](Inputs in) { return folded(in[0], 28, 3, 1); });
  r.both("upsample_bicubic", {x(images)}, [](Inputs in) { return upsample_bicubic(in[0], 56); });
  r.both("upsample_trilinear", {x({4, 32, 8, 14, 14})},
         [](Inputs in) { return upsample_trilinear(in[0], {16, 28, 28}); });
  r.forward("downsample_antialias", {x({4, 3, 256, 256})}, [](Inputs in) { return downsample(in[0], 96); });
  r.both("adaptive_avg_pool", {x(images)}, [](Inputs in) { return adaptive_average(in[0], 7); });
  r.both("instance_norm", {x({16, 64, 56, 56})}, [](Inputs in) { return normalized_instances(in[0]); });
  r.both("affine_grid", {x({16, 2, 3})}, [](Inputs in) { return affine(in[0], {16, 3, 128, 128}); });
}

inline void add_tail_losses(Rows& r) {
  r.both("ctc_loss", {x({150, 32, 40}), index_below(39, {32, 30})}, [](Inputs in) { return ctc(in[0], in[1]); });
  r.both("triplet_margin_loss", {x({1024, 512}), x({1024, 512}), x({1024, 512})},
         [](Inputs in) { return triplet_margin_loss(in[0], in[1], in[2]); });
  r.both("kl_div", {x(big), above_zero(big)}, [](Inputs in) { return divergence(in[0], in[1]); });
  r.both("cosine_embedding_loss", {x({1024, 512}), x({1024, 512})},
         [](Inputs in) { return cosine_embedding_loss(in[0], in[1], ones({1024})); });
}

inline void add_complex(Rows& r) {
  const auto complex_of = [](const Tensor& x) { return view_as_complex(x); };
  r.both("complex_mul", {x({1024, 2048, 2}), x({1024, 2048, 2})},
         [=](Inputs in) { return complex_of(in[0]) * complex_of(in[1]); });
  r.forward("complex_exp", {x({1024, 2048, 2})}, [=](Inputs in) { return exp(complex_of(in[0])); });
  r.forward("complex_abs", {x({1024, 2048, 2})}, [=](Inputs in) { return abs(complex_of(in[0])); });
  r.both("complex_matmul", {x({256, 256, 2}), x({256, 256, 2})},
         [=](Inputs in) { return matmul(complex_of(in[0]), complex_of(in[1])); });
  r.both("complex_bmm", {x({144, 20, 32, 2}), x({144, 32, 32, 2})},
         [=](Inputs in) { return matmul(complex_of(in[0]), complex_of(in[1])); });
  r.both("fft_1024", {x({1000, 1024, 2})}, [=](Inputs in) { return fourier(complex_of(in[0])); });
  r.both("rfft_1000", {x({1000, 1000})}, [](Inputs in) { return real_fourier(in[0]); });
  r.both("rfft2_64x64", {x({16, 32, 64, 64})}, [](Inputs in) { return real_fourier_of_planes(in[0]); });
  r.both("irfft2_64x64", {x({16, 32, 64, 33, 2})}, [=](Inputs in) { return planes_of_spectra(complex_of(in[0])); });
  r.both("stft_512", {x({16, 16000})}, [](Inputs in) { return spectrogram(in[0], 512); });
}

inline void add_tail(Rows& r) {
  add_special_functions(r);
  add_statistics(r);
  add_scattered(r);
  add_tail_products(r);
  add_tail_images(r);
  add_tail_losses(r);
  add_complex(r);
}

}  // namespace rows
