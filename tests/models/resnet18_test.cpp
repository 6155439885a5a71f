#include "tests/models/recording.h"

#include <minima/tensor/device/observer.h>

#include <map>

// ResNet-18 (He et al. 2015) at a sixteenth of its width, with torchvision's names.

namespace minima::resnet18_test {
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
  SKIP_WITHOUT_TEST_DEVICE();
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

/// Counts the calls of each operator on this thread.
struct CallCounter final : Observer {
  CallCounter() : previous(set_observer(this)) {}
  CallCounter(const CallCounter&) = delete;
  ~CallCounter() { set_observer(previous); }
  void begin(const char* op, Cost) override { ++calls[op]; }
  void end() noexcept override {}
  std::map<std::string, int> calls;
  Observer* previous;
};

/// The layouts of all images that convolutions and norms return in a step, and of their gradients.
struct Layouts {
  int channels_last = 0, others = 0;
  void note(const Tensor& x) {
    if (!x.layout().is_dense()) return;  // the gradient of the mean: one value for each channel
    ++(x.layout().is_channels_last() ? channels_last : others);
  }
};

Layouts layouts_of_a_step(const Tensor& x, std::map<std::string, int>& calls) {
  ResNet18 net;
  net.to(x.device());
  optim::SGD optimizer(net.parameters(), {.lr = 0.02});
  Layouts layouts;
  net.for_each([&](nn::ModuleBase& module) {
    module.add_forward_hook([&](nn::ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
      if (outputs[0].rank() != 4) return;
      layouts.note(outputs[0]);
      register_hook(outputs[0], [&](const Tensor& gradient) {
        layouts.note(gradient);
        return Tensor();
      });
    });
  });
  const Tensor target = zeros({x.size(0)}, {.dtype = int64, .device = x.device()});
  const CallCounter counter;
  cross_entropy(net(x), target).backward();
  optimizer.step();
  calls = counter.calls;
  return layouts;
}

// A copy from one layout to another would cost as much memory traffic as a batch norm.
TEST(Models, ResNet18KeepsChannelsLastThroughoutAStep) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = randn({4, 3, 64, 64}).to(test::test_device());
  std::map<std::string, int> calls;
  const Layouts last = layouts_of_a_step(channels_last(x), calls);
  EXPECT_EQ(last.others, 0);
  EXPECT_GT(last.channels_last, 2 * 40) << "20 convolutions and 20 norms, with their gradients";
  for (const char* copy : {"copy", "copy_", "to", "contiguous"}) EXPECT_EQ(calls[copy], 0) << copy;
  EXPECT_GE(calls["conv2d"], 20);
  const Layouts row_major = layouts_of_a_step(x, calls);
  if (x.device().is_cpu()) EXPECT_EQ(row_major.others, 0) << "convolutions on the CPU return channels_last images";
  else EXPECT_GT(row_major.others, 0) << "row-major images stay row-major";
}

}  // namespace
}  // namespace minima::resnet18_test
