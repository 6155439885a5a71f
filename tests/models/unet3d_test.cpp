#include "tests/models/recording.h"

#include <minima/nn/layers/conv3d.h>
#include <minima/nn/norm/instance_norm.h>
#include <minima/ops/pooling/max_pool.h>

// A 3D U-Net (Çiçek et al. 2016): one level down, one up, with instance and batch norm.

namespace minima::unet3d_test {
namespace {

nn::Sequential block(std::int64_t in, std::int64_t out) {
  return nn::Sequential(nn::Conv3d({.in = in, .out = out, .kernel = 3, .padding = 1}),
                        nn::InstanceNorm3d({.features = out, .affine = true}), nn::LeakyReLU({0.01}),
                        nn::Conv3d({.in = out, .out = out, .kernel = 3, .padding = 1}),
                        nn::BatchNorm3d({.features = out}), nn::LeakyReLU({0.01}));
}

struct UNet3d : nn::Module {
  static constexpr std::int64_t w = 4;
  nn::Sequential down = child("down", block(1, w));
  nn::Sequential bottom = child("bottom", block(w, 2 * w));
  nn::ConvTranspose3d up = child("up", nn::ConvTranspose3d({.in = 2 * w, .out = w, .kernel = 2, .stride = 2}));
  nn::Sequential merge = child("merge", block(2 * w, w));
  nn::Conv3d head = child("head", nn::Conv3d({.in = w, .out = 3, .kernel = 1}));

  Tensor forward(const Tensor& x) override {
    const Tensor a = down(x);
    const Tensor b = bottom(max_pool3d(a, 2));
    return head(merge(cat({up(b), a}, 1)));
  }
};

TEST(Models, UNet3dFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("unet3d");
  UNet3d net;
  recorded.start(net);
  const Tensor x = recorded["x"], labels = recorded["labels"];
  optim::SGD optimizer(net.parameters(), {.lr = 0.05, .momentum = 0.9, .nesterov = true});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(net(x), labels);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.up.weight);
  recorded.expect_reached("variance", net.state_dict().tensor("merge.4.running_var"));
}

}  // namespace
}  // namespace minima::unet3d_test
