#include <minima/minima.h>
#include <minima/ops/op.h>

#include "twice.h"

#include <iostream>

using minima::Tensor;

struct Twice {
  static constexpr minima::Traits traits{.name = "twice"};
  minima::TensorSpec result(const Tensor& x) const { return {x.layout(), x.dtype(), x.device()}; }
  minima::Cost cost(const Tensor& x) const { return {.bytes = 8.0 * static_cast<double>(x.numel())}; }
  void cpu(const Tensor& x, Tensor& y) const {
    for (std::int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = 2 * x.data<float>()[i];
  }
  void cuda(const Tensor& x, Tensor& y) const { twice_on_gpu(x.data<float>(), y.data<float>(), x.numel()); }
};

int main() {
  const Tensor x = minima::arange(1000).to(minima::DType::float32);
  const Tensor wanted = minima::apply(Twice{}, x);
  if (wanted.to_vector<float>()[999] != 1998) return 1;
  if (minima::cuda::device_count() == 0) {
    std::cout << "on the CPU only: " << minima::cuda::unavailable_reason() << "\n";
    return 0;
  }
  const Tensor got = minima::apply(Twice{}, x.to(minima::Device::cuda()));
  return minima::allclose(got.to(minima::Device::cpu()), wanted, {0, 0}) ? 0 : 1;
}
