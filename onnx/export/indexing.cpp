#include <minima/onnx/export/emitter.h>
#include <minima/onnx/export/recording.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Joins, and reading and writing by index.

namespace minima::onnx::detail {

namespace {

void joined(Emitter& e) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < e.count(); ++i) {
    const Shape& shape = e.input(i).shape;
    if (shape.rank() == 1 && shape[0] == 0 && e.output().shape.rank() > 1) continue;  // cat skips these
    parts.push_back(e.in(i, e.output().dtype));
  }
  e.bind(e.node("Concat", parts, {integer("axis", e.integer("dim"))}));
}

Translation triangle(std::int64_t upper) {
  return [upper](Emitter& e) {
    const std::int64_t diagonal = e.integer("diagonal");
    e.bind(
        e.node("Trilu", {e.in(0), e.constant(static_cast<double>(diagonal), DType::int64)}, {integer("upper", upper)}));
  };
}

void rolled(Emitter& e) {
  const std::int64_t dim = e.integer("dim"), by = e.integer("by");
  if (by == 0) return e.bind(e.in(0));
  const auto part = [&](std::int64_t start, std::int64_t stop) {
    return e.node("Slice", {e.in(0), e.constant(Shape{start}), e.constant(Shape{stop}), e.constant(Shape{dim})});
  };
  constexpr std::int64_t end = std::int64_t{1} << 62;
  e.bind(e.node("Concat", {part(-by, end), part(0, -by)}, {integer("axis", dim)}));
}

}  // namespace

void add_indexing(Translations& t) {
  t["cat"] = joined;
  t["tril"] = triangle(0);
  t["triu"] = triangle(1);
  t["roll"] = rolled;
  t["embedding"] =
      t[gather_name] = [](Emitter& e) { e.bind(e.node("Gather", {e.in(0), e.in(1)}, {integer("axis", 0)})); };
  t["gather"] = [](Emitter& e) {
    e.bind(e.node("GatherElements", {e.in(0), e.in(1)}, {integer("axis", e.integer("dim"))}));
  };
  t["scatter_add"] = [](Emitter& e) {
    e.bind(e.node("ScatterElements", {e.in(0), e.in(1), e.in(2)},
                  {integer("axis", e.integer("dim")), word("reduction", "add")}));
  };
  t["scatter_extreme"] = [](Emitter& e) {
    e.bind(e.node("ScatterElements", {e.in(0), e.in(1), e.in(2)},
                  {integer("axis", e.integer("dim")), word("reduction", e.integer("largest") != 0 ? "max" : "min")}));
  };
  t["searchsorted"] = [](Emitter& e) {  // the number of elements below each value
    const std::string values = e.node("Unsqueeze", {e.in(1), e.constant(Shape{-1})});
    std::string sorted = e.in(0);
    if (e.input(0).shape.rank() > 1) sorted = e.node("Unsqueeze", {sorted, e.constant(Shape{-2})});
    const std::string below = e.node(e.integer("right") != 0 ? "LessOrEqual" : "Less", {sorted, values});
    e.bind(e.node("ReduceSum", {e.cast(below, DType::boolean, DType::int64), e.constant(Shape{-1})},
                  {integer("keepdims", 0)}));
  };
  t["index_put"] = [](Emitter& e) {  // rows
    const std::string rows = e.node("Unsqueeze", {e.in(1), e.constant(Shape{-1})});
    e.bind(e.node("ScatterND", {e.in(0), rows, e.in(2, e.output().dtype)}));
  };
}

}  // namespace minima::onnx::detail
