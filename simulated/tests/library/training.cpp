#include "simulated/tests/library/training.h"

#include "simulated/tests/library/library.h"

#include <minima/autograd/backward.h>
#include <minima/ops/op.h>
#include <minima/tensor/transfer.h>

#include <cmath>

// Compiled with MINIMA_HAVE_CUDA, so that operators may have CUDA kernels.

namespace minima::test {

namespace {

void product_kernel(float* y, const float* a, const float* b, int count) {
  for (int i = 0; i < count; ++i) y[i] = a[i] * b[i];
}
void difference_kernel(float* y, const float* a, const float* b, int count) {
  for (int i = 0; i < count; ++i) y[i] = a[i] - b[i];
}
void sum_kernel(float* y, const float* a, const float* b, int count) {
  for (int i = 0; i < count; ++i) y[i] = a[i] + b[i];
}
void descend_kernel(float* w, const float* gradient, float lr, int count) {
  for (int i = 0; i < count; ++i) w[i] -= lr * gradient[i];
}
constexpr float lr = 0.01f;

float* floats(const Tensor& x) { return static_cast<float*>(x.raw_data()); }

template <auto kernel>
struct Elementwise {
  TensorSpec result(const Tensor& a, const Tensor&) const { return spec_of(a.shape(), a.dtype(), a.device()); }
  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const {
    kernel(floats(y), floats(a), floats(b), static_cast<int>(y.numel()));
  }
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const {
    launch_on(y.device(), kernel, floats(y), floats(a), floats(b), static_cast<int>(y.numel()));
  }
};

struct Sum : Elementwise<sum_kernel> {
  static constexpr Traits traits{.name = "test_sum"};
};
struct Difference : Elementwise<difference_kernel> {
  static constexpr Traits traits{.name = "test_difference"};
  Gradients<2> gradient(Grad g) const { return {g, Tensor()}; }
};
struct Product : Elementwise<product_kernel> {
  static constexpr Traits traits{.name = "test_product"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b, Needs needs) const {
    return {needs[0] ? product(g, b) : Tensor(), needs[1] ? product(g, a) : Tensor()};
  }
};
struct Square {
  static constexpr Traits traits{.name = "test_square"};
  TensorSpec result(const Tensor& a) const { return spec_of(a.shape(), a.dtype(), a.device()); }
  void cpu(const Tensor& a, Tensor& y) const { Product().cpu(a, a, y); }
  void cuda(const Tensor& a, Tensor& y) const { Product().cuda(a, a, y); }
  Tensor gradient(Grad g, Input<0> a) const {
    const Tensor half = product(g, a);
    return apply(Sum{}, half, half);
  }
};

}  // namespace

Tensor product(const Tensor& a, const Tensor& b) { return apply(Product{}, a, b); }
Tensor difference(const Tensor& a, const Tensor& b) { return apply(Difference{}, a, b); }

Training::Training(Device device) {
  Tensor start = empty({size});
  for (std::int64_t i = 0; i < size; ++i) start.data<float>()[i] = 1;
  w_ = detail::on_device(start, device);
  w_.requires_grad(true);
}

void Training::step(const Tensor& x, const Tensor& t) const { descend(error(x, t)); }

Tensor Training::error(const Tensor& x, const Tensor& t) const {
  return difference(product(apply(Square{}, w_), x), t);
}

void Training::descend(const Tensor& error) const {
  w_.set_grad(Tensor());
  error.backward(error.detach());
  launch_on(w_.device(), descend_kernel, floats(w_), floats(w_.grad()), lr, static_cast<int>(size));
}

std::vector<float> expected_weights(int steps) {
  std::vector<float> w(Training::size, 1);
  for (int n = 0; n < steps; ++n) {
    const std::vector<Tensor> data = batch(n);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const float x = floats(data[0])[i], t = floats(data[1])[i];
      const float square = w[i] * w[i];
      const float y = square * x;
      const float error = y - t;
      const float by_square = error * x;
      const float half = by_square * w[i];
      const float gradient = half + half;
      w[i] -= lr * gradient;
    }
  }
  return w;
}

std::vector<Tensor> batch(int n) {
  std::vector<Tensor> result;
  for (int which = 0; which < 2; ++which) {
    Tensor x = empty({Training::size});
    for (int i = 0; i < Training::size; ++i)
      x.data<float>()[i] = static_cast<float>((i * 7 + n * 3 + which * 5) % 11) / 8;
    result.push_back(x);
  }
  return result;
}

}  // namespace minima::test
