#include "tests/onnx/cases.h"

#include "tests/support/device.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/onnx/network.h>
#include <minima/tensor/allclose.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>

namespace minima::onnx {

namespace fs = std::filesystem;

namespace {

/// ONNX's runner gives bfloat16 two units in the last place. Of sums whose terms cancel it expects 1e-7, too, which
/// float32 has only where terms are at most 1 in size; here it is as many times that as the largest result, up to 1000.
Tolerance tolerance_of(const Tensor& expected) {
  double largest = 1;
  if (expected.dtype() == float32)
    for (const float value : expected.to_vector<float>())
      if (std::isfinite(value)) largest = std::max<double>(largest, std::abs(value));
  return {.rtol = expected.dtype() == bfloat16 ? 0x1p-6 : 1e-3, .atol = 1e-7 * std::min(largest, 1000.0)};
}

std::string failure_of_set(const Network& net, const fs::path& set) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < net.inputs().size(); ++i)
    inputs.push_back(read_tensor_file(set / ("input_" + std::to_string(i) + ".pb")).to(test::test_device()));
  const std::vector<Tensor> outputs = net(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor expected = read_tensor_file(set / ("output_" + std::to_string(i) + ".pb"));
    if (!outputs[i].defined()) return "gives no output " + net.outputs()[i].name;
    if (const Closeness close = allclose(outputs[i], expected, tolerance_of(expected)); !close) return close.message;
  }
  return "";
}

}  // namespace

std::string failure_of(const fs::path& folder) {
  try {
    const NoGrad guard;
    Network net = load(folder / "model.onnx");
    net.to(test::test_device());
    for (const auto& set : fs::directory_iterator(folder))
      if (set.is_directory())
        if (const std::string failure = failure_of_set(net, set.path()); !failure.empty()) return failure;
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
