#include "tests/onnx/zoo.h"

#include <minima/autograd/mode.h>
#include <minima/minima.h>
#include <minima/nn/layers/embedding_bag.h>
#include <minima/nn/layers/padding.h>

namespace minima::onnx::test_zoo {

std::vector<DynamicSize> dynamic_batch(std::size_t inputs) {
  std::vector<DynamicSize> sizes;
  for (std::size_t i = 0; i < inputs; ++i) sizes.push_back({"x" + std::to_string(i), 0, "batch"});
  return sizes;
}

void save_case(const Case& c, const std::string& path) {
  const NoGrad guard;
  c.module->for_each([](nn::ModuleBase& m) {
    if (auto* norm = m.as<nn::BatchNorm>(); norm && norm->running_mean.defined()) {
      copy_(norm->running_mean, 0.05 * randn(norm->running_mean.shape()));
      copy_(norm->running_var, 0.3 + 0.2 * rand(norm->running_var.shape()));
    }
  });
  for (const Tensor& parameter : c.module->parameters()) add_(parameter, 0.05 * randn(parameter.shape()));
  c.module->eval();
  save(path, *c.module, c.inputs, c.forward, c.options);
}

std::vector<Tensor> other_inputs(const Case& c) {
  std::vector<Tensor> inputs = c.inputs;
  for (const DynamicSize& size : c.options.dynamic) {
    Tensor& x = inputs[static_cast<std::size_t>(size.input[1] - '0')];
    x = cat({x, x, narrow(x, size.dim, 0, 1)}, size.dim);
  }
  return inputs;
}

std::vector<Case> layers() {
  const Tensor image = randn({2, 4, 8, 6}), rows = randn({3, 6}), sequence = randn({2, 4, 9}),
               volume = randn({2, 4, 4, 6, 5});
  const auto batch = dynamic_batch();
  return {
      make_case("Linear", nn::Linear({.in = 6, .out = 5}), {rows}, batch),
      make_case("Linear, gelu, rank 3", nn::Linear({.in = 9, .out = 5, .activation = Activation::gelu}), {sequence},
                batch),
      make_case("Conv1d", nn::Conv1d({.in = 4, .out = 6, .kernel = 3, .stride = 2, .padding = 1}), {sequence}, batch),
      make_case("Conv2d", nn::Conv2d({.in = 4, .out = 6, .kernel = 3, .stride = {2, 1}, .padding = 1, .groups = 2}),
                {image}, {{"x0", 0, "batch"}, {"x0", 2, "height"}, {"x0", 3, "width"}}),
      make_case("Conv3d", nn::Conv3d({.in = 4, .out = 3, .kernel = 3, .padding = 1}), {volume}, batch),
      make_case("ConvTranspose1d", nn::ConvTranspose1d({.in = 4, .out = 3, .kernel = 3, .stride = 2}), {sequence},
                batch),
      make_case("ConvTranspose2d",
                nn::ConvTranspose2d({.in = 4, .out = 3, .kernel = 3, .stride = 2, .padding = 1, .output_padding = 1}),
                {image}, {{"x0", 0, "batch"}, {"x0", 2, "height"}}),
      make_case("ConvTranspose3d", nn::ConvTranspose3d({.in = 4, .out = 3, .kernel = 2, .stride = 2}), {volume}, batch),
      make_case("MaxPool1d", nn::MaxPool1d({.kernel = 2}), {sequence}, batch),
      make_case("MaxPool2d", nn::MaxPool2d({.kernel = 3, .stride = 2, .padding = 1}), {image}, batch),
      make_case("MaxPool3d", nn::MaxPool3d({.kernel = 2}), {volume}, batch),
      make_case("AvgPool1d", nn::AvgPool1d({.kernel = 3, .stride = 2, .padding = 1}), {sequence}, batch),
      make_case("AvgPool2d", nn::AvgPool2d({.kernel = 3, .stride = 2, .padding = 1}), {image}, batch),
      make_case("AvgPool3d", nn::AvgPool3d({.kernel = 2}), {volume}, batch),
      make_case("AdaptiveAvgPool1d", nn::AdaptiveAvgPool1d(3), {sequence}, batch),
      make_case("AdaptiveAvgPool2d", nn::AdaptiveAvgPool2d(1), {image}, {{"x0", 0, "batch"}, {"x0", 2, "height"}}),
      make_case("BatchNorm1d", nn::BatchNorm1d({.features = 6}), {rows}, batch),
      make_case("BatchNorm2d", nn::BatchNorm2d({.features = 4}), {image}, batch),
      make_case("BatchNorm3d", nn::BatchNorm3d({.features = 4}), {volume}, batch),
      make_case("Conv2d, BatchNorm2d and ReLU",
                nn::Sequential(nn::Conv2d({.in = 4, .out = 6, .kernel = 3, .stride = 2}),
                               nn::BatchNorm2d({.features = 6, .affine = false}), nn::ReLU()),
                {image}, batch),
      make_case("GroupNorm", nn::GroupNorm({.groups = 2, .channels = 4}), {image}, batch),
      make_case("InstanceNorm2d", nn::InstanceNorm2d({.features = 4, .affine = true}), {image}, batch),
      make_case("LayerNorm", nn::LayerNorm({.shape = {6}}), {image}, batch),
      make_case("RMSNorm", nn::RMSNorm({.shape = {6}}), {image}, batch),
      make_case("LocalResponseNorm", nn::LocalResponseNorm({.size = 3}), {image}, batch),
      make_case("Embedding", nn::Embedding({.count = 10, .dim = 4}),
                {from_vector<std::int64_t>({1, 2, 9, 0, 3, 3}, {2, 3})}, {{"x0", 0, "batch"}, {"x0", 1, "length"}}),
      make_case("Flatten", nn::Flatten(), {image}, batch),
      make_case("Upsample, nearest", nn::Upsample({.scale = {2}}), {image}, batch),
      make_case("Upsample, linear", nn::Upsample({.size = {11, 13}, .mode = InterpolateMode::linear}), {image}, batch),
      make_case("Upsample, corners",
                nn::Upsample({.scale = {2}, .mode = InterpolateMode::linear, .align_corners = true}), {image}, batch),
      make_case("Upsample, cubic", nn::Upsample({.size = {11, 13}, .mode = InterpolateMode::cubic}), {image}, batch),
      make_case("antialiased", nn::Upsample({.size = {5, 4}, .mode = InterpolateMode::cubic}), {image}, batch,
                [](const std::vector<Tensor>& in) {
                  return std::vector<Tensor>{
                      interpolate(in[0], {.size = {5, 4}, .mode = InterpolateMode::cubic, .antialias = true})};
                }),
      make_case("PixelShuffle", nn::PixelShuffle(2), {image}, batch),
      make_case("PixelUnshuffle", nn::PixelUnshuffle(2), {image}, batch),
      make_case("ChannelShuffle", nn::ChannelShuffle(2), {image}, batch),
      make_case("ReflectionPad2d", nn::ReflectionPad2d({.amounts = {1}}), {image}, batch),
      make_case("ReplicationPad2d", nn::ReplicationPad2d({.amounts = {1}}), {image}, batch),
      make_case("ZeroPad2d", nn::ZeroPad2d({.amounts = {1}}), {image}, batch),
      make_case("ReLU6", nn::ReLU6(), {image}, batch),
      make_case("SiLU", nn::SiLU(), {image}, batch),
      make_case("GELU", nn::GELU(), {image}, batch),
      make_case("SELU", nn::SELU(), {image}, batch),
      make_case("ELU", nn::ELU({.alpha = 0.7}), {image}, batch),
      make_case("CELU", nn::CELU({.alpha = 0.7}), {image}, batch),
      make_case("Mish", nn::Mish(), {image}, batch),
      make_case("Hardswish", nn::Hardswish(), {image}, batch),
      make_case("Hardsigmoid", nn::Hardsigmoid(), {image}, batch),
      make_case("Softsign", nn::Softsign(), {image}, batch),
      make_case("LogSigmoid", nn::LogSigmoid(), {image}, batch),
      make_case("Tanhshrink", nn::Tanhshrink(), {image}, batch),
      make_case("LeakyReLU", nn::LeakyReLU(), {image}, batch),
      make_case("PReLU", nn::PReLU({.features = 4}), {image}, batch),
      make_case("RReLU", nn::RReLU(), {image}, batch),
      make_case("Threshold", nn::Threshold(0.1, -1), {image}, batch),
      make_case("Softplus", nn::Softplus({.beta = 2}), {image}, batch),
      make_case("Hardtanh", nn::Hardtanh(), {image}, batch),
      make_case("Hardshrink", nn::Hardshrink(), {image}, batch),
      make_case("Softshrink", nn::Softshrink(), {image}, batch),
      make_case("Softmax", nn::Softmax({.dim = 1}), {image}, batch),
      make_case("LogSoftmax", nn::LogSoftmax({.dim = -1}), {image}, batch),
      make_case("Softmin", nn::Softmin({.dim = 1}), {image}, batch),
      make_case("GLU", nn::GLU({.dim = 1}), {image}, batch),
      make_case("Dropout", nn::Dropout(), {image}, batch),
      make_case("Unfold", nn::Unfold({.kernel = {3, 2}, .padding = 1, .stride = 2}), {image},
                {{"x0", 0, "batch"}, {"x0", 2, "height"}}),
      make_case("Fold", nn::Fold({8, 6}, {.kernel = 2, .stride = 2}), {randn({2, 16, 12})}, batch),
      make_case("Upsample, volume", nn::Upsample({.scale = {2}, .mode = InterpolateMode::linear}), {volume}, batch),
      make_case("EmbeddingBag", nn::EmbeddingBag({.count = 10, .dim = 4, .padding = 3}),
                {from_vector<std::int64_t>({1, 2, 9, 0, 3, 3}, {2, 3})}, batch),
      make_case("EmbeddingBag, offsets", nn::EmbeddingBag({.count = 10, .dim = 4, .mode = BagMode::sum}),
                {from_vector<std::int64_t>({1, 2, 9, 0, 3, 3}, {6}), from_vector<std::int64_t>({0, 2, 2}, {3})}, {}),
      make_case("LPPool2d", nn::LPPool2d(2, {.kernel = 2}), {abs(image)}, batch),
  };
}

}  // namespace minima::onnx::test_zoo
