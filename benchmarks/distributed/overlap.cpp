// Measures how much communication backward hides. A wrapper delays each all-reduce to bytes / bandwidth, as a slower
// network would; this needs no root privileges.
//   scripts/launch -n 2 build/cpu/benchmarks/overlap [MB per second]

#include "benchmarks/distributed/throttled.h"

#include <minima/minima.h>

#include <cstdio>
#include <cstdlib>

using namespace minima;
using benchmarks::now;

namespace {

struct Result {
  double step = 0, communication = 0, exposed = 0;
};

Result measure(const distributed::ProcessGroup& group, double bandwidth, bool overlap) {
  constexpr std::int64_t width = 768;
  constexpr int layers = 16, steps = 8;
  auto* const throttled = new benchmarks::Throttled(group, bandwidth);
  const Ref<distributed::Backend> backend(throttled);
  const distributed::ProcessGroup slow(backend, group.rank(), group.size());
  nn::Sequential net;
  for (int i = 0; i < layers; ++i) {
    net.push_back(nn::Linear({.in = width, .out = width}));
    net.push_back(nn::ReLU());
  }
  distributed::DistributedDataParallel parallel(net, slow, {.bucket_bytes = 4 << 20, .overlap = overlap});
  optim::SGD sgd(net.parameters(), {.lr = 1e-3});
  const Tensor x = randn({256, width});
  Result result;
  for (int i = -2; i < steps; ++i) {
    group.barrier();
    if (i == 0) throttled->seconds = 0;
    const double start = now();
    sgd.zero_grad();
    sum(net(x)).backward();
    sgd.step();
    if (i < 0) continue;
    result.step += (now() - start) / steps;
    result.exposed += parallel.exposed_seconds() / steps;
  }
  result.communication = throttled->seconds / steps;
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  const double bandwidth = (argc > 1 ? std::atof(argv[1]) : 400) * 1e6;
  const distributed::ProcessGroup group = distributed::init();
  if (group.is_first())
    std::printf(
        "%d ranks, %.0f MB/s, milliseconds per step\n| overlap | step | communication | of which exposed |\n| --- | "
        "---: | ---: | ---: |\n",
        group.size(), bandwidth * 1e-6);
  for (const bool overlap : {false, true}) {
    const Result r = measure(group, bandwidth, overlap);
    const std::vector<double> mean = distributed::sum_over_ranks({r.step, r.communication, r.exposed}, group);
    if (group.is_first())
      std::printf("| %s | %.0f | %.0f | %.0f |\n", overlap ? "on" : "off", mean[0] / group.size() * 1e3,
                  mean[1] / group.size() * 1e3, mean[2] / group.size() * 1e3);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "overlap: %s\n", error.what());
  return 1;
}
