#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::nn::volumes_test {
namespace {

template <class Layer>
bool takes_one_sample(Layer layer, const Tensor& x) {
  const Tensor y = layer(x);
  return y.rank() == x.rank() && identical(y, squeeze(layer(unsqueeze(x, 0)), 0));
}

TEST(Conv3dLayer, IsTheFunctionWithPyTorchsShapes) {
  Conv3d layer({.in = 4, .out = 6, .kernel = {3, 2, 1}, .stride = 2, .padding = {1, 0, 0}, .groups = 2});
  EXPECT_EQ(layer.weight.shape(), (Shape{6, 2, 3, 2, 1}));
  const Tensor x = randn({2, 4, 5, 6, 7});
  EXPECT_TRUE(
      identical(layer(x), conv3d(x, layer.weight, layer.bias, {.stride = 2, .padding = {1, 0, 0}, .groups = 2})));
  EXPECT_TRUE(takes_one_sample(layer, randn({4, 5, 6, 7})));
  EXPECT_THROW(Conv3d({.in = 1, .out = 1}), ValueError);
}

TEST(ConvTranspose3dLayer, IsTheFunctionWithPyTorchsShapes) {
  ConvTranspose3d layer({.in = 4, .out = 6, .kernel = {3, 2, 2}, .stride = 2, .output_padding = {1, 0, 0}});
  EXPECT_EQ(layer.weight.shape(), (Shape{4, 6, 3, 2, 2}));
  const Tensor x = randn({2, 4, 3, 4, 2});
  EXPECT_TRUE(
      identical(layer(x), conv_transpose3d(x, layer.weight, layer.bias, {.stride = 2, .output_padding = {1, 0, 0}})));
}

/// A mode pads before a convolution without padding.
TEST(ConvPaddingMode, PadsWithX) {
  for (const PadMode mode : {PadMode::reflect, PadMode::replicate, PadMode::circular}) {
    Conv1d line({.in = 2, .out = 3, .kernel = 3, .padding = 2, .padding_mode = mode});
    const Tensor x = randn({2, 2, 6});
    EXPECT_TRUE(identical(line(x), conv1d(pad(x, {2, 2}, mode), line.weight, line.bias)));
    Conv2d image({.in = 2, .out = 3, .kernel = 3, .stride = 2, .padding = {2, 1}, .padding_mode = mode});
    const Tensor y = randn({2, 2, 6, 5});
    EXPECT_TRUE(identical(image(y), conv2d(pad(y, {1, 1, 2, 2}, mode), image.weight, image.bias, {.stride = 2})));
    Conv3d volume({.in = 2, .out = 3, .kernel = 3, .padding = {2, 1, 0}, .padding_mode = mode});
    const Tensor z = randn({2, 2, 6, 5, 4});
    EXPECT_TRUE(identical(volume(z), conv3d(pad(z, {0, 0, 1, 1, 2, 2}, mode), volume.weight, volume.bias)));
  }
}

/// An even kernel pads one element more at the end.
TEST(ConvPaddingMode, SameKeepsTheSize) {
  Conv2d layer({.in = 2, .out = 3, .kernel = {3, 4}, .dilation = {2, 1}, .same = true});
  const Tensor x = randn({1, 2, 6, 5});
  const Tensor y = layer(x);
  EXPECT_EQ(y.shape(), (Shape{1, 3, 6, 5}));
  EXPECT_TRUE(identical(y, conv2d(pad(x, {1, 2, 2, 2}), layer.weight, layer.bias, {.dilation = {2, 1}})));
  EXPECT_EQ(Conv1d({.in = 1, .out = 1, .kernel = 4, .padding_mode = PadMode::circular, .same = true})(ones({1, 1, 5}))
                .shape(),
            (Shape{1, 1, 5}));
  EXPECT_EQ(Conv3d({.in = 1, .out = 1, .kernel = 2, .same = true})(ones({1, 1, 5, 4, 3})).shape(),
            (Shape{1, 1, 5, 4, 3}));
  EXPECT_THROW(Conv2d({.in = 1, .out = 1, .kernel = 3, .stride = 2, .same = true}), ValueError);
}

TEST(Pooling3dLayers, AreTheirFunctions) {
  const Tensor x = rand({2, 3, 4, 5, 6});
  EXPECT_TRUE(identical(MaxPool3d({.kernel = 2})(x), max_pool3d(x, 2)));
  EXPECT_TRUE(identical(AvgPool3d({.kernel = {1, 2, 3}})(x), avg_pool3d(x, {.kernel = {1, 2, 3}})));
  EXPECT_TRUE(identical(AdaptiveAvgPool3d({2, 1, 3})(x), adaptive_avg_pool3d(x, {2, 1, 3})));
  EXPECT_TRUE(identical(AdaptiveMaxPool3d(2)(x), adaptive_max_pool3d(x, 2)));
  EXPECT_TRUE(identical(LPPool3d(2, {.kernel = 2})(x), lp_pool3d(x, 2, {.kernel = 2})));
  EXPECT_TRUE(identical(LPPool2d(3, {.kernel = 2})(x[0]), lp_pool2d(x[0], 3, {.kernel = 2})));
  EXPECT_TRUE(identical(LPPool1d(1, {.kernel = 2})(x[0][0]), lp_pool1d(x[0][0], 1, {.kernel = 2})));
  EXPECT_TRUE(takes_one_sample(MaxPool3d({.kernel = 2}), x[0]));
}

TEST(MaxUnpoolLayers, PutMaximaBack) {
  const Tensor x = rand({2, 3, 4, 4, 4}) + 1;
  {
    auto [values, indices] = max_pool3d_with_indices(x, {.kernel = 2});
    EXPECT_TRUE(identical(MaxUnpool3d({.kernel = 2})(values, indices), max_unpool3d(values, indices, {.kernel = 2})));
  }
  {
    auto [values, indices] = max_pool2d_with_indices(x[0], {.kernel = 2});
    EXPECT_TRUE(identical(MaxUnpool2d({.kernel = 2})(values, indices), max_unpool2d(values, indices, {.kernel = 2})));
  }
  auto [values, indices] = max_pool1d_with_indices(x[0][0], {.kernel = 2});
  EXPECT_TRUE(identical(MaxUnpool1d({.kernel = 2})(values, indices), max_unpool1d(values, indices, {.kernel = 2})));
}

TEST(RearrangingLayers, AreTheirFunctions) {
  const Tensor x = randn({2, 4, 6, 8});
  const Tensor columns = Unfold({.kernel = 2, .stride = 2})(x);
  EXPECT_EQ(columns.shape(), (Shape{2, 16, 12}));
  EXPECT_TRUE(identical(Fold({6, 8}, {.kernel = 2, .stride = 2})(columns), x));
  EXPECT_EQ(PixelShuffle(2)(x).shape(), (Shape{2, 1, 12, 16}));
  EXPECT_TRUE(identical(PixelUnshuffle(2)(PixelShuffle(2)(x)), x));
}

TEST(BatchNorm3dLayer, NormalisesVolumes) {
  BatchNorm3d norm({.features = 3});
  const Tensor x = randn({2, 3, 2, 4, 5});
  EXPECT_TRUE(allclose(norm(x), reshape(BatchNorm2d({.features = 3})(reshape(x, {2, 3, 8, 5})), x.shape())));
  EXPECT_THROW(norm(randn({2, 3, 4, 5})), ShapeError);
}

TEST(InstanceNormLayers, NormaliseEachSample) {
  const Tensor x = randn({2, 3, 4, 5}) * 3 + 1;
  InstanceNorm2d norm({.features = 3});
  EXPECT_EQ(norm.parameters().size(), 0U);
  EXPECT_TRUE(allclose(norm(x), group_norm(x, 3)));
  EXPECT_TRUE(identical(norm(x[0]), norm(x)[0]));
  EXPECT_EQ(InstanceNorm1d({.features = 3, .affine = true}).parameters().size(), 2U);
  EXPECT_EQ(InstanceNorm3d({.features = 3})(randn({2, 3, 2, 4, 5})).shape(), (Shape{2, 3, 2, 4, 5}));
  EXPECT_THROW(InstanceNorm1d({.features = 3})(x), ShapeError);
  EXPECT_THROW(norm(randn({2, 4, 4, 5})), ShapeError);
}

TEST(InstanceNormLayers, EvaluationUsesRunningStatistics) {
  InstanceNorm1d norm({.features = 2, .momentum = 1, .track_running_stats = true});
  const Tensor x = randn({4, 2, 50}) * 2 + 3;
  norm(x);
  EXPECT_EQ(norm.num_batches_tracked.item<std::int64_t>(), 0);  // PyTorch's never counts, either
  EXPECT_TRUE(allclose(norm.running_mean, mean(x, {0, 2})));
  norm.eval();
  const Tensor mean = reshape(norm.running_mean, {2, 1}), var = reshape(norm.running_var, {2, 1});
  EXPECT_TRUE(allclose(norm(x), (x - mean) / sqrt(var + 1e-5), {.rtol = 1e-5, .atol = 1e-5}));
}

TEST(LocalResponseNormLayer, IsItsFunction) {
  const Tensor x = randn({2, 6, 3, 3});
  EXPECT_TRUE(
      identical(LocalResponseNorm({.size = 3, .alpha = 0.5})(x), local_response_norm(x, {.size = 3, .alpha = 0.5})));
}

}  // namespace
}  // namespace minima::nn::volumes_test
