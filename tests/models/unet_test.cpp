#include "tests/models/recording.h"

// A U-Net (Ronneberger et al. 2015): two levels down, two up, with skip connections; cross entropy and Dice loss.

namespace minima::unet_test {
namespace {

using nn::ConvTranspose2d;

nn::Sequential double_conv(std::int64_t in, std::int64_t out) {
  return nn::Sequential(nn::Conv2d({.in = in, .out = out, .kernel = 3, .padding = 1}),
                        nn::GroupNorm({.groups = 2, .channels = out}), nn::SiLU(),
                        nn::Conv2d({.in = out, .out = out, .kernel = 3, .padding = 1}),
                        nn::GroupNorm({.groups = 2, .channels = out}), nn::SiLU());
}

struct UNet : nn::Module {
  static constexpr std::int64_t w = 6;
  nn::Sequential down1 = child("down1", double_conv(1, w));
  nn::Sequential down2 = child("down2", double_conv(w, 2 * w));
  nn::Sequential bottom = child("bottom", double_conv(2 * w, 4 * w));
  ConvTranspose2d up2 = child("up2", ConvTranspose2d({.in = 4 * w, .out = 2 * w, .kernel = 2, .stride = 2}));
  nn::Sequential merge2 = child("merge2", double_conv(4 * w, 2 * w));
  ConvTranspose2d up1 = child("up1", ConvTranspose2d({.in = 2 * w, .out = w, .kernel = 2, .stride = 2}));
  nn::Sequential merge1 = child("merge1", double_conv(2 * w, w));
  nn::Conv2d head = child("head", nn::Conv2d({.in = w, .out = 1, .kernel = 1}));

  Tensor forward(const Tensor& x) override {
    Tensor a = down1(x);
    Tensor b = down2(max_pool2d(a, {.kernel = 2}));
    const Tensor c = bottom(max_pool2d(b, {.kernel = 2}));
    b = merge2(cat({up2(c), b}, 1));
    a = merge1(cat({up1(b), a}, 1));
    return head(a);
  }
};

TEST(Models, UNetFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("unet");
  UNet net;
  recorded.start(net);
  const Tensor x = recorded["x"], mask = recorded["mask"];
  optim::AdamW optimizer(net.parameters(), {.lr = 3e-3});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor logits = net(x), p = sigmoid(logits);
    const Tensor dice = 1 - 2 * sum(p * mask) / (sum(p) + sum(mask));
    const Tensor loss = binary_cross_entropy_with_logits(logits, mask) + dice;
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.up1.weight);
}

}  // namespace
}  // namespace minima::unet_test
