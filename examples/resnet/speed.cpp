#include "speed.h"

#include <minima/tensor/device/flop_counter.h>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace minima;

double training_flops(ResNet& network, const Shape& batch) {
  NoGrad guard;
  const bool training = network.is_training();
  network.eval();  // leaves the running statistics unchanged
  Shape one = batch;
  one[0] = 1;
  const Tensor x = zeros(one, {.device = network.fc.weight.device()});
  FlopCounter counter;
  network(x);
  network.train(training);
  return 3 * counter.flops * static_cast<double>(batch[0]);
}

double matmul_rate(Device device, DType dtype) {
  const std::int64_t n = device.is_cuda() ? 8192 : 1536;
  const Tensor a = randn({n, n}, {.device = device}).to(dtype), b = randn({n, n}, {.device = device}).to(dtype);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    const Tensor c = matmul(a, b);
    synchronize(device);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2 * std::pow(static_cast<double>(n), 3) / seconds);
  }
  return best;
}
