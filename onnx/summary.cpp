#include <minima/onnx/summary.h>

#include <minima/io/files/format_error.h>
#include <minima/io/onnx/graph.h>
#include <minima/onnx/program.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minima::onnx {

namespace {

using minima::detail::printable;

std::string described(const Value& value) {
  if (!value.is_tensor) return "no tensor";
  std::string text = value.unknown_dtype.empty() ? str(value.dtype) : "a dtype that minima has not";
  if (!value.has_shape) return text;
  text += " [";
  for (std::size_t d = 0; d < value.shape.size(); ++d) {
    const Dimension& dim = value.shape[d];
    text += (d > 0 ? ", " : "") + (!dim.name.empty() ? printable(dim.name)
                                   : dim.size >= 0   ? std::to_string(dim.size)
                                                     : "?");
  }
  return text + "]";
}

std::string values(const char* title, const std::vector<Value>& list, const std::map<std::string, int>& without) {
  std::string text;
  for (const Value& value : list)
    if (!without.contains(value.name)) text += str(title, "  ", printable(value.name), "  ", described(value), "\n");
  return text;
}

void count(const Graph& graph, std::map<std::string, int>& operators) {
  for (const Node& node : graph.nodes) {
    ++operators[(node.domain.empty() ? "" : node.domain + ".") + node.op];
    for (const auto& [name, attribute] : node.attributes)
      if (attribute.graph) count(*attribute.graph, operators);
  }
}

/// Why `load` would refuse the model, for reasons other than its operators; nothing if it would not.
std::string other_refusal(const Model& model) {
  try {
    Model copy = model;
    detail::prepare(copy);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

std::string summary(const Model& model) {
  std::map<std::string, int> initializers, operators;
  std::int64_t elements = 0, bytes = 0;
  for (const NamedValue& value : model.graph.initializers) {
    ++initializers[value.name];
    elements += value.tensor.numel();
    bytes += value.tensor.numel() * static_cast<std::int64_t>(value.tensor.itemsize());
  }
  count(model.graph, operators);
  std::string text =
      str("opset     ", model.opset(), model.producer.empty() ? "" : ", written by ", printable(model.producer), "\n");
  text += values("input   ", model.graph.inputs, initializers) + values("output  ", model.graph.outputs, {});
  text += str("weights   ", initializers.size(), " initializers, ", elements, " elements, ", bytes, " bytes\n");
  text += str("nodes     ", model.graph.nodes.size(), "\n");
  for (const auto& [op, number] : operators) text += str("  ", number, "  ", printable(op), "\n");
  const std::map<std::string, int> refused = detail::refusals(model);
  for (const auto& [reason, number] : refused) text += str("refused   ", number, "  ", reason, "\n");
  if (!refused.empty()) return text;
  const std::string other = other_refusal(model);
  return text + (other.empty() ? "onnx::load reads this model\n" : "refused   " + other + "\n");
}

}  // namespace minima::onnx
