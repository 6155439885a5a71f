#include <minima/onnx/export/emitter.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Columns of images, and sums of rows in bags.

namespace minima::onnx::detail {

namespace {

/// The rows under each element of a kernel at each position, int64 [kernel, positions], in padded images.
std::string rows_of_windows(Emitter& e, const std::vector<std::int64_t>& positions, std::int64_t kernel,
                            std::int64_t stride, std::int64_t dilation) {
  const std::string starts =
      e.node("Mul", {e.node("Range", {e.constant(0, DType::int64), e.node("Squeeze", {e.size(positions)}),
                                      e.constant(1, DType::int64)}),
                     e.constant(static_cast<double>(stride), DType::int64)});
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(kernel));
  for (std::int64_t i = 0; i < kernel; ++i) offsets.push_back(i * dilation);
  return e.node("Add", {e.constant(from_vector(offsets, {kernel, 1})), starts});
}

void unfolded(Emitter& e) {
  const Shape kernel = e.list("kernel"), stride = e.list("stride"), padding = e.list("padding"),
              dilation = e.list("dilation");
  std::string x = e.in(0);
  if (padding[0] != 0 || padding[1] != 0)
    x = e.node("Pad", {x, e.constant(Shape{0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]}),
                       e.constant(0, e.output().dtype)});
  std::vector<Shape> from, to = e.output_shapes();
  std::vector<std::int64_t> positions[2];
  for (const Shape& shape : e.input_shapes(0)) {
    for (int d = 0; d < 2; ++d)
      positions[d].push_back((shape[2 + d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1);
    from.push_back({shape[0], shape[1], kernel[0], kernel[1], positions[0].back(), positions[1].back()});
  }
  const auto rows = [&](int d) { return rows_of_windows(e, positions[d], kernel[d], stride[d], dilation[d]); };
  x = e.node("Gather", {x, rows(0)}, {integer("axis", 2)});  // [N, C, kH, H', W]
  x = e.node("Gather", {x, rows(1)}, {integer("axis", 4)});  // [N, C, kH, H', kW, W']
  x = e.node("Transpose", {x}, {integers("perm", {0, 1, 2, 4, 3, 5})});
  e.bind(e.reshape(x, from, to));
}

void folded(Emitter& e) {
  const Shape padding = e.list("padding"), kernel = e.list("kernel");
  const std::vector<Shape> sizes =
      each(e.output_shapes(), [](const Shape& shape) { return Shape{shape[2], shape[3]}; });
  e.bind(e.node("Col2Im", {e.in(0), e.shape(sizes), e.constant(kernel)},
                {integers("strides", e.list("stride")), integers("dilations", e.list("dilation")),
                 integers("pads", {padding[0], padding[1], padding[0], padding[1]})}));
}

/// A tensor of equal elements.
std::string repeated(Emitter& e, double value, DType dtype, const std::vector<Shape>& shapes) {
  const bool is_fixed = std::all_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return s == shapes[0]; });
  if (is_fixed) return e.constant(full(shapes[0], value, {.dtype = dtype}));
  return e.node("Expand", {e.constant(value, dtype), e.shape(shapes)});
}

/// Rows [N, …] added to those of zeros [bags + 1, …] that `bag` [N, …] names, without the last.
std::string added_up(Emitter& e, const std::string& rows, const std::string& bag, DType dtype,
                     const std::vector<Shape>& shapes) {
  std::vector<Shape> longer = shapes;
  const std::vector<std::int64_t> bags = each(shapes, [](const Shape& shape) { return shape[0]; });
  for (Shape& shape : longer) ++shape[0];
  const std::string zeros = repeated(e, 0, dtype, longer);
  const std::string sums =
      e.node("ScatterElements", {zeros, bag, rows}, {integer("axis", 0), word("reduction", "add")});
  return e.node("Slice", {sums, e.constant(Shape{0}), e.size(bags), e.constant(Shape{0}), e.constant(Shape{1})});
}

/// Weight [V, D], index [N] and the starts of the bags [B + 1]. Rows after the last bag, and the padding, go to another
/// bag, which is left out.
void bags(Emitter& e) {
  const DType dtype = e.output().dtype;
  std::vector<std::int64_t> counts, bag_counts;
  std::vector<Shape> marks, rows, bag_shapes;
  for (std::size_t r = 0; r < e.runs(); ++r) {
    counts.push_back(e.input(1, r).shape[0]);
    bag_counts.push_back(e.output(0, r).shape[0]);
    marks.push_back({counts.back() + 1});
    rows.push_back({counts.back(), e.output().shape[1]});
    bag_shapes.push_back({bag_counts.back()});
  }
  const auto filled = [&](double value, DType of, const std::vector<Shape>& shapes) {
    return repeated(e, value, of, shapes);
  };
  const Named axis = integer("axis", 0), add = word("reduction", "add");
  const std::vector<std::int64_t> last = each(bag_counts, [](std::int64_t count) { return count + 1; });
  const std::string zero = e.constant(Shape{0}), one = e.constant(Shape{1});
  const std::string ends = e.node("Slice", {e.in(2), one, e.size(last), zero, one});
  const std::string steps = e.node(
      "ScatterElements", {filled(0, DType::int64, marks), ends, filled(1, DType::int64, bag_shapes)}, {axis, add});
  std::string bag =
      e.node("Slice", {e.node("CumSum", {steps, e.constant(0, DType::int64)}), zero, e.size(counts), zero, one});
  if (const std::int64_t padding = e.integer("padding"); padding >= 0)
    bag = e.node("Where", {e.node("Equal", {e.in(1), e.constant(static_cast<double>(padding), DType::int64)}),
                           e.size(bag_counts), bag});
  const std::string terms = e.node("Gather", {e.in(0), e.in(1)}, {axis});
  const std::string places = e.node("Expand", {e.node("Unsqueeze", {bag, e.constant(Shape{1})}), e.shape(rows)});
  std::string y = added_up(e, terms, places, dtype, e.output_shapes());
  if (e.integer("mean") != 0) {
    const std::vector<Shape> ones = each(counts, [](std::int64_t count) { return Shape{count}; });
    const std::string sizes =
        e.node("Clip", {added_up(e, filled(1, dtype, ones), bag, dtype, bag_shapes), e.constant(1, dtype), ""});
    y = e.node("Div", {y, e.node("Unsqueeze", {sizes, e.constant(Shape{1})})});
  }
  e.bind(y);
}

}  // namespace

void add_patches(Translations& t) {
  t["unfold"] = unfolded;
  t["fold"] = folded;
  t["embedding_bag"] = bags;
}

}  // namespace minima::onnx::detail
