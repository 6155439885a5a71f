// Training steps of whole networks on the CPU, in float32: ResNet-18, as written in the examples, on images of 128 ×
// 128, and a GPT-2 of 4 layers of width 128. torch_networks.py has the same rows in PyTorch.
//   build/cpu/benchmarks/benchmarks --benchmark_filter=cpu_networks

#include "examples/resnet/network.h"

#include <minima/models/language/gpt2.h>

#include <benchmark/benchmark.h>

namespace minima {
namespace {

/// Without the first steps, which get their memory from the system.
template <class F>
void repeat(benchmark::State& state, const F& step) {
  for (int i = 0; i < 3; ++i) step();
  for (auto _ : state) step();
}

void resnet18_step(benchmark::State& state) {
  manual_seed(1);
  ResNet network(18);
  optim::SGD optimizer(network.parameters(), {.lr = 0.01, .momentum = 0.9, .weight_decay = 1e-4});
  const Tensor x = randn({8, 3, 128, 128}), target = randint(0, 1000, {8});
  repeat(state, [&] {
    optimizer.zero_grad();
    cross_entropy(network(x), target).backward();
    optimizer.step();
  });
}

void small_gpt2_step(benchmark::State& state) {
  manual_seed(1);
  models::GPT2 network({.vocabulary = 96, .positions = 128, .width = 128, .layers = 4, .heads = 4, .dropout = 0});
  optim::AdamW optimizer(network.parameters(), {.lr = 1e-3});
  const Tensor tokens = randint(0, 96, {16, 128}), targets = randint(0, 96, {16, 128});
  repeat(state, [&] {
    optimizer.zero_grad();
    network.loss(tokens, targets).mean().backward();
    optimizer.step();
  });
}

BENCHMARK(resnet18_step)->Name("cpu_networks/resnet18_step/batch:8")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(small_gpt2_step)->Name("cpu_networks/small_gpt2_step/batch:16")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace minima
