#pragma once

#include <torch/torch.h>

// The names of ../ops/rows.h for LibTorch.

namespace rows {

using namespace at;  // NOLINT: rows.h uses unqualified names from either library
using at::Tensor;
using Shape = std::vector<std::int64_t>;

inline Tensor normal(const Shape& shape) { return torch::randn(shape); }
inline Tensor positive(const Shape& shape) { return torch::rand(shape) + 0.1; }
inline Tensor positive_definite(const Shape& shape) {
  const Tensor x = torch::randn(shape);
  return torch::matmul(x, x.mT()) / static_cast<double>(x.size(-1)) + torch::eye(x.size(-1));
}
inline Tensor random_indices(const Shape& shape, std::int64_t count) {
  return torch::randint(0, count, shape, torch::dtype(torch::kInt64));
}
inline Tensor normal_like(const Tensor& x) { return torch::randn(x.sizes(), x.options()); }
inline Tensor require_grad(Tensor x) { return x.requires_grad_(true); }
inline Tensor gradients(const Tensor& y, const std::vector<Tensor>& inputs, const Tensor& g) {
  return torch::autograd::grad({y}, inputs, {g})[0];
}

inline Tensor cholesky_factor(const Tensor& x) { return linalg_cholesky(x); }
inline Tensor solved(const Tensor& a, const Tensor& b) { return linalg_solve(a, b); }
inline Tensor solved_triangular(const Tensor& a, const Tensor& b) { return linalg_solve_triangular(a, b, false); }
inline Tensor inverse_of(const Tensor& x) { return linalg_inv(x); }
inline Tensor log_determinant(const Tensor& x) { return std::get<1>(linalg_slogdet(x)); }
inline Tensor orthonormal(const Tensor& x) { return std::get<0>(linalg_qr(x)); }
inline Tensor eigenvectors(const Tensor& x) { return std::get<1>(linalg_eigh(x)); }
inline Tensor singular_vectors(const Tensor& x) { return std::get<0>(linalg_svd(x, false)); }
inline Tensor singular_values(const Tensor& x) { return linalg_svdvals(x); }
inline Tensor exponential_of(const Tensor& x) { return linalg_matrix_exp(x); }
inline Tensor add_into(Tensor x, const Tensor& y) { return x.add_(y); }
inline Tensor to_bfloat16(const Tensor& x) { return x.to(torch::kBFloat16); }
inline Tensor variance(const Tensor& x, std::int64_t dim) { return x.var(IntArrayRef{dim}); }
inline Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v, {}, 0, true);
}
inline Tensor conv(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t stride, std::int64_t padding,
                   std::int64_t groups = 1) {
  return conv2d(x, w, b, stride, padding, 1, groups);
}
inline Tensor conv_transpose(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t stride,
                             std::int64_t padding) {
  return conv_transpose2d(x, w, b, stride, padding);
}
inline Tensor conv_of_sequences(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t padding) {
  return conv1d(x, w, b, 1, padding);
}
inline Tensor upsample_nearest(const Tensor& x, std::int64_t size) { return upsample_nearest2d(x, {size, size}); }
inline Tensor upsample_bilinear(const Tensor& x, std::int64_t size) {
  return upsample_bilinear2d(x, {size, size}, false);
}
inline Tensor sorted(const Tensor& x) { return std::get<0>(x.sort(true, 1)); }
inline Tensor largest(const Tensor& x, std::int64_t count) { return std::get<0>(x.topk(count, 1)); }
inline Tensor conv_of_volumes(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t padding) {
  return conv3d(x, w, b, 1, padding);
}
inline Tensor max_pool_of_volumes(const Tensor& x, std::int64_t kernel) { return max_pool3d(x, kernel); }
inline Tensor avg_pool_of_volumes(const Tensor& x, std::int64_t kernel) { return avg_pool3d(x, kernel); }
inline Tensor patches(const Tensor& x, std::int64_t kernel, std::int64_t padding) {
  return im2col(x, {kernel, kernel}, {1, 1}, {padding, padding}, {1, 1});
}
inline Tensor sampled(const Tensor& x, const Tensor& grid) { return grid_sampler(x, grid, 0, 0, false); }
inline Tensor max_pool(const Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return max_pool2d(x, kernel, stride, padding);
}
inline Tensor avg_pool(const Tensor& x, std::int64_t kernel, std::int64_t stride) {
  return avg_pool2d(x, kernel, stride);
}
inline Tensor train_batch_norm(const Tensor& x, const Tensor& w, const Tensor& b) {
  return batch_norm(x, w, b, {}, {}, true, 0.1, 1e-5, false);
}
inline Tensor look_up(const Tensor& table, const Tensor& index) { return embedding(table, index); }

inline Tensor contiguous(const Tensor& x) { return x.contiguous(); }
inline Tensor channels_last(const Tensor& x) { return x.contiguous(MemoryFormat::ChannelsLast); }
inline Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) { return at::masked_fill(x, mask, value); }
inline Tensor cross_entropy(const Tensor& x, const Tensor& target) { return cross_entropy_loss(x, target); }

}  // namespace rows
