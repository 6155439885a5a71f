// says: the operator's gradient returns more tensors than the operator has inputs
#include <minima/minima.h>
#include <minima/ops/op.h>

using namespace minima;

struct Twice {
  static constexpr Traits traits{.name = "twice"};
  TensorSpec result(const Tensor& x) const { return spec_like(x); }
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x + x); }
  Gradients<2> gradient(Grad g) const { return {g * 2.0, g}; }
};

int main() { apply(Twice{}, ones({2})); }
