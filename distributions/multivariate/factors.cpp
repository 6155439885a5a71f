#include <minima/distributions/multivariate/factors.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/linalg/unchecked.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <limits>

namespace minima::distributions::detail {

namespace {

/// x in a dtype that linear algebra takes.
Tensor in_full(const Tensor& x) { return is_half(x.dtype()) ? x.to(float32) : x; }

/// shape without its last `count` sizes.
Shape without_last(Shape shape, int count) {
  shape.resize(shape.rank() - count);
  return shape;
}

}  // namespace

Tensor cholesky_factor(const Tensor& a) {
  const Tensor given = in_full(a);
  const auto [factor, info] = linalg::cholesky_ex(0.5 * (given + transpose(given, -2, -1)));
  const Tensor is_definite = unsqueeze(unsqueeze(info == 0, -1), -1);
  return where(is_definite, factor, std::numeric_limits<double>::quiet_NaN()).to(a.dtype());
}

Tensor solve_lower(const Tensor& lower, const Tensor& b) {
  return linalg::solve_triangular(in_full(lower), in_full(b), {}).to(b.dtype());
}

Tensor squared_distance(const Tensor& lower, const Tensor& x) {
  const Shape batch = without_last(lower.shape(), 2);
  const Shape all = broadcast(without_last(x.shape(), 1), batch, "squared_distance");
  const auto is_shared = [&](int d) {
    const int own = d - all.rank() + batch.rank();
    return own < 0 || batch[own] == 1;
  };
  // A system for each of `matrices`, with `columns` of vectors.
  Shape order, matrices, columns;
  for (int d = 0; d < all.rank(); ++d)
    if (!is_shared(d)) order.push_back(d), matrices.push_back(all[d]);
  order.push_back(all.rank());
  for (int d = 0; d < all.rank(); ++d)
    if (is_shared(d)) order.push_back(d), columns.push_back(all[d]);
  const std::int64_t size = x.size(-1);
  const Tensor vectors = permute(expand(x, joined(all, {size})), order);
  const Tensor y = solve_lower(reshape(lower, joined(matrices, {size, size})),
                               reshape(vectors, joined(matrices, {size, numel(columns)})));
  Shape places = all;
  int next = 0;
  for (const std::int64_t d : order)
    if (d < all.rank()) places[static_cast<int>(d)] = next++;
  return permute(reshape(sum(square(y), -2), joined(matrices, columns)), places);
}

}  // namespace minima::distributions::detail
