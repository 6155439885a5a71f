// π from random points: the share of points of the unit square that lie in the quarter circle is π / 4. The points come
// in chunks that reuse one piece of memory, so a billion of them need no more than a million.
//
//   cookbook_monte_carlo_pi [CHUNKS]     chunks of 2²⁰ points; default 24

#include <minima/minima.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace minima;

int main(int argc, char** argv) {
  const std::int64_t chunks = argc > 1 ? std::atoll(argv[1]) : 24, chunk = std::int64_t{1} << 20;
  const Device device = default_device();
  const NoGrad no_grad;
  manual_seed(1);  // the same points on CPU and GPU, with any number of threads

  Tensor hits = zeros({}, {.dtype = int64, .device = device});  // stays on the device; read once, at the end
  std::int64_t peak_of_first = 0;
  for (std::int64_t i = 0; i < chunks; ++i) {
    const Tensor x = rand({chunk}, {.device = device}), y = rand({chunk}, {.device = device});
    hits += sum(square(x) + square(y) < 1);
    if (i == 0) peak_of_first = memory_stats(device).peak_allocated;
  }
  const double points = static_cast<double>(chunks * chunk), share = hits.item<double>() / points;
  const double pi = 4 * share, deviation = 4 * std::sqrt(share * (1 - share) / points);
  const double away = std::abs(pi - 3.14159265358979) / deviation;
  // Another chunk would be 4 MiB; the peak itself is exact to 256 KiB per thread.
  const bool constant = memory_stats(device).peak_allocated <= peak_of_first + (1 << 20);

  std::printf("%.0f million points: pi = %.5f, standard deviation %.5f\n", points / 1e6, pi, deviation);
  std::printf("%.1f standard deviations from pi; memory %s after the first chunk\n", away,
              constant ? "did not grow" : "grew");
  return away < 4 && constant ? 0 : 1;
}
