#include <minima/onnx/export/emitter.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Sizes that change from call to call, as expressions that hold in all runs.

namespace minima::onnx::detail {

namespace {

using Sizes = std::vector<std::int64_t>;

/// values = factor · basis + offset in all runs?
bool is_linear(const Sizes& values, const Sizes& basis, std::int64_t& factor, std::int64_t& offset) {
  for (std::size_t r = 1; r < values.size(); ++r) {
    if (basis[r] == basis[0]) continue;
    if ((values[r] - values[0]) % (basis[r] - basis[0]) != 0) return false;
    factor = (values[r] - values[0]) / (basis[r] - basis[0]);
    offset = values[0] - factor * basis[0];
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] != factor * basis[k] + offset) return false;
    return true;
  }
  return false;
}

/// values = ⌊(basis + offset) / divisor⌋ in all runs, of the sizes that strides and pooling give.
bool is_quotient(const Sizes& values, const Sizes& basis, std::int64_t& divisor, std::int64_t& offset) {
  for (divisor = 2; divisor <= 64; divisor *= 2)
    for (offset = 0; offset < divisor; ++offset) {
      bool fits = true;
      for (std::size_t r = 0; r < values.size(); ++r) fits = fits && values[r] == (basis[r] + offset) / divisor;
      if (fits) return true;
    }
  return false;
}

}  // namespace

bool Emitter::agree(const Sizes& values) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value == values[0]; });
}

Shape Emitter::padding_behind(const Shape& before) {
  Shape behind;
  for (int d = 0; d < before.rank(); ++d) {
    Sizes amounts;
    amounts.reserve(runs());
    for (std::size_t r = 0; r < runs(); ++r)
      amounts.push_back(output(0, r).shape[d] - input(0, r).shape[d] - before[d]);
    if (!agree(amounts)) refuse("its amounts change with the sizes of the inputs");
    behind.push_back(amounts[0]);
  }
  return behind;
}

std::string Emitter::size_of_symbol(std::size_t s) {
  std::string& known = known_["symbol " + std::to_string(s)];
  if (!known.empty()) return known;
  const Symbol& symbol = symbols_[s];
  return known = node("Shape", {input_names_[static_cast<std::size_t>(symbol.input)]},
                      {detail::integer("start", symbol.dim), detail::integer("end", symbol.dim + 1)});
}

std::string Emitter::size(const Sizes& values) {
  if (agree(values)) return constant(Shape{values[0]});
  std::string key = "size";
  for (const std::int64_t value : values) key += " " + std::to_string(value);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto scaled = [&](std::string x, std::int64_t factor, std::int64_t offset) {
    if (factor != 1) x = node("Mul", {x, constant(Shape{factor})});
    return offset == 0 ? x : node("Add", {x, constant(Shape{offset})});
  };
  std::int64_t factor = 0, offset = 0;
  std::string result;
  for (std::size_t s = 0; s < symbols_.size() && result.empty(); ++s)
    if (is_linear(values, symbols_[s].sizes, factor, offset)) result = scaled(size_of_symbol(s), factor, offset);
  const auto combined = [&](const char* op, auto combine) {
    for (std::size_t s = 0; s < symbols_.size(); ++s)
      for (std::size_t t = s + 1; t < symbols_.size() && result.empty(); ++t) {
        Sizes basis(values.size());
        for (std::size_t r = 0; r < values.size(); ++r) basis[r] = combine(symbols_[s].sizes[r], symbols_[t].sizes[r]);
        if (is_linear(values, basis, factor, offset))
          result = scaled(node(op, {size_of_symbol(s), size_of_symbol(t)}), factor, offset);
      }
  };
  if (result.empty()) combined("Mul", [](std::int64_t a, std::int64_t b) { return a * b; });
  if (result.empty()) combined("Add", [](std::int64_t a, std::int64_t b) { return a + b; });
  for (std::size_t s = 0; s < symbols_.size() && result.empty(); ++s)
    if (is_quotient(values, symbols_[s].sizes, factor, offset))
      result = node("Div", {scaled(size_of_symbol(s), 1, offset), constant(Shape{factor})});
  if (result.empty())
    refuse(str("a size, ", values[0],
               " in the example, follows the dynamic sizes of the inputs in no way that is known "
               "here"));
  return known_[key] = result;
}

std::string Emitter::shape(const std::vector<Shape>& shapes) {
  const int rank = shapes[0].rank();
  Shape fixed;
  bool varies = false;
  std::vector<std::string> parts;
  for (int d = 0; d < rank; ++d) {
    const Sizes sizes = each(shapes, [&](const Shape& shape) { return shape[d]; });
    fixed.push_back(sizes[0]);
    varies = varies || !agree(sizes);
  }
  if (!varies) return constant(fixed);
  parts.reserve(static_cast<std::size_t>(rank));
  for (int d = 0; d < rank; ++d) parts.push_back(size(each(shapes, [&](const Shape& shape) { return shape[d]; })));
  return parts.size() == 1 ? parts[0] : node("Concat", parts, {detail::integer("axis", 0)});
}

std::vector<Shape> Emitter::output_shapes(std::size_t i) const {
  std::vector<Shape> shapes;
  shapes.reserve(runs());
  for (std::size_t r = 0; r < runs(); ++r) shapes.push_back(output(i, r).shape);
  return shapes;
}

std::vector<Shape> Emitter::input_shapes(std::size_t i) const {
  std::vector<Shape> shapes;
  shapes.reserve(runs());
  for (std::size_t r = 0; r < runs(); ++r) shapes.push_back(input(i, r).shape);
  return shapes;
}

std::string Emitter::reshape(const std::string& x, const std::vector<Shape>& from, const std::vector<Shape>& to) {
  const int rank = to[0].rank();
  Shape target;
  int inferred = 0;
  bool has_zero = false;
  for (int d = 0; d < rank; ++d) {
    Sizes sizes;
    bool stays = true;
    for (std::size_t r = 0; r < to.size(); ++r) {
      sizes.push_back(to[r][d]);
      stays = stays && d < from[r].rank() && from[r][d] == to[r][d];
    }
    has_zero = has_zero || sizes[0] == 0;
    if (agree(sizes)) target.push_back(sizes[0]);
    else if (stays) target.push_back(0);  // Reshape's word for the input's size
    else target.push_back(-1), ++inferred;
  }
  if (inferred <= 1 && !has_zero) return node("Reshape", {x, constant(target)});
  return node("Reshape", {x, shape(to)}, {detail::integer("allowzero", has_zero ? 1 : 0)});
}

}  // namespace minima::onnx::detail
