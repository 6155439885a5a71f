#include <minima/ops/image/boxes.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/pair.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/nonzero.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loss/reduced.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/flip.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <utility>

namespace minima::detail {

/// Throws unless boxes are floating [..., 4] or, for a `rank`, of that rank.
void check_boxes(const char* op, const Tensor& boxes, int rank = 0);

/// x1 and y1 [..., 2].
inline Tensor low_corner(const Tensor& boxes) { return narrow(boxes, -1, 0, 2); }
/// x2 and y2 [..., 2].
inline Tensor high_corner(const Tensor& boxes) { return narrow(boxes, -1, 2, 2); }
/// Width and height [..., 2].
inline Tensor sides(const Tensor& boxes) { return high_corner(boxes) - low_corner(boxes); }
/// The product of both numbers of [..., 2].
inline Tensor area_of(const Tensor& sides) { return select(sides, -1, 0) * select(sides, -1, 1); }

}  // namespace minima::detail

namespace minima {

namespace {

template <class T>
struct Box {
  T x1, y1, x2, y2;
  T area() const { return (x2 - x1) * (y2 - y1); }
};

template <class T>
T intersection(const Box<T>& a, const Box<T>& b) {
  const T width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1), height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  return std::max(width, T(0)) * std::max(height, T(0));
}

/// Whether each of the boxes [N, 4], which are sorted by score, is kept: bool [N]. Only boxes of one class, int64 [N],
/// suppress each other. On the CPU only.
struct Suppress {
  static constexpr Traits traits{.name = "nms"};
  double threshold;
  TensorSpec result(const Tensor& boxes, const Tensor&) const {
    return spec_of({boxes.size(0)}, DType::boolean, boxes.device());
  }
  Cost cost(const Tensor& boxes, const Tensor&) const {
    const auto n = static_cast<double>(boxes.size(0));
    return {.flops = 7 * n * n, .bytes = n * (4 * static_cast<double>(size_of(boxes.dtype())) + 9)};
  }
  void cpu(const Tensor& boxes, const Tensor& classes, Tensor& keep) const {
    const Tensor rows = contiguous(boxes), kinds = contiguous(classes);
    dispatch<full_floating>(boxes.dtype(), traits.name, [&]<class T> {
      const auto* box = reinterpret_cast<const Box<T>*>(rows.data<T>());
      const auto* kind = kinds.data<std::int64_t>();
      bool* kept = keep.data<bool>();
      const std::int64_t count = boxes.size(0);
      std::fill_n(kept, count, true);
      for (std::int64_t i = 0; i < count; ++i) {
        if (!kept[i]) continue;
        const T area = box[i].area();
        for (std::int64_t j = i + 1; j < count; ++j) {
          if (kind[i] != kind[j]) continue;
          const T common = intersection(box[i], box[j]);
          if (static_cast<double>(common / (area + box[j].area() - common)) > threshold) kept[j] = false;
        }
      }
    });
  }
};

void check_scores(const char* op, const Tensor& boxes, const Tensor& scores) {
  detail::check_defined(op, boxes);
  detail::check_defined(op, scores, 1);
  detail::check_boxes(op, boxes, 2);
  if (!is_floating(scores.dtype()))
    throw DTypeError(str(op, ": needs floating scores, got ", scores, "; convert them with to()"));
  if (scores.rank() != 1 || scores.size(0) != boxes.size(0))
    throw ShapeError(str(op, ": needs a score for each box, got scores ", scores, " for boxes ", boxes));
}

Tensor kept(const Tensor& boxes, const Tensor& scores, const Tensor& classes, double iou_threshold) {
  const NoGrad guard;
  const Tensor order = argsort(scores, 0, true);
  const Tensor sorted = detail::in_full(index_select(boxes, 0, order)).to(Device());
  const Tensor keep = apply(Suppress{iou_threshold}, sorted, index_select(classes, 0, order).to(Device()));
  return index_select(order, 0, select(nonzero(keep), 1, 0).to(boxes.device()));
}

}  // namespace

void detail::check_boxes(const char* op, const Tensor& boxes, int rank) {
  if (!is_floating(boxes.dtype()))
    throw DTypeError(str(op, ": needs floating boxes, got ", boxes, "; convert them with to()"));
  if (rank != 0 && (boxes.rank() != rank || boxes.size(-1) != 4))
    throw ShapeError(str(op, ": boxes must be [N, 4], got ", boxes));
  if (boxes.rank() == 0 || boxes.size(-1) != 4) throw ShapeError(str(op, ": boxes must be [..., 4], got ", boxes));
}

