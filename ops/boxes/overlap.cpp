#include <minima/ops/boxes/overlap.h>

#include <minima/autograd/mode.h>
#include <minima/ops/boxes/corners.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <numbers>

namespace minima {

namespace {

void check_pair(const char* op, const Tensor& a, const Tensor& b, int rank) {
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  detail::check_boxes(op, a, rank);
  detail::check_boxes(op, b, rank);
  if (a.dtype() != b.dtype())
    throw DTypeError(str(op, ": needs boxes of one dtype, got ", a, " and ", b, "; convert one with to()"));
}

/// Boxes a and b that broadcast, and what the formulas make of them.
struct Overlap {
  Tensor a, b, common, united;

  Overlap(const Tensor& a, const Tensor& b) : a(detail::in_full(a)), b(detail::in_full(b)) {
    using namespace detail;
    common = area_of(clamp_min(
        minimum(high_corner(this->a), high_corner(this->b)) - maximum(low_corner(this->a), low_corner(this->b)), 0));
    united = area_of(sides(this->a)) + area_of(sides(this->b)) - common;
  }
  /// All pairs of a's and b's rows.
  static Overlap of_pairs(const Tensor& a, const Tensor& b) { return {unsqueeze(a, 1), unsqueeze(b, 0)}; }

  Tensor iou(double eps) const { return common / (united + eps); }
  /// Width and height of the smallest box around both.
  Tensor hull() const {
    using namespace detail;
    return maximum(high_corner(a), high_corner(b)) - minimum(low_corner(a), low_corner(b));
  }
  Tensor generalized(double eps) const {
    const Tensor around = area_of(hull());
    return iou(eps) - (around - united) / (around + eps);
  }
  Tensor distance(double eps_iou, double eps) const {
    using namespace detail;
    const Tensor shift = (low_corner(a) + high_corner(a) - low_corner(b) - high_corner(b)) * 0.5;
    return iou(eps_iou) - sum(square(shift), {-1}) / (sum(square(hull()), {-1}) + eps);
  }
  Tensor complete(double eps_iou, double eps) const {
    const auto angle = [](const Tensor& boxes) {
      const Tensor size = detail::sides(boxes);
      return atan(select(size, -1, 0) / select(size, -1, 1));
    };
    const Tensor v = square(angle(a) - angle(b)) * (4 / (std::numbers::pi * std::numbers::pi));
    const Tensor constant = v.detach();
    const Tensor alpha = constant / (1 - iou(eps_iou).detach() + constant + eps);
    return distance(eps_iou, eps) - alpha * v;
  }

 private:
  static Tensor area_of(const Tensor& sides) { return detail::area_of(sides); }
};

template <class F>
Tensor pairs(const char* op, const Tensor& a, const Tensor& b, F f) {
  check_pair(op, a, b, 2);
  const detail::WithoutAutocast guard;
  return cast(f(Overlap::of_pairs(a, b)), a.dtype());
}

template <class F>
Tensor loss(const char* op, const Tensor& a, const Tensor& b, const BoxLossOptions& options, F f) {
  check_pair(op, a, b, 0);
  if (a.shape() != b.shape())
    throw ShapeError(str(op, ": needs a box for each box, got ", a, " and ", b, "; expand() one to broadcast it"));
  detail::check_number(op, "eps", options.eps, detail::not_negative);
  const detail::WithoutAutocast guard;
  return cast(detail::reduced(1 - f(Overlap(a, b)), options.reduction), a.dtype());
}

}  // namespace

Tensor box_iou(const Tensor& a, const Tensor& b) {
  return pairs("box_iou", a, b, [](const Overlap& o) { return o.iou(0); });
}

Tensor generalized_box_iou(const Tensor& a, const Tensor& b) {
  return pairs("generalized_box_iou", a, b, [](const Overlap& o) { return o.generalized(0); });
}

Tensor distance_box_iou(const Tensor& a, const Tensor& b, double eps) {
  detail::check_number("distance_box_iou", "eps", eps, detail::not_negative);
  return pairs("distance_box_iou", a, b, [=](const Overlap& o) { return o.distance(0, eps); });
}

Tensor complete_box_iou(const Tensor& a, const Tensor& b, double eps) {
  detail::check_number("complete_box_iou", "eps", eps, detail::not_negative);
  return pairs("complete_box_iou", a, b, [=](const Overlap& o) { return o.complete(0, eps); });
}

Tensor generalized_box_iou_loss(const Tensor& a, const Tensor& b, const BoxLossOptions& options) {
  const auto f = [&](const Overlap& o) { return o.generalized(options.eps); };
  return loss("generalized_box_iou_loss", a, b, options, f);
}

Tensor distance_box_iou_loss(const Tensor& a, const Tensor& b, const BoxLossOptions& options) {
  const auto f = [&](const Overlap& o) { return o.distance(options.eps, options.eps); };
  return loss("distance_box_iou_loss", a, b, options, f);
}

Tensor complete_box_iou_loss(const Tensor& a, const Tensor& b, const BoxLossOptions& options) {
  const auto f = [&](const Overlap& o) { return o.complete(options.eps, options.eps); };
  return loss("complete_box_iou_loss", a, b, options, f);
}

}  // namespace minima
