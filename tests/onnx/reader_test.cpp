#include <minima/onnx/operators/operators.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

// Attributes that the installed test data do not have: honoured, or refused by name.

namespace minima::onnx::reader_test {
namespace {

struct Given {
  std::map<std::string, std::vector<std::int64_t>> ints{};
  std::map<std::string, std::int64_t> integers{};
  std::map<std::string, std::string> words{};
};

std::vector<Tensor> call(const std::string& op, const std::vector<Tensor>& inputs, const Given& given,
                         std::size_t outputs = 1, std::int64_t opset = newest_opset) {
  Node node{.op = op, .inputs = {}, .outputs = std::vector<std::string>(outputs, "y"), .attributes = {}};
  for (const auto& [name, value] : given.ints) node.attributes[name].ints = value;
  for (const auto& [name, value] : given.integers) node.attributes[name].i = value;
  for (const auto& [name, value] : given.words) node.attributes[name].s = value;
  return run(node, inputs, opset);
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

TEST(OnnxReader, RefusesDilationOfAverages) {
  EXPECT_EQ(
      refusal("AveragePool", {counted({1, 1, 4, 4})}, {.ints = {{"kernel_shape", {2, 2}}, {"dilations", {2, 2}}}}),
      "onnx: avg_pool2d has no dilation");
  EXPECT_EQ(values(call("AveragePool", {counted({1, 1, 2, 2})},
                        {.ints = {{"kernel_shape", {2, 2}}, {"dilations", {1, 1}}}})[0]),
            (std::vector<float>{1.5f}));
}

std::vector<float> resized(const Tensor& x, std::vector<float> scales, const Given& given, std::int64_t opset = 18) {
  const auto count = static_cast<std::int64_t>(scales.size());
  std::vector<Tensor> inputs{x, Tensor(), from_vector(scales, {count})};
  if (opset < 11) inputs.erase(inputs.begin() + 1);
  return values(call("Resize", inputs, given, 1, opset)[0]);
}

TEST(OnnxReader, ResizesWithAWiderFilterAndAlongAnyDimension) {
  EXPECT_EQ(resized(counted({1, 1, 4}), {1, 1, 0.5}, {.integers = {{"antialias", 1}}, .words = {{"mode", "linear"}}}),
            (std::vector<float>{0.625f, 2.375f}));
  EXPECT_EQ(resized(counted({2, 1}), {2, 2}, {.words = {{"mode", "linear"}}}),
            (std::vector<float>{0, 0, 0.25f, 0.25f, 0.75f, 0.75f, 1, 1}));
  EXPECT_EQ(refusal("Resize", {counted({1, 1, 2}), Tensor(), from_vector<float>({1, 2}, {2})}, {}),
            "onnx: Resize has 2 numbers for 3 dimensions");
}

// By interpolate's rule, elements are read from the corners of pixels: 0 0 1 2 3.
TEST(OnnxReader, ResizesToTheNearestCentreByAFactorThatIsNotWhole) {
  EXPECT_EQ(resized(counted({1, 1, 4}), {1, 1, 1.25f}, {}), (std::vector<float>{0, 1, 1, 2, 3}));
  EXPECT_EQ(resized(counted({1, 1, 2}), {1, 1, 2}, {.words = {{"nearest_mode", "floor"}}}),
            (std::vector<float>{0, 0, 0, 1}));
}

TEST(OnnxReader, EnlargesByCornersBeforeOpset11) {
  EXPECT_EQ(resized(counted({1, 1, 2}), {1, 1, 2}, {}, 10), (std::vector<float>{0, 0, 1, 1}));
  EXPECT_THROW(resized(counted({1, 1, 4}), {1, 1, 0.5}, {}, 10), ValueError);
}

TEST(OnnxReader, CropsTransposedConvolutionsOnBothSides) {
  const Tensor x = counted({1, 1, 3}) + 1, weight = counted({1, 1, 3}) + 1;  // 1 2 3 by 1 2 3
  const auto cropped = [&](std::vector<std::int64_t> pads) {
    return values(call("ConvTranspose", {x, weight}, {.ints = {{"pads", std::move(pads)}}})[0]);
  };
  EXPECT_EQ(cropped({0, 0}), (std::vector<float>{1, 4, 10, 12, 9}));
  EXPECT_EQ(cropped({1, 1}), (std::vector<float>{4, 10, 12}));
  EXPECT_EQ(cropped({0, 2}), (std::vector<float>{1, 4, 10}));
}

// The new state is tanh((r·h)·w + b), where PyTorch's GRU takes tanh(r·(h·w + b)); here r = z = 1/2.
TEST(OnnxReader, ResetsTheStateOfAGruBeforeItsProduct) {
  const Tensor x = zeros({2, 1, 1}), weight = zeros({1, 3, 1}), bias = from_vector<float>({0, 0, 0, 0, 0, 1}, {1, 6});
  const Tensor recurrence = from_vector<float>({0, 0, 2}, {1, 3, 1});
  const std::vector<Tensor> results = call("GRU", {x, weight, recurrence, bias}, {.integers = {{"hidden_size", 1}}}, 2);
  const double first = 0.5 * std::tanh(1.0), second = 0.5 * first + 0.5 * std::tanh(first + 1);
  EXPECT_NEAR(values(results[0])[0], first, 1e-6);
  EXPECT_NEAR(values(results[0])[1], second, 1e-6);
  EXPECT_NEAR(values(results[1])[0], second, 1e-6);
}

TEST(OnnxReader, WritesAnUpdateIntoACache) {
  const Tensor cache = zeros({2, 3, 1}), update = counted({2, 2, 1}) + 1;  // 1 2, 3 4
  const Given circular{.words = {{"mode", "circular"}}};
  EXPECT_EQ(values(call("TensorScatter", {cache, update, whole({0, 1})}, {})[0]),
            (std::vector<float>{1, 2, 0, 0, 3, 4}));
  EXPECT_EQ(values(call("TensorScatter", {cache, update, whole({2, 1})}, circular)[0]),
            (std::vector<float>{2, 0, 1, 0, 3, 4}));
  EXPECT_ANY_THROW(call("TensorScatter", {cache, update, whole({2, 1})}, {}));
}

TEST(OnnxReader, BroadcastsByAxisBeforeOpset7) {
  const Given along{.integers = {{"broadcast", 1}, {"axis", 0}}};
  EXPECT_EQ(values(call("Add", {counted({2, 2}), counted({2}) * 10}, along, 1, 6)[0]),
            (std::vector<float>{0, 1, 12, 13}));
  EXPECT_EQ(refusal("Add", {counted({2, 2}), counted({2})}, along), "onnx: attribute axis of Add is not read");
}

TEST(OnnxReader, PoolsIntegersOfEightBits) {
  const Tensor x = from_vector<std::uint8_t>({3, 255, 7, 1}, {1, 1, 4});
  const Tensor y = call("MaxPool", {x}, {.ints = {{"kernel_shape", {2}}, {"strides", {2}}}})[0];
  EXPECT_EQ(y.dtype(), uint8);
  EXPECT_EQ(y.to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{255, 7}));
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
