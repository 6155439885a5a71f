#include "tests/models/recording.h"

#include <minima/distributions/distributions.h>

// A variational autoencoder (Kingma & Welling 2013); the noise of the reparameterisation is recorded.

namespace minima::vae_test {
namespace {

struct Vae : nn::ModuleOf<Vae> {
  nn::Sequential encoder = child("encoder", nn::Sequential(nn::Linear({.in = 144, .out = 64}), nn::ReLU()));
  nn::Linear mean = child("mean", nn::Linear({.in = 64, .out = 8}));
  nn::Linear log_var = child("log_var", nn::Linear({.in = 64, .out = 8}));
  nn::Sequential decoder = child(
      "decoder", nn::Sequential(nn::Linear({.in = 8, .out = 64}), nn::ReLU(), nn::Linear({.in = 64, .out = 144})));

  std::tuple<Tensor, distributions::Normal> forward(const Tensor& x, const Tensor& noise) {
    const Tensor h = encoder(x);
    const distributions::Normal posterior(mean(h), exp(0.5 * log_var(h)));
    return {decoder(posterior.loc + posterior.scale * noise), posterior};
  }
};

TEST(Models, VaeFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("vae");
  Vae net;
  recorded.start(net);
  const Tensor x = recorded["x"], noise = recorded["noise"];
  optim::Adam optimizer(net.parameters(), {.lr = 2e-3});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const auto [y, posterior] = net(x, select(noise, 0, step));
    const distributions::Normal prior(zeros_like(posterior.loc), ones_like(posterior.loc));
    const Tensor divergence = sum(kl_divergence(posterior, prior));
    const Tensor missing = binary_cross_entropy_with_logits(y, x, {.reduction = Reduction::sum});
    const Tensor loss = (missing + divergence) / x.size(0);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.mean.weight);
}

}  // namespace
}  // namespace minima::vae_test