Tensor nms(const Tensor& boxes, const Tensor& scores, double iou_threshold) {
  check_scores("nms", boxes, scores);
  detail::check_number("nms", "iou_threshold", iou_threshold, detail::any_number);
  return kept(boxes, scores, zeros({boxes.size(0)}, {.dtype = DType::int64, .device = boxes.device()}), iou_threshold);
}

Tensor batched_nms(const Tensor& boxes, const Tensor& scores, const Tensor& classes, double iou_threshold) {
  constexpr const char* op = "batched_nms";
  check_scores(op, boxes, scores);
  detail::check_number(op, "iou_threshold", iou_threshold, detail::any_number);
  detail::check_defined(op, classes, 2);
  if (classes.dtype() != DType::int64)
    throw DTypeError(str(op, ": classes must be int64, got ", classes, "; convert them with to()"));
  if (classes.shape() != scores.shape())
    throw ShapeError(str(op, ": needs a class for each box, got classes ", classes, " for boxes ", boxes));
  return kept(boxes, scores, classes, iou_threshold);
}

Tensor box_area(const Tensor& boxes) {
  detail::check_defined("box_area", boxes);
  detail::check_boxes("box_area", boxes);
  const detail::WithoutAutocast guard;
  return cast(detail::area_of(detail::sides(detail::in_full(boxes))), boxes.dtype());
}

Tensor box_convert(const Tensor& boxes, BoxFormat from, BoxFormat to) {
  detail::check_defined("box_convert", boxes);
  detail::check_boxes("box_convert", boxes);
  const detail::WithoutAutocast guard;
  const Tensor given = detail::in_full(boxes);
  Tensor first = detail::low_corner(given), second = detail::high_corner(given);  // as `from` means them
  if (from == to) return boxes;
  if (from == BoxFormat::cxcywh) first = first - second * 0.5;
  if (from != BoxFormat::xyxy) second = first + second;
  if (to != BoxFormat::xyxy) second = second - first;
  if (to == BoxFormat::cxcywh) first = first + second * 0.5;
  return cast(cat({first, second}, -1), boxes.dtype());
}

Tensor clip_boxes_to_image(const Tensor& boxes, Pair size) {
  constexpr const char* op = "clip_boxes_to_image";
  detail::check_defined(op, boxes);
  detail::check_boxes(op, boxes);
  if (size.height < 0 || size.width < 0)
    throw ValueError(str(op, ": size must not be negative, got ", size.height, " and ", size.width));
  const auto edge = [&](std::int64_t i, std::int64_t most) {
    return clamp(narrow(boxes, -1, i, 1), 0, static_cast<double>(most));
  };
  return cat({edge(0, size.width), edge(1, size.height), edge(2, size.width), edge(3, size.height)}, -1);
}

Tensor remove_small_boxes(const Tensor& boxes, double min_size) {
  detail::check_defined("remove_small_boxes", boxes);
  detail::check_boxes("remove_small_boxes", boxes, 2);
  detail::check_number("remove_small_boxes", "min_size", min_size, detail::any_number);
  const NoGrad constant;
  return select(nonzero(all(detail::sides(detail::in_full(boxes)) >= min_size, {-1})), 1, 0);
}

Tensor masks_to_boxes(const Tensor& masks) {
  constexpr const char* op = "masks_to_boxes";
  detail::check_defined(op, masks);
  if (masks.rank() != 3 || masks.size(1) == 0 || masks.size(2) == 0)
    throw ShapeError(str(op, ": needs masks [N, H, W] with elements, got ", masks));
  const NoGrad constant;
  const auto ends = [&](int dim) {  // of the columns or rows with an element
    const Tensor line = any(masks, {dim}).to(DType::float32);
    const auto last = static_cast<double>(line.size(1) - 1);
    return std::pair{argmax(line, 1).to(DType::float32), last - argmax(flip(line, {1}), 1).to(DType::float32)};
  };
  const auto [x1, x2] = ends(1);
  const auto [y1, y2] = ends(2);
  return where(unsqueeze(any(masks, {1, 2}), 1), stack({x1, y1, x2, y2}, 1), 0);
}

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
