// says: an operator needs a const kernel that writes its outputs: `void cpu(const Tensor& x, ..., Tensor& y) const`
#include <minima/minima.h>
#include <minima/ops/op.h>

using namespace minima;

struct Twice {
  static constexpr Traits traits{.name = "twice"};
  TensorSpec result(const Tensor& x) const { return spec_like(x); }
};

int main() { apply(Twice{}, ones({2})); }
