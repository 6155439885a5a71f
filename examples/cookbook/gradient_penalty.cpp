// Double backward: a Wasserstein critic whose gradient with respect to its input is held near norm 1 (WGAN-GP,
// Gulrajani et al. 2017).
//
//   cookbook_gradient_penalty [WEIGHTS]     start from these weights

#include <minima/minima.h>

#include <cstdio>

using namespace minima;

namespace {

/// Points on two curves, [16, 2] each.
struct Points {
  Tensor real, fake;
};
Points points(Device device) {
  const Tensor t = linspace(0, 3, 16, {.dtype = float64, .device = device});
  return {stack({cos(t), sin(t)}, 1), stack({t * 0.5, 1 - t}, 1)};
}

/// mean((‖∂critic/∂x‖ - 1)²) at points half-way between real and fake ones. WGAN-GP draws the share at random.
Tensor gradient_penalty(nn::Sequential& critic, const Points& p) {
  Tensor between = lerp(p.real, p.fake, 0.5);
  between.requires_grad(true);
  const Tensor slope = grad({sum(critic(between))}, {between}, {}, {.create_graph = true})[0];  // [16, 2]
  return mean(square(norm(slope, 2, 1) - 1));
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = default_device();
  manual_seed(1);
  nn::Sequential critic(nn::Linear({.in = 2, .out = 16}), nn::Tanh(), nn::Linear({.in = 16, .out = 16}), nn::Tanh(),
                        nn::Linear({.in = 16, .out = 1}));
  critic.to(float64);
  if (argc > 1) nn::load(argv[1], critic);
  critic.to(device);

  const Points p = points(device);
  optim::SGD optimizer(critic.parameters(), {.lr = 0.05});
  for (int step = 0; step <= 100; ++step) {
    optimizer.zero_grad();
    const Tensor penalty = gradient_penalty(critic, p);
    const Tensor loss = mean(critic(p.fake)) - mean(critic(p.real)) + penalty * 10;
    loss.backward();  // through the gradient inside the penalty
    if (step % 25 == 0)
      std::printf("step %3d: loss %9.6f, penalty %.6f\n", step, loss.item<double>(), penalty.item<double>());
    optimizer.step();
  }

  // Second derivatives against finite differences.
  const auto f = [&](const std::vector<Tensor>& in) { return std::vector{critic(in[0])}; };
  Tensor x = p.real;
  const GradcheckReport report = gradgradcheck(f, {x.requires_grad(true)});
  std::printf("%s\n", report ? "second derivatives match finite differences" : report.message.c_str());
  return report ? 0 : 1;
}
