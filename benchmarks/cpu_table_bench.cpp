// The CPU table: the work that minima is compared by, through its public interface alone. One command prints it:
//   build/cpu/benchmarks/benchmarks --benchmark_filter=cpu_table

#include <minima/minima.h>

#include <benchmark/benchmark.h>

#include <cstring>

namespace minima {
namespace {

// --- overhead: what an eager step costs beside its arithmetic ---

void add_one_element(benchmark::State& state) {
  const Tensor a = ones({1}), b = ones({1});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_one_element)->Name("cpu_table/add");

void add_one_element_recording(benchmark::State& state) {
  const Tensor a = ones({1}).requires_grad(true), b = ones({1});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add_one_element_recording)->Name("cpu_table/add_recording");

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
BENCHMARK(ten_muls_forward_and_backward)->Name("cpu_table/ten_muls_forward_and_backward");

void empty_1024(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(empty({1024}));
}
BENCHMARK(empty_1024)->Name("cpu_table/empty_1024");

void slice_view(benchmark::State& state) {
  const Tensor x = ones({64, 64});
  for (auto _ : state) benchmark::DoNotOptimize(slice(x, 0, 1, 5));
}
BENCHMARK(slice_view)->Name("cpu_table/view");

// --- training steps: zero_grad, forward, backward, update; SGD with momentum ---

struct Mlp : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 784, .out = 512}));
  nn::Linear b = child("b", nn::Linear({.in = 512, .out = 512}));
  nn::Linear c = child("c", nn::Linear({.in = 512, .out = 10}));
  Tensor forward(const Tensor& x) override { return c(relu(b(relu(a(x))))); }
};

struct SmallCnn : nn::Module {
  nn::Conv2d conv1 = child("conv1", nn::Conv2d({.in = 1, .out = 32, .kernel = 3, .padding = 1}));
  nn::Conv2d conv2 = child("conv2", nn::Conv2d({.in = 32, .out = 64, .kernel = 3, .padding = 1}));
  nn::Linear linear1 = child("linear1", nn::Linear({.in = 3136, .out = 128}));
  nn::Linear linear2 = child("linear2", nn::Linear({.in = 128, .out = 10}));
  Tensor forward(const Tensor& x) override {
    Tensor h = max_pool2d(relu(conv1(x)), {.kernel = 2});
    h = max_pool2d(relu(conv2(h)), {.kernel = 2});
    return linear2(relu(linear1(flatten(h, 1))));
  }
};

template <class Net>
void step(benchmark::State& state, const Shape& sample) {
  manual_seed(1);
  Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.01, .momentum = 0.9});
  Shape batch = sample;
  batch[0] = state.range(0);
  const Tensor x = randn(batch), target = randint(0, 10, {batch[0]});
  for (auto _ : state) {
    optimizer.zero_grad();
    cross_entropy(net(x), target).backward();
    optimizer.step();
  }
  state.SetItemsProcessed(state.iterations() * batch[0]);
}
void mlp_step(benchmark::State& state) { step<Mlp>(state, {0, 784}); }
void small_cnn_step(benchmark::State& state) { step<SmallCnn>(state, {0, 1, 28, 28}); }
BENCHMARK(mlp_step)->Name("cpu_table/mlp_step")->Arg(64)->Arg(1024)->ArgName("batch")
    ->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(small_cnn_step)->Name("cpu_table/small_cnn_step")->Arg(64)->ArgName("batch")
    ->Unit(benchmark::kMillisecond)->UseRealTime();

// --- the arithmetic itself ---

void square_matmul(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const Tensor a = randn({n, n}), b = randn({n, n});
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a, b));
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(n * n * n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(square_matmul)->Name("cpu_table/matmul")->Arg(256)->Arg(1024)->Arg(2048)->ArgName("n")
    ->Unit(benchmark::kMillisecond)->UseRealTime();

// --- bandwidth: 16M float32, beside a copy; "GB/s" is what must at least cross memory. `preallocated`: the result's
// memory comes from the allocator's cache, as in a training step; `fresh`: from the system, page faults included ---

constexpr std::int64_t large = 1 << 24;

template <class F>
void run(benchmark::State& state, double bytes, bool fresh, const F& work) {
  work();
  for (auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      empty_cache();
      state.ResumeTiming();
    }
    work();
  }
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void copy(benchmark::State& state) {
  const Tensor x = randn({large}), y = empty({large});
  run(state, 8.0 * large, false, [&] { copy_(y, x); });
}
BENCHMARK(copy)->Name("cpu_table/copy_16m")->Unit(benchmark::kMillisecond)->UseRealTime();

void one_pass(benchmark::State& state, Tensor (*f)(const Tensor&), double bytes, bool fresh) {
  const Tensor x = randn({large / 4096, 4096});
  run(state, bytes * large, fresh, [&] { benchmark::DoNotOptimize(f(x)); });
}
Tensor row_softmax(const Tensor& x) { return softmax(x, -1); }
Tensor row_sums(const Tensor& x) { return sum(x, {1}); }
#define MINIMA_ROW(name, ...) \
  BENCHMARK_CAPTURE(one_pass, name, __VA_ARGS__)->Name("cpu_table/" #name)->Unit(benchmark::kMillisecond)->UseRealTime()
MINIMA_ROW(gelu_16m_preallocated, gelu, 8, false);
MINIMA_ROW(gelu_16m_fresh, gelu, 8, true);
MINIMA_ROW(gelu_tanh_16m_preallocated, gelu_tanh, 8, false);
MINIMA_ROW(softmax_16m_preallocated, row_softmax, 8, false);
MINIMA_ROW(softmax_16m_fresh, row_softmax, 8, true);
MINIMA_ROW(sum_rows_16m, row_sums, 4, false);

}  // namespace
}  // namespace minima
