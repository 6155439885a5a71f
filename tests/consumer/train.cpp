#include <minima/minima.h>

#include <iostream>

using namespace minima;

struct Net : nn::Module {
  nn::Linear hidden = child("hidden", nn::Linear({.in = 4, .out = 16}));
  nn::Linear out = child("out", nn::Linear({.in = 16, .out = 3}));
  Tensor forward(const Tensor& x) override { return out(relu(hidden(x))); }
};

// One step of training lowers the loss, and an error of the library arrives as its own type, from a shared library too.
int main() {
  manual_seed(1);
  Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  const Tensor x = randn({32, 4});
  const Tensor labels = randint(0, 3, {32});

  const Tensor loss = cross_entropy(net(x), labels);
  loss.backward();
  optimizer.step();
  const double before = loss.item<double>();
  const double after = cross_entropy(net(x), labels).item<double>();
  std::cout << "loss " << before << " → " << after << "\n";
  if (!(after < before)) return 1;

  try {
    net(randn({32, 5}));
  } catch (const ShapeError& error) {
    std::cout << error.what() << "\n";
    return 0;
  }
  return 1;
}
