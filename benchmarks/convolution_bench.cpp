// The distinct convolutions of a ResNet-18 for eight images of 128 × 128 and their gradients, in float32: processor
// time and GFLOP/s of it.
//   MINIMA_THREADS=1 build/cpu/benchmarks/benchmarks --benchmark_filter=resnet18_convolutions

#include <minima/minima.h>
#include <minima/ops/convolution/convolution.h>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

namespace minima {
namespace {

struct Convolution {
  std::int64_t channels, outputs, kernel, stride, size;
};
constexpr Convolution convolutions[] = {{3, 64, 7, 2, 128},   {64, 64, 3, 1, 32},   {64, 128, 3, 2, 32},
                                        {64, 128, 1, 2, 32},  {128, 128, 3, 1, 16}, {128, 256, 3, 2, 16},
                                        {128, 256, 1, 2, 16}, {256, 256, 3, 1, 8},  {256, 512, 3, 2, 8},
                                        {256, 512, 1, 2, 8},  {512, 512, 3, 1, 4}};

template <class F>
void repeat(benchmark::State& state, double flops, const F& step) {
  for (auto _ : state) benchmark::DoNotOptimize(step());
  state.counters["FLOP/s"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

void add(const Convolution& c) {
  const auto run = [c](const std::string& part, benchmark::State& state) {
    const NoGrad guard;
    manual_seed(1);
    const Conv2dOptions options{.stride = c.stride, .padding = c.kernel / 2};
    const Tensor images = randn({8, c.channels, c.size, c.size}), x = c.channels > 3 ? channels_last(images) : images;
    const Tensor weight = randn({c.outputs, c.channels, c.kernel, c.kernel}), y = conv2d(x, weight, {}, options);
    const double flops = 2.0 * static_cast<double>(y.numel() * c.channels * c.kernel * c.kernel);
    if (part == "forward") repeat(state, flops, [&] { return conv2d(x, weight, {}, options); });
    else if (part == "input_gradient")
      repeat(state, flops, [&] { return conv2d_input_gradient(y, weight, x.layout(), options); });
    else repeat(state, flops, [&] { return conv2d_weight_gradient(x, y, weight.layout(), options); });
  };
  for (const std::string part : {"forward", "input_gradient", "weight_gradient"}) {
    const std::string sizes = std::to_string(c.channels) + "_to_" + std::to_string(c.outputs) + "_kernel_" +
                              std::to_string(c.kernel) + "_stride_" + std::to_string(c.stride);
    benchmark::RegisterBenchmark(("resnet18_convolutions/" + part + "/" + sizes).c_str(),
                                 [run, part](benchmark::State& state) { run(part, state); })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  }
}

[[maybe_unused]] const bool added = [] {
  for (const Convolution& c : convolutions) add(c);
  return true;
}();

}  // namespace
}  // namespace minima
