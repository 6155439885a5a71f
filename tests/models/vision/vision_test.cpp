#include "tests/models/recording.h"
#include "tests/models/zoo.h"

#include <minima/models/vision/convnext.h>
#include <minima/models/vision/efficientnet.h>
#include <minima/models/vision/mobilenet_v3.h>
#include <minima/models/vision/resnet.h>
#include <minima/models/vision/unet.h>
#include <minima/models/vision/vgg.h>
#include <minima/models/vision/vision_transformer.h>

// Image models against torchvision's, with few channels.

namespace minima::vision_test {
namespace {

template <class Net, class Options>
void expect_twin(const std::string& name, const Options& options) {
  Net net(options);
  test::Twin(name).expect_followed(net);
}

TEST(ImageModels, ResNet18IsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::ResNet, models::ResNetOptions>("resnet18", {.depth = 18, .classes = 5, .width = 2});
}

TEST(ImageModels, ResNet50IsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::ResNet, models::ResNetOptions>("resnet50", {.depth = 50, .classes = 5, .width = 1});
}

TEST(ImageModels, VGG11IsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::VGG, models::VGGOptions>("vgg11", {.depth = 11, .classes = 5, .width = 1, .hidden = 6});
}

TEST(ImageModels, VGG13WithNormsIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::VGG, models::VGGOptions>(
      "vgg13_bn", {.depth = 13, .batch_norm = true, .classes = 5, .width = 1, .hidden = 6});
}

TEST(ImageModels, MobileNetV3SmallIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::MobileNetV3, models::MobileNetV3Options>("mobilenet_v3_small",
                                                               {.large = false, .classes = 5, .width = 0.07});
}

TEST(ImageModels, MobileNetV3LargeIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::MobileNetV3, models::MobileNetV3Options>("mobilenet_v3_large", {.classes = 5, .width = 0.05});
}

TEST(ImageModels, EfficientNetB0IsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::EfficientNet, models::EfficientNetOptions>("efficientnet_b0",
                                                                 {.classes = 5, .width = 0.05, .depth = 0.3});
}

TEST(ImageModels, ConvNeXtIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::ConvNeXt, models::ConvNeXtOptions>(
      "convnext", {.classes = 5, .blocks = {1, 1, 2, 1}, .widths = {4, 6, 8, 10}});
}

TEST(ImageModels, VisionTransformerIsTorchvisions) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::VisionTransformer, models::VisionTransformerOptions>(
      "vision_transformer", {.image = 16, .patch = 4, .layers = 2, .heads = 2, .width = 12, .mlp = 24, .classes = 5});
}

TEST(ImageModels, UNetIsMilesials) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_twin<models::UNet, models::UNetOptions>("unet", {.width = 1});
}

// The recording of tests/models/resnet18_test.cpp.
TEST(ImageModels, ResNet18TrainsAsInPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("resnet18");
  models::ResNet net({.depth = 18, .classes = 10, .width = 4});
  recorded.start(net);
  optim::SGD optimizer(net.parameters(), {.lr = 0.02, .momentum = 0.9, .weight_decay = 1e-4, .nesterov = true});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(net(recorded["x"]), recorded["target"], {.label_smoothing = 0.1});
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("mean", net.bn1.running_mean);
}

template <class Net, class Options>
std::string refusal(const Options& options) {
  try {
    Net net(options);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

TEST(ImageModels, RefuseBadOptions) {
  EXPECT_EQ((refusal<models::ResNet, models::ResNetOptions>({.depth = 20})),
            "ResNet: depth must be 18, 34, 50, 101 or 152, not 20");
  EXPECT_EQ((refusal<models::ResNet, models::ResNetOptions>({.width = INT64_MAX})),
            "ResNet: width must be from 1 to 16777216, not 9223372036854775807");
  EXPECT_EQ((refusal<models::VGG, models::VGGOptions>({.depth = 12})), "VGG: depth must be 11, 13, 16 or 19, not 12");
  EXPECT_EQ((refusal<models::MobileNetV3, models::MobileNetV3Options>({.width = 0})),
            "MobileNetV3: width must be above 0 and at most 1000, not 0");
  EXPECT_EQ((refusal<models::EfficientNet, models::EfficientNetOptions>({.stochastic_depth = 2})),
            "EfficientNet: stochastic_depth must be from 0 to 1, not 2");
  EXPECT_EQ((refusal<models::ConvNeXt, models::ConvNeXtOptions>({.blocks = {1, 0, 1, 1}})),
            "ConvNeXt: blocks must be from 1 to 16777216, not 0");
  EXPECT_EQ((refusal<models::VisionTransformer, models::VisionTransformerOptions>({.image = 225})),
            "VisionTransformer: patch = 16 must divide image = 225");
  EXPECT_EQ((refusal<models::UNet, models::UNetOptions>({.in = 0})), "UNet: in must be from 1 to 16777216, not 0");
}

TEST(ImageModels, VisionTransformerRefusesOtherSizes) {
  models::VisionTransformer net({.image = 16, .patch = 4, .layers = 1, .heads = 2, .width = 12, .mlp = 24});
  try {
    net(zeros({2, 3, 16, 20}));
    FAIL() << "not thrown";
  } catch (const ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("x must be [N, 3, 16, 16], not [2, 3, 16, 20]"), std::string::npos)
        << error.what();
  }
}

TEST(ImageModels, StochasticDepthDropsWholeSamplesInTraining) {
  models::ConvNeXt net({.classes = 3, .blocks = {1, 1, 1, 2}, .widths = {4, 4, 4, 4}, .stochastic_depth = 1});
  const Tensor x = randn({2, 3, 32, 32});
  const auto output = [&](double scale_of_last_block) {
    const NoGrad guard;
    for (const nn::NamedTensor& p : net.named_parameters())
      if (p.name == "features.7.1.layer_scale") nn::init::constant_(p.tensor, scale_of_last_block);
    return net(x);
  };
  const auto last_block_counts = [&] { return !allclose(output(1), output(2)); };
  EXPECT_FALSE(last_block_counts());
  net.eval();
  EXPECT_TRUE(last_block_counts());
}

}  // namespace
}  // namespace minima::vision_test
