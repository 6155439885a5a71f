#include "tests/onnx/zoo.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <algorithm>

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
    const Closeness close = allclose(got[i], wanted[i], {.rtol = 2e-5, .atol = 2e-6});
    EXPECT_TRUE(close) << c.name << ", output " << i << ", " << sizes << ": " << close.message;
  }
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

}  // namespace
}  // namespace minima::onnx::export_test
