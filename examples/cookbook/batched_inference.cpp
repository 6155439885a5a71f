// How batch size trades latency for throughput: the figures from which to choose a Batcher's max_batch.
//
// A batch of b samples takes s(b) seconds: throughput is b / s(b), and a sample waits at least s(b). Weights are read
// once per batch, so s grows slower than b until arithmetic, not memory, is the limit.

#include <minima/minima.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace minima;

namespace {

/// The median time of a call in seconds, on a synchronised device.
template <class F>
double median_time(const F& f, Device device, int repeats) {
  f();  // allocates memory and chooses algorithms
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    f();
    synchronize(device);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats / 2)];
}

}  // namespace

int main() {
  const Device device = default_device();
  manual_seed(1);
  nn::Sequential net(nn::Linear({.in = 784, .out = 1024, .activation = Activation::relu}),
                     nn::Linear({.in = 1024, .out = 1024, .activation = Activation::relu}),
                     nn::Linear({.in = 1024, .out = 10}));
  net.to(device);
  net.eval();
  const Tensor samples = randn({64, 784}, {.device = device});

  const Inference guard;  // records nothing
  std::printf("batch   ms per batch   samples/s   against batch 1\n");
  double one = 0;
  for (std::int64_t batch = 1; batch <= samples.size(0); batch *= 2) {
    const Tensor x = narrow(samples, 0, 0, batch);
    const double seconds = median_time([&] { net(x); }, device, 15);
    const double throughput = static_cast<double>(batch) / seconds;
    if (batch == 1) one = throughput;
    std::printf("%5lld   %12.3f   %9.0f   %14.1fx\n", static_cast<long long>(batch), seconds * 1e3, throughput,
                throughput / one);
  }

  // A sample's scores do not depend on its batch, up to rounding: products of other sizes may sum in another order.
  const Tensor all = net(samples);
  double largest = 0;
  for (std::int64_t i = 0; i < samples.size(0); ++i)
    largest = std::max(largest, max(abs(net(narrow(samples, 0, i, 1)) - narrow(all, 0, i, 1))).item<double>());
  std::printf("alone and in a batch, scores differ by %s\n", largest < 1e-5 ? "less than 1e-5" : "1e-5 or more");
}
