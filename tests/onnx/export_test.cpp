#include "tests/onnx/zoo.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/print.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

// Modules written, read back and run: equal outputs, for the example and for other dynamic sizes, and equal parameters.

namespace minima::onnx::export_test {
namespace {

using test_zoo::Case;

/// Fails if all rows of an output are equal, since it would then hardly depend on the inputs.
void expect_varied(const Case& c) {
  for (const Tensor& y : c.forward(c.inputs)) {
    if (!is_floating(y.dtype()) || y.numel() < 2) continue;
    const std::vector<double> values = y.to(float64).to_vector<double>();
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_GT(*most - *least, 1e-3) << c.name;
  }
}

void expect_equal(const Case& c, const Network& net, const std::vector<Tensor>& inputs, const char* sizes) {
  const std::vector<Tensor> wanted = c.forward(inputs), got = net(inputs);
  ASSERT_EQ(got.size(), wanted.size()) << c.name;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // A convolution and the norm after it may be one operator in the module and are two in the graph: their rounding
    // is that of the largest outputs.
    const bool has_values = is_floating(wanted[i].dtype()) && wanted[i].numel() > 0;
    const double largest = has_values ? max(abs(wanted[i])).item<double>() : 0;
    const Closeness close = allclose(got[i], wanted[i], {.rtol = 2e-5, .atol = 2e-6 * std::max(largest, 1.0)});
    EXPECT_TRUE(close) << c.name << ", output " << i << ", " << sizes << ": " << close.message;
  }
}

/// The nodes with values numbered by their first appearance.
std::vector<std::string> listing(const Graph& graph) {
  std::map<std::string, std::string> numbers;
  int count = 0;
  for (const NamedValue& initializer : graph.initializers) numbers[initializer.name] = initializer.name;
  const auto named = [&](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
      std::string& number = numbers[name];
      if (number.empty()) number = name.empty() ? "-" : "%" + std::to_string(count++);
      text += " " + number;
    }
    return text;
  };
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    if (node.op == "Constant") {
      numbers[node.outputs[0]] = "(" + to_string(node.attributes.at("value").t) + ")";
      continue;
    }
    std::string line = node.op + named(node.inputs) + " ->" + named(node.outputs);
    for (const auto& [name, a] : node.attributes) {
      line += " " + name + "=" + std::to_string(a.i) + "/" + std::to_string(a.f) + "/" + a.s;
      for (const std::int64_t i : a.ints) line += "," + std::to_string(i);
      if (a.t.defined()) line += to_string(a.t);
    }
    lines.push_back(line);
  }
  return lines;
}

/// Whether the module that was loaded from a graph is written as the same graph.
bool gives_same_graph(const Case& c, const Network& net, const std::string& path, const std::string& again) {
  save(again, net, c.inputs, [&](const std::vector<Tensor>& in) { return net.forward(in); }, c.options);
  return listing(read_model(path).graph) == listing(read_model(again).graph);
}

void expect_round_trip(const Case& c) {
  const NoGrad guard;
  const test::TemporaryFolder folder;
  const std::string path = folder / "model.onnx";
  try {
    test_zoo::save_case(c, path);
    expect_varied(c);
    const Network net = load(path);
    expect_equal(c, net, c.inputs, "example");
    if (!c.options.dynamic.empty()) expect_equal(c, net, test_zoo::other_inputs(c), "other sizes");
    const State all = c.module->state_dict();
    const State written = net.state_dict();
    for (const auto& [name, value] : written.tensors()) {
      const Tensor* same = all.find(name);
      EXPECT_TRUE(same && allclose(value, *same)) << c.name << ": " << name;
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << c.name << ": " << error.what();
  }
}

// The others differ in windows that are gathered along other dimensions than the first (Unfold), in the places of
// max_pool2d, which ONNX counts through the whole tensor, in packed sequences, which are padded in the graph, and in
// the order of two nodes (LSTM with batches first).
TEST(OnnxExport, LoadedModulesAreWrittenAsTheSameGraph) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  const NoGrad guard;
  const test::TemporaryFolder folder;
  int same = 0;
  std::string others;
  for (const auto& list : {test_zoo::layers(), test_zoo::sequence_layers(), test_zoo::losses()})
    for (const Case& c : list) {
      test_zoo::save_case(c, folder / "model.onnx");
      Network net = load(folder / "model.onnx");
      net.eval();
      try {
        const bool is_same = gives_same_graph(c, net, folder / "model.onnx", folder / "again.onnx");
        same += is_same;
        if (!is_same) others += " " + c.name + ",";
      } catch (const Error& error) {
        others += " " + c.name + " (" + error.what() + "),";
      }
    }
  std::cout << same << " graphs are the same; others:" << others << "\n";
  EXPECT_GE(same, 110);
}

TEST(OnnxExport, LayersComeBackEqual) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  for (const Case& c : test_zoo::layers()) expect_round_trip(c);
}

TEST(OnnxExport, SequenceLayersComeBackEqual) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  for (const Case& c : test_zoo::sequence_layers()) expect_round_trip(c);
}

TEST(OnnxExport, NetworksComeBackEqual) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  for (const Case& c : test_zoo::networks()) expect_round_trip(c);
}

TEST(OnnxExport, LossesAndFunctionsComeBackEqual) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  for (const Case& c : test_zoo::losses()) expect_round_trip(c);
}

TEST(OnnxExport, NetworkTrainedAfterItsImportComesBackEqual) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  const test::TemporaryFolder folder;
  expect_round_trip(test_zoo::trained_after_import(folder / "net.onnx"));
}

}  // namespace
}  // namespace minima::onnx::export_test
