// Independent models on one GPU, each on its own stream or all on one. Small models leave most of a GPU idle, so
// separate streams should overlap them. These rows need a GPU.
//
//   build/gpu/benchmarks/benchmarks --benchmark_filter=cuda_table/models

#include <minima/autograd/backward.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/stream.h>

#include <benchmark/benchmark.h>

#include <deque>

namespace minima {
namespace {

struct Training {
  explicit Training(Device device)
      : net(nn::Linear({.in = 512, .out = 512, .activation = Activation::relu}), nn::Linear({.in = 512, .out = 10})),
        x(randn({64, 512}).to(device)),
        y(randint(0, 10, {64}).to(device)) {
    net.to(device);
  }
  void step() {
    for (const Tensor& parameter : net.parameters()) parameter.zero_grad();
    cross_entropy(net(x), y).backward();
  }
  nn::Sequential net;
  Tensor x, y;
};

void models_in_streams(benchmark::State& state, std::size_t models, bool one_stream) {
  const Device device = Device::cuda();
  std::deque<Training> trainings;
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < models; ++i) {
    trainings.emplace_back(device);
    streams.push_back(one_stream && i > 0 ? streams.front() : Stream::create(device));
  }
  synchronize(device);
  constexpr int steps = 20;
  while (state.KeepRunningBatch(steps)) {
    for (int step = 0; step < steps; ++step)
      for (std::size_t i = 0; i < models; ++i) {
        const StreamGuard guard(streams[i]);
        trainings[i].step();
      }
    synchronize(device);
  }
}

[[maybe_unused]] const bool registered = [] {
  if (cuda::device_count() == 0) return false;
  for (const bool one_stream : {true, false})
    benchmark::RegisterBenchmark(one_stream ? "cuda_table/models:8/one_stream" : "cuda_table/models:8/eight_streams",
                                 [one_stream](benchmark::State& state) { models_in_streams(state, 8, one_stream); })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace minima
