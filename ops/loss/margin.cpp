#include <minima/ops/loss/margin.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/loss/triplet_distance.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/distance.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>

namespace minima {

namespace {

using detail::reduced;

/// x in float32 in an autocast region. Throws unless it is floating.
Tensor scores(const char* op, const Tensor& x, int argument = 0) {
  detail::check_defined(op, x, argument);
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": x must be floating, got ", x, "; convert it with to()"));
  return detail::autocast(Cast::to_float32, x);
}

using detail::in_full;

/// A weight per class, checked and in x's dtype; undefined if it is not given.
Tensor class_weight(const char* op, const Tensor& weight, const Tensor& x) {
  if (!weight.defined()) return weight;
  if (x.rank() == 0 || weight.shape() != Shape{x.shape().back()})
    throw ShapeError(str(op, ": weight must have one element for each class of x ", x, ", got ", weight));
  return cast(weight, x.dtype());
}

/// The classes [N] or [] of scores [N, C] or [C].
void check_classes(const char* op, const Tensor& x, const Tensor& target) {
  detail::check_defined(op, target, 1);
  if (target.dtype() != DType::int64)
    throw DTypeError(str(op, ": target must be int64, got ", target, "; convert it with to()"));
  Shape expected = x.shape();
  if (x.rank() > 0) expected.erase(x.rank() - 1);
  if (x.rank() < 1 || x.rank() > 2 || target.shape() != expected)
    throw ShapeError(str(op, ": needs scores [N, C] and classes [N], or [C] and [], got ", x, " and ", target));
  if (!detail::on_cuda(target)) detail::check_indices(op, target, x.rank() - 1, x.shape().back());
}

}  // namespace

Tensor margin_ranking_loss(const Tensor& x1, const Tensor& x2, const Tensor& target, double margin,
                           Reduction reduction) {
  constexpr const char* op = "margin_ranking_loss";
  const Tensor first = scores(op, x1), second = scores(op, x2, 1);
  detail::check_defined(op, target, 2);
  broadcast(target.shape(), broadcast(x1.shape(), x2.shape(), op), op);
  detail::check_number(op, "margin", margin, detail::finite);
  const detail::WithoutAutocast guard;
  return detail::in_common(
      [&](const Tensor& a, const Tensor& b, const Tensor& t) { return reduced(relu(margin - t * (a - b)), reduction); },
      first, second, target);
}

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin, Reduction reduction) {
  constexpr const char* op = "hinge_embedding_loss";
  const Tensor distance = scores(op, x);
  detail::check_defined(op, target, 1);
  broadcast(x.shape(), target.shape(), op);
  detail::check_number(op, "margin", margin, detail::finite);
  const detail::WithoutAutocast guard;
  const Tensor zero = zeros({}, {.dtype = distance.dtype(), .device = x.device()});
  return reduced(where(target == 1, zero, relu(margin - distance)) + where(target == -1, zero, distance), reduction);
}

Tensor soft_margin_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  constexpr const char* op = "soft_margin_loss";
  const Tensor given = scores(op, x), y = in_full(given);
  detail::check_defined(op, target, 1);
  detail::expect_same_shape(op, x, target);
  const detail::WithoutAutocast guard;
  return cast(reduced(-log_sigmoid(cast(target, y.dtype()) * y), reduction), given.dtype());
}

Tensor multi_margin_loss(const Tensor& x, const Tensor& target, const MultiMarginOptions& options) {
  constexpr const char* op = "multi_margin_loss";
  const Tensor given = scores(op, x), y = in_full(given);
  check_classes(op, x, target);
  if (options.p != 1 && options.p != 2) throw ValueError(str(op, ": p must be 1 or 2, got ", options.p));
  detail::check_number(op, "margin", options.margin, detail::finite);
  const Tensor weight = class_weight(op, options.weight, y);
  const detail::WithoutAutocast guard;
  const std::int64_t classes = x.shape().back();
  const Tensor at = unsqueeze(target, -1);
  const Tensor gap = relu(options.margin - gather(y, -1, at) + y);
  Tensor losses = options.p == 1 ? gap : square(gap);
  if (weight.defined()) losses = losses * unsqueeze(reshape(gather(weight, 0, flatten(target)), target.shape()), -1);
  const Tensor is_target = at == arange(0, classes, 1, {.dtype = DType::int64, .device = x.device()});
  const Tensor means = sum(where(is_target, 0, losses), {-1}) / static_cast<double>(classes);
  return cast(reduced(means, options.reduction), given.dtype());
}

