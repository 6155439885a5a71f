#include "gauss.h"

#include <minima/minima.h>
#include <minima/ops/pointwise/pointwise_function.h>

#include <iostream>

// A function of the user's own and its gradients of first and second order, on the CPU and on a simulated GPU.

using namespace minima;

namespace {

/// Value, gradients and the gradient of one of those.
std::vector<Tensor> results(const Tensor& x, const Tensor& y) {
  const std::vector<Tensor> in{x.detach().requires_grad(true), y.detach().requires_grad(true)};
  const Tensor z = Pointwise<Gauss>()(in[0], in[1]);
  const auto ones_like = [](const Tensor& t) { return ones(t.shape(), {.dtype = t.dtype(), .device = t.device()}); };
  std::vector<Tensor> all{z}, first = grad({z}, in, {ones_like(z)}, {.create_graph = true});
  all.insert(all.end(), first.begin(), first.end());
  for (const Tensor& g : first) {
    const auto second = grad({g}, in, {ones_like(g)}, {.retain_graph = true});
    all.insert(all.end(), second.begin(), second.end());
  }
  return all;
}

}  // namespace

int main() {
  int wrong = 0, compared = 0;
  for (const DType dtype : {float32, float64, bfloat16, float16}) {
    const auto draw = [&](const Shape& shape) { return randn(shape).to(dtype); };
    const Tensor matrix = draw({33, 64});
    for (const auto& [x, y] : {std::pair{matrix, draw({33, 64})},
                               {matrix, draw({64})},
                               {transpose(matrix, 0, 1), draw({33})},
                               {draw({0}), draw({0})},
                               {draw({}), draw({5})}}) {
      const auto here = results(x, y), there = results(x.to(Device::cuda()), y.to(Device::cuda()));
      for (std::size_t i = 0; i < here.size(); ++i, ++compared) {
        const double tolerance = dtype == float64 ? 1e-13 : dtype == float32 ? 1e-5 : 0.02;
        const Closeness close = allclose(there[i].detach().to(Device::cpu()), here[i].detach(), {tolerance, tolerance});
        if (close) continue;
        std::cout << "result " << i << " of " << x.detach() << ": " << close.message << '\n';
        ++wrong;
      }
    }
  }
  std::cout << compared << " results compared, " << wrong << " differ\n";
  return wrong == 0 && compared > 100 ? 0 : 1;
}
