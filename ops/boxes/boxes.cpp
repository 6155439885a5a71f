#include <minima/ops/boxes/boxes.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/nonzero/nonzero.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dispatch.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

void check_boxes(const char* op, const Tensor& boxes) {
  if (!is_floating(boxes.dtype()))
    throw DTypeError(str(op, ": needs floating boxes, got ", boxes, "; convert them with to()"));
  if (boxes.rank() != 2 || boxes.size(1) != 4) throw ShapeError(str(op, ": boxes must be [N, 4], got ", boxes));
}

/// Boxes in the dtype that half types compute in.
Tensor boxes_in_full(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::float32) : x; }

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

/// Whether each of the boxes [N, 4], which are sorted by score, is kept: bool [N]. On the CPU only.
struct Suppress {
  static constexpr Traits traits{.name = "nms"};
  double threshold;
  TensorSpec result(const Tensor& boxes) const { return spec_of({boxes.size(0)}, DType::boolean, boxes.device()); }
  Cost cost(const Tensor& boxes) const {
    const auto n = static_cast<double>(boxes.size(0));
    return {.flops = 7 * n * n, .bytes = n * (4 * static_cast<double>(size_of(boxes.dtype())) + 1)};
  }
  void cpu(const Tensor& boxes, Tensor& keep) const {
    const Tensor rows = contiguous(boxes);
    dispatch<full_floating>(boxes.dtype(), traits.name, [&]<class T> {
      const auto* box = reinterpret_cast<const Box<T>*>(rows.data<T>());
      bool* kept = keep.data<bool>();
      const std::int64_t count = boxes.size(0);
      std::fill_n(kept, count, true);
      for (std::int64_t i = 0; i < count; ++i) {
        if (!kept[i]) continue;
        const T area = box[i].area();
        for (std::int64_t j = i + 1; j < count; ++j) {
          const T common = intersection(box[i], box[j]);
          if (static_cast<double>(common / (area + box[j].area() - common)) > threshold) kept[j] = false;
        }
      }
    });
  }
};

}  // namespace

Tensor box_iou(const Tensor& a, const Tensor& b) {
  constexpr const char* op = "box_iou";
  detail::check_defined(op, a);
  detail::check_defined(op, b, 1);
  check_boxes(op, a);
  check_boxes(op, b);
  if (a.dtype() != b.dtype())
    throw DTypeError(str(op, ": needs boxes of one dtype, got ", a, " and ", b, "; convert one with to()"));
  const detail::WithoutAutocast guard;
  const Tensor left = unsqueeze(boxes_in_full(a), 1), right = unsqueeze(boxes_in_full(b), 0);  // [N, 1, 4], [1, M, 4]
  const auto corner = [](const Tensor& boxes, std::int64_t first) { return narrow(boxes, -1, first, 2); };
  const auto product = [](const Tensor& sides) { return select(sides, -1, 0) * select(sides, -1, 1); };
  const auto area = [&](const Tensor& boxes) { return product(corner(boxes, 2) - corner(boxes, 0)); };
  const Tensor common =
      product(clamp_min(minimum(corner(left, 2), corner(right, 2)) - maximum(corner(left, 0), corner(right, 0)), 0));
  return cast(common / (area(left) + area(right) - common), a.dtype());
}

Tensor nms(const Tensor& boxes, const Tensor& scores, double iou_threshold) {
  constexpr const char* op = "nms";
  detail::check_defined(op, boxes);
  detail::check_defined(op, scores, 1);
  check_boxes(op, boxes);
  if (!is_floating(scores.dtype()))
    throw DTypeError(str(op, ": needs floating scores, got ", scores, "; convert them with to()"));
  if (scores.rank() != 1 || scores.size(0) != boxes.size(0))
    throw ShapeError(str(op, ": needs a score for each box, got scores ", scores, " for boxes ", boxes));
  const NoGrad guard;
  const Tensor order = argsort(scores, 0, true);
  const Tensor sorted = boxes_in_full(index_select(boxes, 0, order)).to(Device());
  const Tensor keep = apply(Suppress{iou_threshold}, sorted);
  return index_select(order, 0, select(nonzero(keep), 1, 0).to(boxes.device()));
}

}  // namespace minima
