// Timing correctly: warm up, synchronise, repeat, and report the median.
//
// A GPU call returns before the work is done, so a clock around it measures the launch. The first calls are slow: they
// allocate memory, choose algorithms and load kernels. Single measurements catch other programs' work.

#include <minima/minima.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace minima;

namespace {

struct Timing {
  double first, least, median, most;  ///< milliseconds
};

template <class F>
Timing measure(const F& f, Device device, int repeats = 15) {
  const auto once = [&] {
    synchronize(device);  // earlier work is not ours
    const auto start = std::chrono::steady_clock::now();
    f();
    synchronize(device);  // f's work is
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const double first = once();
  for (int i = 0; i < 3; ++i) once();
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) times.push_back(once());
  std::sort(times.begin(), times.end());
  return {first, times.front(), times[times.size() / 2], times.back()};
}

void print(const char* name, double flops, const Timing& t) {
  std::printf("%-22s first %8.3f ms, then %8.3f … %8.3f, median %8.3f ms", name, t.first, t.least, t.most, t.median);
  if (flops > 0) std::printf(": %.1f GFLOP/s", flops / t.median / 1e6);
  std::printf("\n");
}

}  // namespace

int main() {
  const Device device = default_device();
  manual_seed(1);
  for (const std::int64_t n : {64, 256, 512}) {
    const Tensor a = randn({n, n}, {.device = device}), b = randn({n, n}, {.device = device});
    const double flops = 2.0 * static_cast<double>(n * n * n);
    const std::string name = "matmul " + std::to_string(n);
    print(name.c_str(), flops, measure([&] { matmul(a, b); }, device));
  }

  // A training step is timed as a whole: its last kernel has run when synchronize() returns.
  nn::Sequential net(nn::Linear({.in = 128, .out = 256}), nn::ReLU(), nn::Linear({.in = 256, .out = 10}));
  net.to(device);
  optim::AdamW optimizer(net.parameters());
  const Tensor x = randn({64, 128}, {.device = device}), y = randint(0, 10, {64}, {.device = device});
  const auto step = [&] {
    optimizer.zero_grad();
    cross_entropy(net(x), y).backward();
    optimizer.step();
  };
  print("training step", 0, measure(step, device));
}
