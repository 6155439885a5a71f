#include <minima/io/onnx/onnx_file.h>
#include <minima/onnx/export/emitter.h>
#include <minima/onnx/export/recording.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Constants, and tensors that come from outside of the graph and follow the sizes of the inputs.

namespace minima::onnx::detail {

namespace {

/// The value of all elements, if they are equal.
std::optional<double> uniform_value(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const bool equal = std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
  return equal ? std::optional(values[0]) : std::nullopt;
}

std::vector<double> values_of(const Tensor& tensor) {
  return (is_complex(tensor.dtype()) ? view_as_real(tensor) : tensor).to(float64).to_vector<double>();
}

bool are_counted(const std::vector<double>& v) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != v[0] + static_cast<double>(i) * (v[1] - v[0])) return false;
  return true;
}

}  // namespace

std::string Emitter::constant(const Tensor& value) {
  constexpr std::int64_t most_repeated = 1024;
  if (value.numel() > most_repeated && !is_complex(value.dtype()))
    if (const std::optional<double> same = uniform_value(values_of(value)))
      return node("Expand", {constant(*same, value.dtype()), constant(value.shape())});
  return node("Constant", {}, {detail::tensor("value", is_complex(value.dtype()) ? view_as_real(value) : value)});
}

std::string Emitter::constant(double value, DType dtype) {
  std::string& known = known_[str("number ", dtype_code(dtype), " ", __builtin_bit_cast(std::int64_t, value))];
  return known.empty() ? known = constant(full({}, value, {.dtype = dtype})) : known;
}

std::string Emitter::constant(const Shape& values) {
  std::string& known = known_[str("list ", values)];
  if (!known.empty()) return known;
  return known = constant(from_vector(std::vector<std::int64_t>(values.begin(), values.end()), {values.rank()}));
}

bool Emitter::is_uniform(int number) const {
  const RecordedValue& value = recorded(number);
  const RecordedCall* made = maker(number);
  if (value.varies || (made ? made->op != "fill_" : value.source != RecordedValue::Source::constant)) return false;
  std::optional<double> first;
  for (std::size_t r = 0; r < runs(); ++r) {
    const Tensor& tensor = recorded(number, r).tensor;
    const std::optional<double> own = tensor.defined() ? uniform_value(values_of(tensor)) : std::nullopt;
    if (!own || (r > 0 && own != first)) return false;
    first = own;
  }
  return true;
}

std::string Emitter::repeated(int number, const std::vector<Shape>& shapes) {
  const RecordedValue& value = recorded(number);
  const DType dtype = is_complex(value.dtype) ? real_dtype(value.dtype) : value.dtype;
  return node("Expand", {constant(values_of(value.tensor)[0], dtype), shape(shapes)});
}

/// A tensor from outside that follows the sizes of the inputs: all elements equal, counted, or few numbers that are
/// sizes.
std::string Emitter::varying_constant(int number) {
  const DType own = recorded(number).dtype, dtype = is_complex(own) ? real_dtype(own) : own;
  const bool is_number = dtype != boolean && !is_complex(own);
  if (is_uniform(number))
    return repeated(number, each(runs_, [&](const Recording& run) {
                      Shape shape = run.values[static_cast<std::size_t>(number)].shape;
                      if (is_complex(own)) shape.push_back(2);
                      return shape;
                    }));
  const std::vector<std::vector<double>> values =
      each(runs_, [&](const Recording& run) { return values_of(run.values[static_cast<std::size_t>(number)].tensor); });
  const std::vector<std::int64_t> counts =
      each(values, [](const std::vector<double>& v) { return static_cast<std::int64_t>(v.size()); });
  const int rank = recorded(number).shape.rank();
  const auto is_whole = [&](double v) { return std::floor(v) == v && std::abs(v) < 1e15; };
  bool counted = is_number && rank == 1, whole = is_number && rank <= 1 && agree(counts) && counts[0] <= 8;
  for (const std::vector<double>& v : values) {
    counted = counted && v.size() > 1 && are_counted(v) && v[1] - v[0] == values[0][1] - values[0][0] && is_whole(v[0]);
    whole = whole && std::all_of(v.begin(), v.end(), is_whole);
  }
  const auto sizes_at = [&](std::size_t i) {
    return size(each(values, [&](const std::vector<double>& v) { return static_cast<std::int64_t>(v[i]); }));
  };
  if (counted && !agree(counts)) {
    const double step = values[0][1] - values[0][0];
    const std::string count = node("Squeeze", {size(counts)});
    const std::string places = node("Range", {constant(0, int64), count, constant(1, int64)});
    const std::string scaled =
        step == 1 ? cast(places, int64, dtype) : node("Mul", {cast(places, int64, dtype), constant(step, dtype)});
    const bool begins_alike =
        std::all_of(values.begin(), values.end(), [&](const std::vector<double>& v) { return v[0] == values[0][0]; });
    if (!begins_alike) return node("Add", {scaled, cast(sizes_at(0), int64, dtype)});
    return values[0][0] == 0 ? scaled : node("Add", {scaled, constant(values[0][0], dtype)});
  }
  if (!whole) refuse("it reads a constant that changes with the sizes of the inputs");
  std::vector<std::string> parts;
  parts.reserve(values[0].size());
  for (std::size_t i = 0; i < values[0].size(); ++i) parts.push_back(sizes_at(i));
  std::string y = parts.size() == 1 ? parts[0] : node("Concat", parts, {detail::integer("axis", 0)});
  if (rank == 0) y = node("Squeeze", {y});
  return cast(y, int64, dtype);
}

}  // namespace minima::onnx::detail
