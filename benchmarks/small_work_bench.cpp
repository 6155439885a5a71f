// Overhead per operator: what an eager step costs beside its arithmetic.

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>

#include <benchmark/benchmark.h>

namespace minima {
namespace {

void add_one_element(benchmark::State& state) {
  const Tensor a = ones({1}), b = ones({1});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_one_element);

void add_one_element_recording(benchmark::State& state) {
  const Tensor a = ones({1}).requires_grad(true), b = ones({1});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_one_element_recording);

void ten_muls_forward_and_backward(benchmark::State& state) {
  Tensor a = ones({1}).requires_grad(true);
  const Tensor b = ones({1});
  for (auto _ : state) {
    Tensor y = a;
    for (int i = 0; i < 10; ++i) y = y * b;
    y.backward();
    a.zero_grad();
  }
}
BENCHMARK(ten_muls_forward_and_backward);

void empty_1024(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(empty({1024}));
}
BENCHMARK(empty_1024);

void slice_view(benchmark::State& state) {
  const Tensor x = ones({64, 64});
  for (auto _ : state) benchmark::DoNotOptimize(slice(x, 0, 1, 5));
}
BENCHMARK(slice_view);

}  // namespace
}  // namespace minima
