// says: error
#include <minima/minima.h>
#include <minima/ops/op.h>

using namespace minima;

struct Twice {
  static constexpr Traits traits{.name = "twice"};
  TensorSpec result(const Tensor& x) const { return spec_like(x); }
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x + x); }
  Tensor gradient(Grad g) const { return g * 2.0; }
};

struct Net : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 2, .out = 2}));
  Tensor forward(const Tensor& x) { return apply(Twice{}, a(x)); }
};

struct Numbers {
  std::int64_t size() const { return 3; }
  Tensor get(std::int64_t index) const { return full({2}, index); }
};

int main() {
  Net net;
  data::DataLoader loader(Numbers{}, {.batch_size = 2, .shuffle = true});
  optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (auto& x : loader) sum(net(x)).backward();
}
