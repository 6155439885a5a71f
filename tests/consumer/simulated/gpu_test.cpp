#include <minima/minima.h>
#include <minima/tensor/cuda/devices.h>

#include <cstdio>

using namespace minima;

// A step of training on each of four GPUs has the loss of the CPU.
int main() {
  const Tensor x = randn({32, 4});
  const Tensor labels = randint(0, 3, {32});
  const auto loss_on = [&](Device device) {
    manual_seed(1);
    nn::Linear net({.in = 4, .out = 3});
    net.to(device);
    optim::SGD optimizer(net.parameters(), {.lr = 0.1});
    cross_entropy(net(x.to(device)), labels.to(device)).backward();
    optimizer.step();
    return cross_entropy(net(x.to(device)), labels.to(device)).item<double>();
  };
  const double expected = loss_on(Device::cpu());
  for (int gpu = 0; gpu < 4; ++gpu) {
    const double loss = loss_on(Device::cuda(gpu));
    std::printf("%s: loss %.6f, on the CPU %.6f\n", describe_device(Device::cuda(gpu)).c_str(), loss, expected);
    if (!(loss > expected - 1e-5 && loss < expected + 1e-5)) return 1;
  }
  return cuda::device_count() == 4 ? 0 : 1;
}
