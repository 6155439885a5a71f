#include "tests/onnx/zoo.h"

#include "examples/fashion_mnist/network.h"
#include "examples/fno/network.h"
#include "examples/resnet/network.h"

#include <minima/minima.h>
#include <minima/models/vision/convnext.h>
#include <minima/models/vision/efficientnet.h>
#include <minima/models/vision/mobilenet_v3.h>
#include <minima/models/vision/resnet.h>
#include <minima/models/vision/unet.h>
#include <minima/models/vision/vgg.h>
#include <minima/models/vision/vision_transformer.h>

namespace minima::onnx::test_zoo {

std::vector<Case> networks() {
  const Tensor image = randn({1, 3, 32, 32});
  const std::vector<DynamicSize> all{{"x0", 0, "batch"}, {"x0", 2, "height"}, {"x0", 3, "width"}};
  return {
      make_case("fashion_mnist", ::Network(), {randn({2, 1, 28, 28})}, dynamic_batch()),
      make_case("fno", ::FourierNeuralOperator(6, 3, 2), {rand({2, 1, 10, 9})}, dynamic_batch()),
      make_case("resnet", ::ResNet(18, 10), {image}, all),
      make_case("ResNet-18", models::ResNet({.depth = 18, .classes = 10, .width = 16}), {image}, all),
      make_case("ResNet-50", models::ResNet({.depth = 50, .classes = 10, .width = 8}), {image}, all),
      make_case("VGG-11", models::VGG({.depth = 11, .batch_norm = true, .classes = 10, .width = 8, .hidden = 32}),
                {image}, dynamic_batch()),
      make_case("MobileNetV3", models::MobileNetV3({.large = false, .classes = 10}), {image}, all),
      make_case("EfficientNet", models::EfficientNet({.classes = 10, .width = 0.25, .depth = 0.5}), {image}, all),
      make_case("ConvNeXt", models::ConvNeXt({.classes = 10, .blocks = {1, 1, 2, 1}, .widths = {8, 16, 24, 32}}),
                {image}, dynamic_batch()),
      make_case("UNet", models::UNet({.in = 3, .classes = 2, .width = 4}), {image}, dynamic_batch()),
      make_case("VisionTransformer",
                models::VisionTransformer(
                    {.image = 32, .patch = 8, .layers = 2, .heads = 2, .width = 16, .mlp = 24, .classes = 10}),
                {randn({2, 3, 32, 32})}, dynamic_batch()),
  };
}

}  // namespace minima::onnx::test_zoo
