#include <minima/onnx/operators/operators.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace minima::onnx {

std::string Call::word(const char* name, const std::vector<std::string>& known) const {
  const std::string given = s(name, known.front().c_str());
  if (std::find(known.begin(), known.end(), given) == known.end())
    throw ValueError(str("onnx: ", node_->op, " with ", name, " = ", given, " is no operator here"));
  return given;
}

void Call::check_all_read() const {
  for (const auto& [name, attribute] : node_->attributes)
    if (!names_read_.contains(name)) throw ValueError(str("onnx: attribute ", name, " of ", node_->op, " is not read"));
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].defined() && !read_[i]) throw ValueError(str("onnx: input ", i, " of ", node_->op, " is not read"));
}

void Call::refuse_missing(std::size_t i) const {
  throw ValueError(str("onnx: ", node_->op, " of opset ", opset_, " without input ", i, " is no operator here"));
}

namespace {

const Operators& operators() {
  static const Operators all = [] {
    Operators o;
    add_elementwise(o);
    add_reductions(o);
    add_arrangements(o);
    add_places(o);
    add_layers(o);
    add_resize(o);
    add_volumes(o);
    add_recurrent(o);
    add_attention(o);
    add_states(o);
    add_signals(o);
    add_vision(o);
    return o;
  }();
  return all;
}

}  // namespace

Found find_operator(const std::string& op, const std::string& domain) {
  if (!domain.empty()) return {nullptr, str("onnx: no operators of ", detail::printable(domain), " here")};
  const auto found = operators().find(op);
  if (found != operators().end()) return {&found->second};
  for (const char* quantised : {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearConv",
                                "QLinearMatMul", "ConvInteger", "MatMulInteger"})
    if (op == quantised) return {nullptr, str("onnx: ", op, " computes with quantised integers, which minima has not")};
  return {nullptr, "onnx: no operator " + detail::printable(op) + " here"};
}

std::vector<Tensor> run(const Node& node, const std::vector<Tensor>& inputs, std::int64_t opset) {
  const Found found = find_operator(node.op, node.domain);
  if (!found.implementation) throw ValueError(found.reason);
  const Call call(node, inputs, opset);
  try {
    std::vector<Tensor> results = (*found.implementation)(call);
    call.check_all_read();
    return results;
  } catch (const std::out_of_range&) {
    throw ValueError(str("onnx: an attribute or input of ", node.op, " has another value or length than it may have"));
  }
}

}  // namespace minima::onnx
