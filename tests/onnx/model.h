#pragma once

#include <minima/tensor/tensor.h>

#include <map>
#include <string>
#include <vector>

// The little of ONNX's files that its test data use: messages of protobuf's wire format, field numbers of onnx.proto3.

namespace minima::onnx {

struct Attribute {
  std::int64_t i = 0;
  float f = 0;
  std::string s;
  Tensor t;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
};

struct Node {
  std::string op;
  std::vector<std::string> inputs, outputs;  ///< an empty name: not given
  std::map<std::string, Attribute> attributes;
};

struct Model {
  std::vector<Node> nodes;
  std::map<std::string, Tensor> constants;
  std::vector<std::string> inputs, outputs;
};

/// Throws ValueError for what is no such file, or a value that is no tensor.
Model read_model(const std::string& path);
/// Throws ValueError for dtypes that minima has not.
Tensor read_tensor_file(const std::string& path);

}  // namespace minima::onnx
