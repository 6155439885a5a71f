// An operator of one's own: snake (Ziyin et al. 2020), an activation for periodic data, with a learnt frequency.

#include <minima/minima.h>
#include <minima/ops/loops/math/math.h>
#include <minima/ops/pointwise.h>

#include <cstdio>

using namespace minima;

namespace {

/// One element; templates, so that it also computes float64 and, through float32, the half types.
struct SnakeFunctor {
  template <class T>
  T operator()(T x, T a) const {
    const T s = math::sin(a * x);
    return x + s * s / a;
  }
};

struct Snake : Binary<Snake, SnakeFunctor, full_floating> {
  static constexpr Traits traits{.name = "snake"};
  /// ∂/∂x = 1 + sin(2ax);   ∂/∂a = x·sin(2ax)/a - sin²(ax)/a²
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> a, Needs needs) const {
    const Tensor twice = sin(a * x * 2);
    Gradients<2> result;
    if (needs[0]) result[0] = g * (twice + 1);
    if (needs[1]) result[1] = g * (x * twice / a - square(sin(a * x) / a));  // summed over x's shape by the engine
    return result;
  }
};

/// x + sin²(a·x) / a, for tensors that broadcast to one shape.
Tensor snake(const Tensor& x, const Tensor& a) { return apply(Snake{}, x, a); }

}  // namespace

int main() {
  Tensor x = linspace(-2, 2, 5, {.dtype = float64}).requires_grad(true);
  Tensor a = tensor<double>({0.5, 3}).requires_grad(true);
  const Tensor y = snake(x, view(a, {2, 1}));  // [2, 5]
  sum(square(y)).backward();
  const auto print = [](const char* name, const Tensor& values) {
    std::printf("%-10s", name);
    for (const double value : values.to_vector<double>()) std::printf(" %9.6f", value);
    std::printf("\n");
  };
  print("snake(1/2)", y.detach()[0]);
  print("snake(3)", y.detach()[1]);
  print("dx", x.grad());
  print("da", a.grad());

  const auto f = [](const std::vector<Tensor>& in) { return std::vector{snake(in[0], view(in[1], {2, 1}))}; };
  const GradcheckReport first = gradcheck(f, {x, a}), second = gradgradcheck(f, {x, a});
  std::printf("gradients of first and second order %s\n", first && second ? "match finite differences" : "are wrong");

  // Fits a sine with eight units and their frequencies, on the CPU: a kernel for GPUs takes one line in a .cu file
  // (docs/adding-an-operator.md).
  manual_seed(4);
  nn::Sequential net(nn::Linear({.in = 1, .out = 8}), nn::Linear({.in = 8, .out = 1}));
  Tensor frequency = full({8}, 2.0).requires_grad(true);
  std::vector<Tensor> parameters = net.parameters();
  parameters.push_back(frequency);
  optim::Adam optimizer(parameters, {.lr = 1e-2});
  const Tensor t = view(linspace(-3, 3, 64), {64, 1}), wave = sin(t * 3);
  Tensor loss;
  for (int step = 0; step < 500; ++step) {
    optimizer.zero_grad();
    loss = mse_loss(net[1](snake(net[0](t), frequency)), wave);
    loss.backward();
    optimizer.step();
  }
  std::printf("fit of a sine: loss %s 0.01\n", loss < 0.01 ? "below" : "above");
  return first && second ? 0 : 1;
}
