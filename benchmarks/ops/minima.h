#pragma once

#include <minima/minima.h>
#include <minima/ops/linalg/linalg.h>
#include <minima/ops/special/bessel.h>

// The names of rows.h for minima.

namespace rows {

using namespace minima;  // NOLINT: rows.h uses unqualified names from either library

inline Tensor normal(const Shape& shape) { return randn(shape); }
inline Tensor positive(const Shape& shape) { return rand(shape) + 0.1; }
inline Tensor positive_definite(const Shape& shape) {
  const Tensor x = randn(shape);
  return matmul(x, transpose(x, -1, -2)) / static_cast<double>(x.size(-1)) + eye(x.size(-1));
}
inline Tensor random_indices(const Shape& shape, std::int64_t count) { return randint(0, count, shape); }
inline Tensor normal_like(const Tensor& x) { return randn(x.shape()).to(x.dtype()); }
inline Tensor require_grad(Tensor x) { return x.requires_grad(true); }
inline Tensor gradients(const Tensor& y, const std::vector<Tensor>& inputs, const Tensor& g) {
  return grad({y}, inputs, {g})[0];
}

inline Tensor cholesky_factor(const Tensor& x) { return linalg::cholesky(x); }
inline Tensor solved(const Tensor& a, const Tensor& b) { return linalg::solve(a, b); }
inline Tensor solved_triangular(const Tensor& a, const Tensor& b) { return linalg::solve_triangular(a, b, {}); }
inline Tensor inverse_of(const Tensor& x) { return linalg::inv(x); }
inline Tensor log_determinant(const Tensor& x) { return linalg::slogdet(x).logarithm; }
inline Tensor orthonormal(const Tensor& x) { return linalg::qr(x).q; }
inline Tensor eigenvectors(const Tensor& x) { return linalg::eigh(x).vectors; }
inline Tensor singular_vectors(const Tensor& x) { return linalg::svd(x).u; }
inline Tensor singular_values(const Tensor& x) { return linalg::svdvals(x); }
inline Tensor exponential_of(const Tensor& x) { return linalg::matrix_exp(x); }
inline Tensor add_into(const Tensor& x, const Tensor& y) {
  add_(x, y);
  return x;
}
inline Tensor to_bfloat16(const Tensor& x) { return x.to(bfloat16); }
inline Tensor variance(const Tensor& x, std::int64_t dim) { return var(x, {dim}); }
inline Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v, {.causal = true});
}
inline Tensor conv(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t stride, std::int64_t padding,
                   std::int64_t groups = 1) {
  return conv2d(x, w, b, {.stride = stride, .padding = padding, .groups = groups});
}
inline Tensor conv_transpose(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t stride,
                             std::int64_t padding) {
  return conv_transpose2d(x, w, b, {.stride = stride, .padding = padding});
}
inline Tensor conv_of_sequences(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t padding) {
  return conv1d(x, w, b, {.padding = padding});
}
inline Tensor upsample_nearest(const Tensor& x, std::int64_t size) { return interpolate(x, {.size = {size, size}}); }
inline Tensor upsample_bilinear(const Tensor& x, std::int64_t size) {
  return interpolate(x, {.size = {size, size}, .mode = InterpolateMode::linear});
}
inline Tensor sorted(const Tensor& x) { return sort(x, 1).values; }
inline Tensor largest(const Tensor& x, std::int64_t count) { return topk(x, count, 1).values; }
inline Tensor conv_of_volumes(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t padding) {
  return conv3d(x, w, b, {.padding = padding});
}
inline Tensor max_pool_of_volumes(const Tensor& x, std::int64_t kernel) { return max_pool3d(x, kernel); }
inline Tensor avg_pool_of_volumes(const Tensor& x, std::int64_t kernel) { return avg_pool3d(x, kernel); }
inline Tensor patches(const Tensor& x, std::int64_t kernel, std::int64_t padding) {
  return unfold(x, {.kernel = kernel, .padding = padding});
}
inline Tensor sampled(const Tensor& x, const Tensor& grid) { return grid_sample(x, grid); }
inline Tensor max_pool(const Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return max_pool2d(x, {.kernel = kernel, .stride = stride, .padding = padding});
}
inline Tensor avg_pool(const Tensor& x, std::int64_t kernel, std::int64_t stride) {
  return avg_pool2d(x, {.kernel = kernel, .stride = stride});
}
inline Tensor train_batch_norm(const Tensor& x, const Tensor& w, const Tensor& b) {
  return batch_norm(x, w, b, {}, {}, {.training = true});
}
inline Tensor look_up(const Tensor& table, const Tensor& index) { return embedding(table, index); }

}  // namespace rows
