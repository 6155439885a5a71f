#include <minima/ops/product/distance.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

void check_pair(const char* op, const Tensor& a, const Tensor& b) {
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  if (!is_floating(a.dtype()) || !is_floating(b.dtype()))
    throw DTypeError(str(op, ": needs floating tensors, got ", a, " and ", b, "; convert them with to()"));
}

Tensor in_float32(const Tensor& x) { return detail::autocast(Cast::to_float32, x); }

using detail::in_full;

struct RootOfSquare : Unary<RootOfSquare, pointwise::functor::RootOfSquare, full_floating> {
  static constexpr Traits traits{.name = "cdist"};
  Tensor gradient(Grad g, Output y) const { return where(y == 0, detail::zero_of(g), g / (y * 2)); }
};

}  // namespace

Tensor dist(const Tensor& a, const Tensor& b, double p) {
  check_pair("dist", a, b);
  broadcast(a.shape(), b.shape(), "dist");
  return norm(in_float32(a) - in_float32(b), p);
}

Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p, double eps, bool keep_dim) {
  detail::check_number("pairwise_distance", "p", p, detail::any_number);
  detail::check_number("pairwise_distance", "eps", eps, detail::finite);
  check_pair("pairwise_distance", a, b);
  if (broadcast(a.shape(), b.shape(), "pairwise_distance").rank() == 0)
    throw ShapeError(str("pairwise_distance: needs vectors along the last dimension, got ", a, " and ", b));
  const detail::WithoutAutocast guard;
  return norm(a - b + eps, p, {-1}, keep_dim);
}

Tensor cdist(const Tensor& a, const Tensor& b, double p) {
  constexpr const char* op = "cdist";
  check_pair(op, a, b);
  const int rank = a.rank();
  if (rank < 2 || b.rank() < 2 || a.shape()[rank - 1] != b.shape()[b.rank() - 1])
    throw ShapeError(str(op, ": needs a [..., P, D] and b [..., R, D], got ", a, " and ", b));
  if (!(p >= 0)) throw ValueError(str(op, ": p must not be negative, got ", p));
  const Tensor left = in_float32(a), right = in_float32(b);
  const detail::WithoutAutocast guard;
  constexpr std::int64_t few = 25;
  if (p != 2 || std::max(a.shape()[rank - 2], b.shape()[b.rank() - 2]) <= few || left.dtype() != right.dtype())
    return norm(unsqueeze(left, -2) - unsqueeze(right, -3), p, {-1});
  // |a - b|² = (-2a, |a|², 1) · (b, 1, |b|²)
  const Tensor left_squares = sum(square(left), {-1}, true), right_squares = sum(square(right), {-1}, true);
  const Tensor rows = cat({left * -2, left_squares, ones_like(left_squares)}, -1);
  const Tensor columns = cat({right, ones_like(right_squares), right_squares}, -1);
  return apply(RootOfSquare{}, matmul(rows, transpose(columns, -1, -2)));
}

Tensor pdist(const Tensor& x, double p) {
  constexpr const char* op = "pdist";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() != 2) throw ShapeError(str(op, ": needs x [P, D], got ", x));
  if (!(p >= 0)) throw ValueError(str(op, ": p must not be negative, got ", p));
  const Tensor rows = in_float32(x), pairs = triu_indices(x.shape()[0], x.shape()[0], 1, {.device = x.device()});
  const detail::WithoutAutocast guard;
  return norm(index_select(rows, 0, pairs[0]) - index_select(rows, 0, pairs[1]), p, {-1});
}

Tensor cosine_similarity(const Tensor& a, const Tensor& b, std::int64_t dim, double eps) {
  constexpr const char* op = "cosine_similarity";
  check_pair(op, a, b);
  detail::check_number(op, "eps", eps, detail::not_negative);
  const Shape shape = broadcast(a.shape(), b.shape(), op);
  const int along = wrap_dim(dim, shape.rank(), op);
  const Tensor first = in_float32(a), second = in_float32(b);
  const detail::WithoutAutocast guard;
  return detail::in_common(
      [&](const Tensor& left, const Tensor& right) {
        const Tensor x = expand(left, shape), y = expand(right, shape);
        const auto length = [&](const Tensor& v) { return clamp_min(norm(v, 2, {along}), eps); };
        return sum(x * y, {along}) / (length(x) * length(y));
      },
      first, second);
}

Tensor normalize(const Tensor& x, double p, std::int64_t dim, double eps) {
  detail::check_defined("normalize", x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str("normalize: needs a floating tensor, got ", x, "; convert it with to()"));
  detail::check_number("normalize", "p", p, detail::any_number);
  detail::check_number("normalize", "eps", eps, detail::not_negative);
  const int along = wrap_dim(dim, x.rank(), "normalize");
  const detail::WithoutAutocast guard;
  const Tensor wide = in_full(x);
  return cast(wide / clamp_min(norm(wide, p, {along}, true), eps), x.dtype());
}

}  // namespace minima
