#include "tests/models/recording.h"

// ResNet-18 (He et al. 2015) at a sixteenth of its width, with torchvision's names.

namespace minima {
namespace {

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  return nn::Conv2d({.in = in, .out = out, .kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
}

struct BasicBlock : nn::Module {
  BasicBlock(std::int64_t in, std::int64_t width, std::int64_t stride)
      : conv1(child("conv1", conv(in, width, 3, stride))),
        bn1(child("bn1", nn::BatchNorm2d({.features = width}))),
        conv2(child("conv2", conv(width, width, 3))),
        bn2(child("bn2", nn::BatchNorm2d({.features = width}))),
        downsample(child("downsample", nn::OptionalOf<nn::Sequential>())) {
    if (stride != 1 || in != width)
      downsample = nn::Sequential(conv(in, width, 1, stride), nn::BatchNorm2d({.features = width}));
  }
  Tensor forward(const Tensor& x) override {
    const Tensor y = bn2(conv2(relu(bn1(conv1(x)))));
    return relu(y + (downsample ? (*downsample)(x) : x));
  }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::OptionalOf<nn::Sequential> downsample;
};

nn::Sequential stage(std::int64_t in, std::int64_t width, std::int64_t stride) {
  return nn::Sequential(BasicBlock(in, width, stride), BasicBlock(width, width, 1));
}

struct ResNet18 : nn::Module {
  static constexpr std::int64_t width = 4;
  nn::Conv2d conv1 = child("conv1", conv(3, width, 7, 2));
  nn::BatchNorm2d bn1 = child("bn1", nn::BatchNorm2d({.features = width}));
  nn::Sequential layer1 = child("layer1", stage(width, width, 1));
  nn::Sequential layer2 = child("layer2", stage(width, 2 * width, 2));
  nn::Sequential layer3 = child("layer3", stage(2 * width, 4 * width, 2));
  nn::Sequential layer4 = child("layer4", stage(4 * width, 8 * width, 2));
  nn::Linear fc = child("fc", nn::Linear({.in = 8 * width, .out = 10}));
  Tensor forward(const Tensor& x) override {
    const Tensor h = max_pool2d(relu(bn1(conv1(x))), {.kernel = 3, .stride = 2, .padding = 1});
    return fc(mean(layer4(layer3(layer2(layer1(h)))), {2, 3}));
  }
};

TEST(Models, ResNet18FollowsPyTorch) {
  const test::Recording recorded("resnet18");
  ResNet18 net;
  recorded.start(net);
  const Tensor x = recorded["x"], target = recorded["target"];
  optim::SGD optimizer(net.parameters(), {.lr = 0.02, .momentum = 0.9, .weight_decay = 1e-4, .nesterov = true});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(net(x), target, {.label_smoothing = 0.1});
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.conv1.weight);
  recorded.expect_reached("mean", net.bn1.running_mean);
}

}  // namespace
}  // namespace minima
