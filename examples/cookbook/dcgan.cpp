// Trains a DCGAN, saves everything half-way, and resumes in new objects: the resumed run takes the same steps, bit for
// bit.

#include <minima/minima.h>

#include <cstdio>
#include <filesystem>

using namespace minima;

namespace {

nn::Sequential generator() {
  return nn::Sequential(
      nn::ConvTranspose2d({.in = 8, .out = 16, .kernel = 4, .bias = false}), nn::BatchNorm2d({.features = 16}),
      nn::ReLU(), nn::ConvTranspose2d({.in = 16, .out = 8, .kernel = 4, .stride = 2, .padding = 1, .bias = false}),
      nn::BatchNorm2d({.features = 8}), nn::ReLU(),
      nn::ConvTranspose2d({.in = 8, .out = 1, .kernel = 4, .stride = 2, .padding = 1}), nn::Tanh());
}

nn::Sequential discriminator() {
  return nn::Sequential(nn::Conv2d({.in = 1, .out = 8, .kernel = 4, .stride = 2, .padding = 1}),
                        nn::LeakyReLU({.negative_slope = 0.2}),
                        nn::Conv2d({.in = 8, .out = 16, .kernel = 4, .stride = 2, .padding = 1, .bias = false}),
                        nn::BatchNorm2d({.features = 16}), nn::LeakyReLU({.negative_slope = 0.2}),
                        nn::Conv2d({.in = 16, .out = 1, .kernel = 4}), nn::Flatten({.first = 0}));
}

/// Real images: soft discs of random radius, [count, 1, 16, 16] with values in [-1, 1].
Tensor discs(std::int64_t count, Device device) {
  const Tensor axis = linspace(-1, 1, 16, {.device = device});
  const Tensor distance = sqrt(square(view(axis, {16, 1})) + square(axis));
  const Tensor radius = rand({count, 1, 1, 1}, {.device = device}) * 0.4 + 0.4;
  return tanh((radius - distance) * 8);
}

struct Gan {
  Device device = default_device();
  nn::Sequential g = generator(), d = discriminator();
  optim::Adam g_optimizer, d_optimizer;

  Gan()
      : g_optimizer(moved(g), {.lr = 2e-3, .beta1 = 0.5, .beta2 = 0.999}),
        d_optimizer(moved(d), {.lr = 2e-3, .beta1 = 0.5, .beta2 = 0.999}) {}
  std::vector<Tensor> moved(nn::Sequential& net) const {
    net.to(device);
    return net.parameters();
  }

  /// Returns both losses, discriminator's and generator's.
  std::pair<float, float> step() {
    const Tensor images = discs(32, device), fake = g(randn({32, 8, 1, 1}, {.device = device}));
    const Tensor real = ones({32}, {.device = device}), made_up = zeros_like(real);
    d_optimizer.zero_grad();
    const Tensor on_images = d(images), on_fake = d(fake.detach());
    const Tensor d_loss =
        binary_cross_entropy_with_logits(on_images, real) + binary_cross_entropy_with_logits(on_fake, made_up);
    d_loss.backward();
    d_optimizer.step();
    g_optimizer.zero_grad();
    const Tensor g_loss = binary_cross_entropy_with_logits(d(fake), real);
    g_loss.backward();
    g_optimizer.step();
    return {d_loss.item<float>(), g_loss.item<float>()};
  }

  State state_dict() const {
    State all;
    all.add("g", g.state_dict());
    all.add("d", d.state_dict());
    all.add("g_optimizer", g_optimizer.state_dict());
    all.add("d_optimizer", d_optimizer.state_dict());
    all.add("random", minima::state_dict(default_generator()));
    return all;
  }
  void load_state_dict(const State& all) {
    g.load_state_dict(all.sub("g"));
    d.load_state_dict(all.sub("d"));
    g_optimizer.load_state_dict(all.sub("g_optimizer"));
    d_optimizer.load_state_dict(all.sub("d_optimizer"));
    minima::load_state_dict(default_generator(), all.sub("random"));
  }
};

}  // namespace

int main() {
  const std::string file = "cookbook_dcgan.safetensors";
  manual_seed(1);
  Gan gan;
  for (int step = 0; step < 30; ++step) gan.step();
  save(file, gan.state_dict());
  std::pair<float, float> losses;
  for (int step = 0; step < 30; ++step) losses = gan.step();
  std::printf("60 steps:      discriminator %.4f, generator %.4f\n", losses.first, losses.second);

  manual_seed(2);  // other weights and other noise, until the file replaces both
  Gan resumed;
  resumed.load_state_dict(load(file));
  for (int step = 0; step < 30; ++step) losses = resumed.step();
  std::printf("30 + 30 steps: discriminator %.4f, generator %.4f\n", losses.first, losses.second);
  std::filesystem::remove(file);

  bool same = true;
  const std::vector<Tensor> one = gan.g.parameters(), other = resumed.g.parameters();
  for (std::size_t i = 0; i < one.size(); ++i) same = same && identical(one[i], other[i]);
  std::printf("the weights are %s\n", same ? "identical" : "different");
  return same ? 0 : 1;
}
