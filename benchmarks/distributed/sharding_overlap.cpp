// Measures how much of the communication of sharded training is hidden behind computation, for each stage, with and
// without prefetching. Blocks compute for a given time in which the processor is free, as with a GPU. A wrapper delays
// collectives to a bandwidth and a latency; with 0 MB/s they take as long as the link does.
//   scripts/launch -n 2 build/cpu/benchmarks/sharding_overlap [MB per second] [ms of a block's forward] [ms of latency]
//   benchmarks/distributed/two_hosts.sh 800mbit build/cpu/benchmarks/sharding_overlap 0

#include "benchmarks/distributed/throttled.h"

#include <minima/minima.h>
#include <minima/tensor/device/wait_observer.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace minima;

namespace {

using benchmarks::now;

/// A layer of 1 MiB whose forward takes `seconds`, and whose backward twice as long.
struct Block : nn::Module {
  explicit Block(double given) : seconds(given) {}
  double seconds;
  nn::Linear linear = child("linear", nn::Linear({.in = 512, .out = 512, .bias = false}));
  Tensor forward(const Tensor& x) override {
    benchmarks::pause(seconds);
    const Tensor h = linear(x);
    if (h.requires_grad())
      register_hook(h, [s = seconds](const Tensor&) {
        benchmarks::pause(2 * s);
        return Tensor();
      });
    return relu(h);
  }
};

/// Adds up this thread's waits for ranks.
class RankWaits final : public WaitObserver {
 public:
  RankWaits() : outer_(set_wait_observer(this)) {}
  ~RankWaits() { set_wait_observer(outer_); }
  void begin_wait(Wait wait, double) noexcept override {
    if (depth_++ == 0) begin_ = wait == Wait::ranks ? now() : 0;
  }
  void end_wait() noexcept override {
    if (--depth_ == 0 && begin_ > 0) seconds += now() - begin_;
  }
  double seconds = 0;

 private:
  WaitObserver* outer_;
  int depth_ = 0;
  double begin_ = 0;
};

struct Result {
  double step = 0, communication = 0, exposed = 0;
};

Result measure(const distributed::ProcessGroup& group, double bandwidth, double latency, double compute, int stage,
               bool prefetch) {
  constexpr int blocks = 12, steps = 6;
  auto* const throttled = new benchmarks::Throttled(group, bandwidth, latency);
  const Ref<distributed::Backend> backend(throttled);
  const distributed::ProcessGroup slow(backend, group.rank(), group.size());
  nn::Sequential net;
  for (int i = 0; i < blocks; ++i) net.push_back(Block(compute));
  const distributed::Sharding sharding =
      distributed::shard(net, distributed::children_of(net), slow, {.stage = stage, .prefetch = prefetch});
  optim::SGD sgd(net.parameters(), {.lr = 1e-3});
  const Tensor x = randn({8, 512});
  Result result;
  for (int i = -2; i < steps; ++i) {  // the first step shows the order of gathers
    group.barrier();
    const double before = throttled->seconds, start = now();
    const RankWaits waits;
    sgd.zero_grad();
    sum(net(x)).backward();
    sgd.step();
    if (i < 0) continue;
    result.step += (now() - start) / steps;
    result.communication += (throttled->seconds - before) / steps;
    result.exposed += waits.seconds / steps;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto argument = [&](int i, double otherwise) { return argc > i ? std::atof(argv[i]) : otherwise; };
  const double bandwidth = argument(1, 100) * 1e6, compute = argument(2, 12) * 1e-3, latency = argument(3, 0) * 1e-3;
  const distributed::ProcessGroup group = distributed::init();
  if (group.is_first())
    std::printf(
        "%d ranks, %.0f MB/s, latency %.1f ms, a block's forward %.1f ms; milliseconds per step\n"
        "| stage | prefetch | step | communication | exposed | hidden |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |\n",
        group.size(), bandwidth * 1e-6, latency * 1e3, compute * 1e3);
  for (const int stage : {1, 2, 3})
    for (const bool prefetch : {false, true}) {
      const Result r = measure(group, bandwidth, latency, compute, stage, prefetch);
      const std::vector<double> sums = distributed::sum_over_ranks({r.step, r.communication, r.exposed}, group);
      const auto mean = [&](std::size_t i) { return sums[i] / group.size() * 1e3; };
      if (group.is_first())
        std::printf("| %d | %s | %.0f | %.0f | %.0f | %.0f %% |\n", stage, prefetch ? "on" : "off", mean(0), mean(1),
                    mean(2), 100 * std::max(0.0, 1 - mean(2) / mean(1)));
    }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sharding_overlap: %s\n", error.what());
  return 1;
}
