#pragma once

#include <minima/io/onnx/graph.h>

#include <string>

namespace minima::onnx {

/// A model as text: opset, inputs, outputs, parameters, the operators with the number of their nodes, and what `load`
/// would refuse, with the reason. minima-onnx prints it.
MINIMA_API std::string summary(const Model& model);

}  // namespace minima::onnx
