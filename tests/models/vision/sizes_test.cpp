#include "tests/models/zoo.h"

#include <minima/models/vision/convnext.h>
#include <minima/models/vision/efficientnet.h>
#include <minima/models/vision/mobilenet_v3.h>
#include <minima/models/vision/resnet.h>
#include <minima/models/vision/unet.h>
#include <minima/models/vision/vgg.h>
#include <minima/models/vision/vision_transformer.h>
#include <minima/nn/init/skip.h>
#include <minima/tensor/device/observer.h>

// Sizes of the image models are those that torchvision publishes.

namespace minima::sizes_test {
namespace {

template <class Net, class Options>
std::int64_t count(const Options& options) {
  const nn::init::Skip skip;
  return test::parameter_count(Net(options));
}

TEST(ImageModelSizes, ResNet) {
  const auto size = [](int depth) { return count<models::ResNet, models::ResNetOptions>({.depth = depth}); };
  EXPECT_EQ(size(18), 11'689'512);
  EXPECT_EQ(size(34), 21'797'672);
  EXPECT_EQ(size(50), 25'557'032);
  EXPECT_EQ(size(101), 44'549'160);
  EXPECT_EQ(size(152), 60'192'808);
}

TEST(ImageModelSizes, VGG) {
  const auto size = [](int depth, bool norm) {
    return count<models::VGG, models::VGGOptions>({.depth = depth, .batch_norm = norm});
  };
  EXPECT_EQ(size(11, false), 132'863'336);
  EXPECT_EQ(size(13, false), 133'047'848);
  EXPECT_EQ(size(16, false), 138'357'544);
  EXPECT_EQ(size(19, false), 143'667'240);
  EXPECT_EQ(size(11, true), 132'868'840);
  EXPECT_EQ(size(19, true), 143'678'248);
}

TEST(ImageModelSizes, MobileNetV3) {
  EXPECT_EQ((count<models::MobileNetV3, models::MobileNetV3Options>({.large = false})), 2'542'856);
  EXPECT_EQ((count<models::MobileNetV3, models::MobileNetV3Options>({})), 5'483'032);
}

TEST(ImageModelSizes, EfficientNet) {
  EXPECT_EQ((count<models::EfficientNet, models::EfficientNetOptions>({})), 5'288'548);
  EXPECT_EQ((count<models::EfficientNet, models::EfficientNetOptions>({.width = 1.4, .depth = 1.8})), 19'341'616);
}

TEST(ImageModelSizes, ConvNeXt) {
  EXPECT_EQ((count<models::ConvNeXt, models::ConvNeXtOptions>({})), 28'589'128);
  EXPECT_EQ((count<models::ConvNeXt, models::ConvNeXtOptions>({.blocks = {3, 3, 27, 3}})), 50'223'688);
}

TEST(ImageModelSizes, VisionTransformer) {
  using Options = models::VisionTransformerOptions;
  EXPECT_EQ((count<models::VisionTransformer, Options>({})), 86'567'656);
  EXPECT_EQ((count<models::VisionTransformer, Options>({.layers = 24, .heads = 16, .width = 1024, .mlp = 4096})),
            304'326'632);
}

TEST(ImageModelSizes, UNet) { EXPECT_EQ((count<models::UNet, models::UNetOptions>({.classes = 1})), 31'037'633); }

/// Multiplications in a forward pass for one image of 224 × 224, in units of 10⁹.
double multiplications(nn::Module& net) {
  struct Counter final : Observer {
    Counter() : previous(set_observer(this)) {}
    Counter(const Counter&) = delete;
    ~Counter() { set_observer(previous); }
    void begin(const char* op, Cost cost) override {
      if (const std::string name = op; name == "conv2d" || name == "linear") flops += static_cast<double>(cost.flops);
    }
    void end() noexcept override {}
    double flops = 0;
    Observer* previous;
  } counter;
  net.eval();
  net(zeros({1, 3, 224, 224}));  // recorded, so that convolutions are operators of their own
  return counter.flops / 2e9;
}

TEST(ImageModelSizes, MultiplicationsAreThosePublished) {
  models::ResNet resnet({.depth = 18});
  EXPECT_NEAR(multiplications(resnet), 1.814, 0.002);
  models::MobileNetV3 mobilenet({.large = false});
  EXPECT_NEAR(multiplications(mobilenet), 0.057, 0.001);
  models::EfficientNet efficientnet;
  EXPECT_NEAR(multiplications(efficientnet), 0.386, 0.002);
}

}  // namespace
}  // namespace minima::sizes_test
