#include <minima/ops/loss/triplet_distance.h>

#include <minima/ops/core/op_support.h>
#include <minima/ops/distance/distance.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima {

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