Tensor multilabel_margin_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  constexpr const char* op = "multilabel_margin_loss";
  const Tensor given = scores(op, x), y = in_full(given);
  detail::check_defined(op, target, 1);
  if (target.dtype() != DType::int64)
    throw DTypeError(str(op, ": target must be int64, got ", target, "; convert it with to()"));
  detail::expect_same_shape(op, x, target);
  if (x.rank() < 1 || x.rank() > 2 || x.shape().back() == 0)
    throw ShapeError(str(op, ": x must be [N, C] or [C] with at least one class, got ", x));
  const detail::WithoutAutocast guard;
  const std::int64_t classes = x.shape().back();
  const Tensor listed = cumsum(target < 0, -1) == 0, places = where(listed, target, 0);
  if (!detail::on_cuda(target)) detail::check_indices(op, places, x.rank() - 1, classes);
  const Tensor nothing = zeros(x.shape(), {.dtype = DType::int64, .device = x.device()});
  const Tensor is_target = scatter_add(nothing, -1, places, listed.to(DType::int64)) > 0;
  // [..., listed target, class]
  const Tensor gap = relu(1 - unsqueeze(gather(y, -1, places), -1) + unsqueeze(y, -2));
  const Tensor counts = logical_and(unsqueeze(listed, -1), logical_not(unsqueeze(is_target, -2)));
  const Tensor means = sum(where(counts, gap, 0), {-2, -1}) / static_cast<double>(classes);
  return cast(reduced(means, reduction), given.dtype());
}

Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& target, const MultilabelOptions& options) {
  constexpr const char* op = "multilabel_soft_margin_loss";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": x must be floating, got ", x, "; convert it with to()"));
  detail::check_defined(op, target, 1);
  detail::expect_same_shape(op, x, target);
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have a dimension of classes, got ", x));
  if (options.weight.defined() && broadcast(x.shape(), options.weight.shape(), op) != x.shape())
    throw ShapeError(str(op, ": weight must broadcast to the shape of x ", x, ", got ", options.weight));
  const detail::WithoutAutocast guard;
  const auto loss = [&](const Tensor& y, const Tensor& t) { return -(t * log_sigmoid(y) + (1 - t) * log_sigmoid(-y)); };
  const auto weighted = [&](const Tensor& y, const Tensor& t, const Tensor& weight) {
    return reduced(mean(loss(y, t) * weight, {-1}), options.reduction);
  };
  if (options.weight.defined()) return detail::in_common(weighted, x, target, options.weight);
  return detail::in_common(
      [&](const Tensor& y, const Tensor& t) { return reduced(mean(loss(y, t), {-1}), options.reduction); }, x, target);
}

Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& target, double margin,
                             Reduction reduction) {
  constexpr const char* op = "cosine_embedding_loss";
  const Tensor first = scores(op, a), second = scores(op, b, 1);
  detail::check_defined(op, target, 2);
  detail::check_number(op, "margin", margin, detail::finite);
  Shape expected = a.shape();
  if (a.rank() > 0) expected.erase(a.rank() - 1);
  if (a.shape() != b.shape() || a.rank() < 1 || a.rank() > 2 || target.shape() != expected)
    throw ShapeError(
        str(op, ": needs a and b [N, D] with target [N], or [D] with [], got ", a, ", ", b, " and ", target));
  const detail::WithoutAutocast guard;
  return detail::in_common(
      [&](const Tensor& x, const Tensor& y) {
        constexpr double eps = 1e-12;  // PyTorch's, which is added to the squares of the lengths
        const Tensor squares = (sum(x * x, {-1}) + eps) * (sum(y * y, {-1}) + eps);
        const Tensor cosine = sum(x * y, {-1}) / sqrt(squares);
        const Tensor zero = zeros({}, {.dtype = x.dtype(), .device = x.device()});
        const Tensor losses = where(target == 1, 1 - cosine, zero) + where(target == -1, relu(cosine - margin), zero);
        return reduced(losses, reduction);
      },
      first, second);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletOptions& options) {
  constexpr const char* op = "triplet_margin_loss";
  const Tensor a = scores(op, anchor), p = scores(op, positive, 1), n = scores(op, negative, 2);
  if (broadcast(a.shape(), broadcast(p.shape(), n.shape(), op), op).rank() == 0)
    throw ShapeError(str(op, ": needs vectors along the last dimension, got ", anchor));
  detail::check_number(op, "the margin", options.margin, detail::positive);
  detail::check_number(op, "p", options.p, detail::any_number);
  detail::check_number(op, "eps", options.eps, detail::finite);
  const detail::WithoutAutocast guard;
  const auto distance = [&](const Tensor& x, const Tensor& y) {
    return pairwise_distance(x, y, options.p, options.eps);
  };
  return detail::in_common(
      [&](const Tensor& origin, const Tensor& near, const Tensor& far) {
        const Tensor to_far = distance(origin, far);
        const Tensor apart = options.swap ? minimum(to_far, distance(near, far)) : to_far;
        return reduced(relu(distance(origin, near) - apart + options.margin), options.reduction);
      },
      a, p, n);
}

Tensor info_nce_loss(const Tensor& query, const Tensor& key, double temperature, Reduction reduction) {
  constexpr const char* op = "info_nce_loss";
  const Tensor q = scores(op, query), k = scores(op, key, 1);
  if (query.rank() != 2 || query.shape() != key.shape())
    throw ShapeError(str(op, ": needs queries and keys [N, D], got ", query, " and ", key));
  detail::check_number(op, "the temperature", temperature, detail::positive);
  const detail::WithoutAutocast guard;
  const Tensor logits = matmul(normalize(in_full(q)), t(normalize(in_full(k)))) / temperature;
  const Tensor own = arange(0, query.shape()[0], 1, {.dtype = DType::int64, .device = query.device()});
  return cast(cross_entropy(logits, own, {.reduction = reduction}), promote(q.dtype(), k.dtype()));
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const TripletDistanceOptions& options) {
  constexpr const char* op = "triplet_margin_with_distance_loss";
  detail::check_defined(op, anchor);
  detail::check_defined(op, positive, 1);
  detail::check_defined(op, negative, 2);
  detail::check_number(op, "the margin", options.margin, detail::positive);
  const auto distance = [&](const Tensor& x, const Tensor& y) {
    return options.distance ? options.distance(x, y) : pairwise_distance(x, y);
  };
  const Tensor to_positive = distance(anchor, positive), to_negative = distance(anchor, negative);
  const Tensor apart = options.swap ? minimum(to_negative, distance(positive, negative)) : to_negative;
  return detail::reduced(relu(to_positive - apart + options.margin), options.reduction);
}

}  // namespace minima
