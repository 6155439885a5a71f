#include "tests/onnx/cases.h"

#include "tests/onnx/operators.h"
#include "tests/support/device.h"

#include <minima/autograd/mode.h>
#include <minima/tensor/allclose.h>

#include <algorithm>
#include <exception>
#include <fstream>

namespace minima::onnx {

namespace fs = std::filesystem;

namespace {

void run_node(const Node& node, std::map<std::string, Tensor>& values) {
  std::vector<Tensor> inputs;
  for (const std::string& name : node.inputs)
    inputs.push_back(name.empty() ? Tensor() : values.at(name).to(test::test_device()));
  const std::vector<Tensor> results = run(node, inputs);
  for (std::size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) values[node.outputs[i]] = results[i];
}

/// ONNX's runner gives bfloat16 two units in the last place.
Tolerance tolerance_of(DType dtype) { return {.rtol = dtype == bfloat16 ? 0x1p-6 : 1e-3, .atol = 1e-7}; }

std::string failure_of_set(const Model& model, const fs::path& set) {
  std::map<std::string, Tensor> values = model.constants;
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    values[model.inputs[i]] = read_tensor_file(set / ("input_" + std::to_string(i) + ".pb"));
  for (const Node& node : model.nodes) run_node(node, values);
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    const Tensor expected = read_tensor_file(set / ("output_" + std::to_string(i) + ".pb"));
    if (!values.contains(model.outputs[i])) return "gives no output " + model.outputs[i];
    if (const Closeness close = allclose(values.at(model.outputs[i]), expected, tolerance_of(expected.dtype())); !close)
      return close.message;
  }
  return "";
}

}  // namespace

std::string failure_of(const fs::path& folder) {
  try {
    const NoGrad guard;
    const Model model = read_model(folder / "model.onnx");
    for (const auto& set : fs::directory_iterator(folder))
      if (set.is_directory())
        if (const std::string failure = failure_of_set(model, set.path()); !failure.empty()) return failure;
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::map<std::string, std::string> read_reasons(const char* path) {
  std::map<std::string, std::string> reasons;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (const std::size_t space = line.find(' '); space != std::string::npos && line[0] != '#')
      reasons[line.substr(0, space)] = line.substr(line.find_first_not_of(' ', space));
  return reasons;
}

}  // namespace minima::onnx
