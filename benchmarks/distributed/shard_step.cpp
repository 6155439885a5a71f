// The optimizer's step on a rank's shards, compared with that on whole tensors of as many elements, in processor time:
// AdamW, with and without clipping by the norm of all ranks. torch_shard_step.py measures PyTorch's FSDP2.
//   scripts/launch -n 2 build/cpu/benchmarks/shard_step [LAYERS [WIDTH [STEPS]]]

#include <minima/distributed/distributed.h>
#include <minima/minima.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using namespace minima;

namespace {

/// Seconds of this process on all its threads.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Times {
  std::vector<double> steps;
  double elements = 0;

  explicit Times(const optim::Optimizer& optimizer) {
    for (const Tensor& parameter : optimizer.parameters()) elements += static_cast<double>(parameter.numel());
  }
  void take(optim::Optimizer& optimizer) {
    const double start = processor_time();
    optimizer.step();
    steps.push_back(processor_time() - start);
  }
  double median() {
    std::sort(steps.begin(), steps.end());
    return steps[steps.size() / 2];
  }
};

nn::Sequential layers(std::int64_t count, std::int64_t width) {
  nn::Sequential net;
  for (std::int64_t i = 0; i < count; ++i) net.push_back(nn::Linear({.in = width, .out = width}));
  return net;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto argument = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  const int count = argument(1, 16), width = argument(2, 1024), steps = argument(3, 40);
  const distributed::ProcessGroup group = distributed::init();
  nn::Sequential net = layers(count, width), whole = layers(std::max(1, count / group.size()), width);
  const distributed::Sharding sharding = distributed::shard(net, distributed::children_of(net), group);
  const Tensor x = ones({1, width}) * 1e-3;
  if (group.is_first())
    std::printf(
        "%d ranks, %d layers of %d; milliseconds of processor time per Mi elements, medians of %d steps\n"
        "| clips | shards | layers | tensors like shards | shards / layers | shards / such tensors |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n",
        group.size(), count, width, steps);
  // As many elements in tensors of the layers' shapes, and in those of the shards.
  std::vector<Tensor> same;
  for (const Tensor& shard : net.parameters()) {
    if (shard.numel() == 0) continue;
    Tensor tensor = randn(shard.shape()) * 0.03;
    tensor.requires_grad(true);
    tensor.set_grad(full(tensor.shape(), 1e-3));
    same.push_back(tensor);
  }
  for (const bool clips : {false, true}) {
    optim::AdamW of_shards(net.parameters(), {.lr = 1e-6}), of_layers(whole.parameters(), {.lr = 1e-6}),
        of_same(same, {.lr = 1e-6});
    optim::AdamW* const optimizers[] = {&of_shards, &of_layers, &of_same};
    of_shards.zero_grad();
    of_layers.zero_grad();
    sum(net(x)).backward();
    sum(whole(x)).backward();
    std::vector<Times> times;
    for (optim::AdamW* optimizer : optimizers) {
      if (clips) optimizer->max_grad_norm(1e-3);
      times.emplace_back(*optimizer);
    }
    for (int step = 0; step < steps + 3; ++step) {  // the first ones allocate
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t turn = (i + static_cast<std::size_t>(step)) % 3;
        group.barrier();
        times[turn].take(*optimizers[turn]);
      }
      if (step < 3)
        for (Times& each : times) each.steps.clear();
    }
    double found[3];
    for (std::size_t i = 0; i < 3; ++i) found[i] = 1e3 * times[i].median() / times[i].elements * (1 << 20);
    if (group.is_first())
      std::printf("| %s | %.3f | %.3f | %.3f | %.3f | %.3f |\n", clips ? "yes" : "no", found[0], found[1], found[2],
                  found[0] / found[1], found[0] / found[2]);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "shard_step: %s\n", error.what());
  return 1;
}
