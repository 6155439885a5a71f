#include "tests/models/recording.h"

// DCGAN (Radford et al. 2015): two adversarial networks, each with its own optimizer.

namespace minima::dcgan_test {
namespace {

using nn::ConvTranspose2d;

nn::Sequential generator(std::int64_t w) {
  return nn::Sequential(
      ConvTranspose2d({.in = 12, .out = 2 * w, .kernel = 4, .bias = false}), nn::BatchNorm2d({.features = 2 * w}),
      nn::ReLU(), ConvTranspose2d({.in = 2 * w, .out = w, .kernel = 4, .stride = 2, .padding = 1, .bias = false}),
      nn::BatchNorm2d({.features = w}), nn::ReLU(),
      ConvTranspose2d({.in = w, .out = 1, .kernel = 4, .stride = 2, .padding = 1, .bias = false}), nn::Tanh());
}

nn::Sequential discriminator(std::int64_t w) {
  return nn::Sequential(nn::Conv2d({.in = 1, .out = w, .kernel = 4, .stride = 2, .padding = 1, .bias = false}),
                        nn::LeakyReLU({.negative_slope = 0.2}),
                        nn::Conv2d({.in = w, .out = 2 * w, .kernel = 4, .stride = 2, .padding = 1, .bias = false}),
                        nn::BatchNorm2d({.features = 2 * w}), nn::LeakyReLU({.negative_slope = 0.2}),
                        nn::Conv2d({.in = 2 * w, .out = 1, .kernel = 4, .bias = false}), nn::Flatten({.first = 0}));
}

TEST(Models, DcganFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("dcgan");
  nn::Sequential g = generator(8), d = discriminator(8);
  recorded.start(g, 0);
  recorded.start(d, 1);
  const Tensor images = recorded["images"], noise = recorded["noise"];
  const optim::AdamOptions options{.lr = 2e-3, .beta1 = 0.5, .beta2 = 0.999};
  optim::Adam g_optimizer(g.parameters(), options), d_optimizer(d.parameters(), options);
  const Tensor real = ones({noise.size(1)}, {.dtype = float64, .device = noise.device()}), made_up = zeros_like(real);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < noise.size(0); ++step) {
    const Tensor fake = g(select(noise, 0, step));
    d_optimizer.zero_grad();
    // Two statements: in a sum, C++ does not specify which operand runs first, and batch norm's statistics depend on
    // it.
    const Tensor on_images = d(select(images, 0, step % 2)), on_fake = d(fake.detach());
    const Tensor d_loss =
        binary_cross_entropy_with_logits(on_images, real) + binary_cross_entropy_with_logits(on_fake, made_up);
    d_loss.backward();
    d_optimizer.step();

    g_optimizer.zero_grad();
    const Tensor g_loss = binary_cross_entropy_with_logits(d(fake), real);
    g_loss.backward();
    g_optimizer.step();
    losses.insert(losses.end(), {d_loss.item<double>(), g_loss.item<double>()});
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", g.at<ConvTranspose2d>(0).weight);
  recorded.expect_reached("variance", d.at<nn::BatchNorm2d>(3).running_var);
}

}  // namespace
}  // namespace minima::dcgan_test
