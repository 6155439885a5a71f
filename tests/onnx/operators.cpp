#include "tests/onnx/operators.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>

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

namespace {

const Operators& operators() {
  static const Operators all = [] {
    Operators o;
    add_elementwise(o);
    add_reductions(o);
    add_arrangements(o);
    add_places(o);
    add_layers(o);
    add_volumes(o);
    add_recurrent(o);
    add_attention(o);
    add_signals(o);
    add_vision(o);
    return o;
  }();
  return all;
}

}  // namespace

std::vector<Tensor> run(const Node& node, const std::vector<Tensor>& inputs) {
  const auto found = operators().find(node.op);
  if (found == operators().end()) throw ValueError("onnx: no operator " + node.op + " here");
  const Call call(node, inputs);
  std::vector<Tensor> results = found->second(call);
  call.check_all_read();
  return results;
}

}  // namespace minima::onnx
