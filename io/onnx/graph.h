#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

// A model as an ONNX file describes it (https://onnx.ai/onnx/repo-docs/IR.html), without protobuf's types.

namespace minima::onnx {

struct Graph;

/// An attribute of a node. The one field that its kind names has a meaning.
struct Attribute {
  enum class Kind : std::uint8_t { none, number, integer, word, tensor, graph, numbers, integers, words };
  std::int64_t i = 0;
  float f = 0;
  std::string s{};
  Tensor t{};
  std::vector<float> floats{};
  std::vector<std::int64_t> ints{};
  std::vector<std::string> strings{};
  std::shared_ptr<const Graph> graph{};  ///< of If and Loop
  Kind kind = Kind::none;
  std::string reference{};  ///< inside a function: the function's attribute that has the value
};

/// A call of an operator or function by names of values.
struct Node {
  std::string op{};
  std::vector<std::string> inputs{}, outputs{};  ///< an empty name: not given
  std::map<std::string, Attribute> attributes{};
  std::string name{};
  std::string domain{};  ///< empty: ONNX's own operators
};

/// A size, or the name of one that changes from call to call; -1 and empty if it is unknown.
struct Dimension {
  std::int64_t size = -1;
  std::string name{};
};

/// An input or output of a graph.
struct Value {
  std::string name{};
  bool is_tensor = true;  ///< else a sequence, map or optional
  DType dtype = DType::float32;
  std::string unknown_dtype{};  ///< the reason why `dtype` is not the file's, if minima lacks that one
  bool has_shape = false;
  std::vector<Dimension> shape{};
};

/// A constant of the graph, such as a weight.
struct NamedValue {
  std::string name;
  Tensor tensor;
};

/// Nodes in an order in which each finds its inputs, NodeProto by NodeProto.
struct Graph {
  std::string name{};
  std::vector<Node> nodes{};
  std::vector<NamedValue> initializers{};
  std::vector<Value> inputs{}, outputs{};
};

/// An operator that the file itself defines.
struct FunctionDefinition {
  std::string name, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<Node> nodes;
  std::map<std::string, Attribute> defaults;  ///< of its attributes
};

/// A whole file, ModelProto.
struct Model {
  Graph graph{};
  std::map<std::string, std::int64_t> opsets{};  ///< version by domain; "" is ONNX's own
  std::vector<FunctionDefinition> functions{};
  std::map<std::string, std::string> metadata{};
  std::string producer{};
  std::int64_t ir_version = 0;

  /// The version of ONNX's own operators, 0 if the file names none.
  std::int64_t opset() const {
    const auto found = opsets.find("");
    return found == opsets.end() ? 0 : found->second;
  }
};

}  // namespace minima::onnx
