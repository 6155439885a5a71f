#include <minima/onnx/operators/operators.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// Attributes that the installed test data do not have: honoured, or refused by name.

namespace minima::onnx::reader_test {
namespace {

struct Given {
  std::map<std::string, std::vector<std::int64_t>> ints{};
  std::map<std::string, std::int64_t> integers{};
  std::map<std::string, std::string> words{};
};

std::vector<Tensor> call(const std::string& op, const std::vector<Tensor>& inputs, const Given& given,
                         std::size_t outputs = 1) {
  Node node{.op = op, .inputs = {}, .outputs = std::vector<std::string>(outputs, "y"), .attributes = {}};
  for (const auto& [name, value] : given.ints) node.attributes[name].ints = value;
  for (const auto& [name, value] : given.integers) node.attributes[name].i = value;
  for (const auto& [name, value] : given.words) node.attributes[name].s = value;
  return run(node, inputs);
}

std::string refusal(const std::string& op, const std::vector<Tensor>& inputs, const Given& given) {
  try {
    call(op, inputs, given);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "was accepted";
}

Tensor whole(const std::vector<std::int64_t>& values) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())});
}
Tensor counted(const Shape& shape) { return reshape(arange(numel(shape), {.dtype = float32}), shape); }
std::vector<float> values(const Tensor& x) { return x.to_vector<float>(); }

TEST(OnnxReader, FailsWhatItDoesNotRead) {
  EXPECT_EQ(refusal("Relu", {counted({2})}, {.integers = {{"slope", 1}}}), "onnx: attribute slope of Relu is not read");
  EXPECT_EQ(refusal("Relu", {counted({2}), counted({2})}, {}), "onnx: input 1 of Relu is not read");
  EXPECT_EQ(refusal("Relu", {counted({2}), Tensor()}, {}), "was accepted");
}

TEST(OnnxReader, PadsTheAxesThatAreNamed) {
  const Tensor x = counted({2, 2});
  EXPECT_EQ(values(call("Pad", {x, whole({1, 0}), Tensor(), whole({-1})}, {})[0]),
            (std::vector<float>{0, 0, 1, 0, 2, 3}));
  EXPECT_EQ(values(call("Pad", {x, whole({1, 0}), Tensor(), whole({0})}, {})[0]),
            (std::vector<float>{0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(refusal("Pad", {x, whole({1, 0})}, {}), "onnx: Pad has 2 amounts for 2 axes");
}

TEST(OnnxReader, PadsFromTheOtherSide) {
  EXPECT_EQ(values(call("Pad", {counted({3}), whole({1, 2})}, {.words = {{"mode", "wrap"}}})[0]),
            (std::vector<float>{2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(refusal("Pad", {counted({3}), whole({1, 2})}, {.words = {{"mode", "mirror"}}}),
            "onnx: Pad with mode = mirror is no operator here");
}

TEST(OnnxReader, RefusesDilationOfAveragesAndFiltersOfResize) {
  EXPECT_EQ(
      refusal("AveragePool", {counted({1, 1, 4, 4})}, {.ints = {{"kernel_shape", {2, 2}}, {"dilations", {2, 2}}}}),
      "onnx: avg_pool2d has no dilation");
  EXPECT_EQ(values(call("AveragePool", {counted({1, 1, 2, 2})},
                        {.ints = {{"kernel_shape", {2, 2}}, {"dilations", {1, 1}}}})[0]),
            (std::vector<float>{1.5f}));
  const std::vector<Tensor> doubled{counted({1, 1, 2}), Tensor(), from_vector<float>({1, 1, 2}, {3})};
  EXPECT_EQ(refusal("Resize", doubled, {.integers = {{"antialias", 1}}, .words = {{"mode", "linear"}}}),
            "onnx: another kind of interpolation than PyTorch's");
  EXPECT_EQ(refusal("Resize", doubled, {.integers = {{"antialias", 0}}, .words = {{"mode", "linear"}}}),
            "was accepted");
  EXPECT_EQ(refusal("Resize", {counted({1, 2, 2}), Tensor(), from_vector<float>({1, 2, 2}, {3})},
                    {.words = {{"mode", "linear"}}}),
            "onnx: interpolate keeps the first two dimensions");
}

TEST(OnnxReader, MovesSpaceToDepthInBothOrders) {
  const Tensor x = counted({1, 4, 4, 6});
  for (const char* mode : {"DCR", "CRD"}) {
    const Given given{.integers = {{"blocksize", 2}}, .words = {{"mode", mode}}};
    EXPECT_EQ(values(call("DepthToSpace", {call("SpaceToDepth", {x}, given)[0]}, given)[0]), values(x)) << mode;
  }
  const Tensor y =
      call("SpaceToDepth", {counted({1, 2, 2, 2})}, {.integers = {{"blocksize", 2}}, .words = {{"mode", "CRD"}}})[0];
  EXPECT_EQ(values(y), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(OnnxReader, SplitsIntoASmallerLastPart) {
  const std::vector<Tensor> parts = call("Split", {counted({7})}, {.integers = {{"num_outputs", 4}}}, 4);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(values(parts[2]), (std::vector<float>{4, 5}));
  EXPECT_EQ(values(parts[3]), (std::vector<float>{6}));
}

// The window that would begin in the padding at the end is none, on minima's own way and with padding put there before.
TEST(OnnxReader, RoundsSizesUpAsOnnxDoes) {
  const auto pooled = [](const char* op, std::vector<std::int64_t> pads, std::int64_t stride, std::int64_t include) {
    Given given{.ints = {{"kernel_shape", {3}}, {"pads", std::move(pads)}, {"strides", {stride}}},
                .integers = {{"ceil_mode", 1}}};
    if (include >= 0) given.integers["count_include_pad"] = include;
    return values(call(op, {counted({1, 1, 5}) + 1}, given)[0]);  // 1 2 3 4 5
  };
  EXPECT_EQ(pooled("MaxPool", {1, 1}, 3, -1), (std::vector<float>{2, 5}));
  EXPECT_EQ(pooled("MaxPool", {1, 1}, 4, -1), (std::vector<float>{2, 5}));
  EXPECT_EQ(pooled("MaxPool", {0, 2}, 5, -1), (std::vector<float>{3}));  // the second would start past the image
  EXPECT_EQ(pooled("MaxPool", {1, 0}, 2, -1), (std::vector<float>{2, 4, 5}));
  EXPECT_EQ(pooled("AveragePool", {1, 1}, 4, 0), (std::vector<float>{1.5f, 4.5f}));
  EXPECT_EQ(pooled("AveragePool", {1, 1}, 4, 1), (std::vector<float>{1, 3}));
  EXPECT_EQ(pooled("AveragePool", {0, 2}, 5, 1), (std::vector<float>{2}));
  EXPECT_EQ(pooled("AveragePool", {1, 0}, 2, 0), (std::vector<float>{1.5f, 3, 4.5f}));
}

TEST(OnnxReader, PadsForTheExtentOfADilatedWindow) {
  const Given given{.ints = {{"kernel_shape", {3}}, {"dilations", {2}}}, .words = {{"auto_pad", "SAME_UPPER"}}};
  EXPECT_EQ(values(call("MaxPool", {counted({1, 1, 6})}, given)[0]), (std::vector<float>{2, 3, 4, 5, 4, 5}));
}

}  // namespace
}  // namespace minima::onnx::reader_test
