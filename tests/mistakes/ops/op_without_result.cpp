// says: an operator needs one public `TensorSpec result(const Tensor& x, ...) const`
#include <minima/minima.h>
#include <minima/ops/op.h>

using namespace minima;

struct Twice {
  static constexpr Traits traits{.name = "twice"};
  void cpu(const Tensor& x, Tensor& y) const { copy_(y, x + x); }
};

int main() { apply(Twice{}, ones({2})); }
