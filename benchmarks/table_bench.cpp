// The table of rows that minima is compared by, on the CPU and the first GPU, if any. Uses the public interface only.
//   build/cpu/benchmarks/benchmarks --benchmark_filter=cpu_table
//   build/cpu/benchmarks/benchmarks --benchmark_filter=cuda_table
// benchmarks/libtorch/table.cpp has the same rows in LibTorch; benchmarks/compare_libtorch.sh runs both.

#include <minima/minima.h>
#include <minima/tensor/pinned.h>
#include <minima/train/captured_step/captured_step.h>

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

namespace minima {
namespace {

/// On a GPU, enqueues `ahead` calls before synchronising, as a training loop does; on the CPU, calls are synchronous.
template <class F>
void repeat(benchmark::State& state, Device device, int ahead, const F& work) {
  work();
  if (device.is_cpu()) {
    for (auto _ : state) work();
    return;
  }
  const Stream stream = current_stream(device);
  stream.synchronize();
  while (state.KeepRunningBatch(ahead)) {
    for (int i = 0; i < ahead; ++i) work();
    stream.synchronize();
  }
}

// --- overhead of an eager step, arithmetic excluded ---

void add_one_element(benchmark::State& state, Device device) {
  const Tensor a = ones({1}, {.device = device}), b = ones({1}, {.device = device});
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(a + b); });
}

void add_one_element_recording(benchmark::State& state, Device device) {
  const Tensor a = ones({1}, {.device = device}).requires_grad(true), b = ones({1}, {.device = device});
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(a + b); });
}

void ten_muls_forward_and_backward(benchmark::State& state, Device device) {
  Tensor a = ones({1}, {.device = device}).requires_grad(true);
  const Tensor b = ones({1}, {.device = device});
  repeat(state, device, 100, [&] {
    Tensor y = a;
    for (int i = 0; i < 10; ++i) y = y * b;
    y.backward();
    a.zero_grad();
  });
}

void empty_1024(benchmark::State& state, Device device) {
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(empty({1024}, {.device = device})); });
}

void slice_view(benchmark::State& state, Device device) {
  const Tensor x = ones({64, 64}, {.device = device});
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(slice(x, 0, 1, 5)); });
}

// --- training steps: zero_grad, forward, backward, update; SGD with momentum. On a GPU also replayed from a CUDA
// graph ---

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
void step(benchmark::State& state, Device device, const Shape& batch, bool captured = false) {
  manual_seed(1);
  Net net;
  net.to(device);
  optim::SGD optimizer(net.parameters(), {.lr = 0.01, .momentum = 0.9});
  const Tensor x = randn(batch).to(device), target = randint(0, 10, {batch[0]}).to(device);
  const auto eager = [&](const Tensor& images, const Tensor& labels) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(net(images), labels);
    loss.backward();
    optimizer.step();
    return loss;
  };
  if (captured) {
    train::CapturedStep replayed(eager);
    replayed.watch(net);
    replayed.watch(optimizer);
    for (int i = 0; i < 5; ++i) replayed(x, target);  // the warmup and the capture
    repeat(state, device, 20, [&] { replayed(x, target); });
    if (!replayed.reason().empty()) state.SkipWithError(replayed.reason().c_str());
  } else {
    repeat(state, device, 20, [&] { eager(x, target); });
  }
  state.SetItemsProcessed(state.iterations() * batch[0]);
}

// --- copies to a GPU, to compare with its PCIe link: 128 images of 224 × 224 as the loader uploads them, in uint8 ---

void upload(benchmark::State& state, Device device, bool pinned) {
  const Layout layout = Layout::contiguous({128, 224, 224, 3});
  Tensor images = pinned ? empty_pinned(layout, uint8) : empty(layout.shape, {.dtype = uint8});
  fill_(images, 1);
  const Tensor there = empty(layout.shape, {.dtype = uint8, .device = device});
  repeat(state, device, 16, [&] { copy_(there, images); });
  state.counters["GB/s"] =
      benchmark::Counter(1e-9 * static_cast<double>(images.numel()), benchmark::Counter::kIsIterationInvariantRate);
}

// --- the arithmetic itself ---

void square_matmul(benchmark::State& state, Device device, std::int64_t n) {
  const Tensor a = randn({n, n}, {.device = device}), b = randn({n, n}, {.device = device});
  repeat(state, device, 20, [&] { benchmark::DoNotOptimize(matmul(a, b)); });
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(n * n * n), benchmark::Counter::kIsIterationInvariantRate);
}

// --- bandwidth: 16M float32, compared with a copy; "GB/s" counts the minimum memory traffic. `preallocated`: the
// result's memory comes from the allocator's cache, as in a training step; `fresh`: from the system, including page
// faults. A GPU cycles through eight inputs, 512 MiB, so that none stays in its cache ---

constexpr std::int64_t large = 1 << 24;

std::vector<Tensor> inputs(Device device) {
  std::vector<Tensor> result;
  for (int i = 0; i < (device.is_cuda() ? 8 : 1); ++i)
    result.push_back(randn({large / 4096, 4096}, {.device = device}));
  return result;
}

void count_bytes(benchmark::State& state, double bytes) {
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void copy(benchmark::State& state, Device device) {
  const std::vector<Tensor> x = inputs(device);
  const Tensor y = empty(x[0].shape(), {.device = device});
  std::size_t i = 0;
  repeat(state, device, 16, [&] { copy_(y, x[i++ % x.size()]); });
  count_bytes(state, 8.0 * large);
}

void one_pass(benchmark::State& state, Device device, Tensor (*f)(const Tensor&), double bytes) {
  const std::vector<Tensor> x = inputs(device);
  std::size_t i = 0;
  repeat(state, device, 16, [&] { benchmark::DoNotOptimize(f(x[i++ % x.size()])); });
  count_bytes(state, bytes * large);
}

void one_pass_fresh(benchmark::State& state, Tensor (*f)(const Tensor&), double bytes) {
  const Tensor x = inputs(Device::cpu())[0];
  f(x);
  for (auto _ : state) {
    state.PauseTiming();
    empty_cache();
    state.ResumeTiming();
    benchmark::DoNotOptimize(f(x));
  }
  count_bytes(state, bytes * large);
}

Tensor row_softmax(const Tensor& x) { return softmax(x, -1); }
Tensor row_sums(const Tensor& x) { return sum(x, {1}); }

void add_rows(Device device) {
  const auto row = [&](const char* name, benchmark::TimeUnit unit, auto&&... work) {
    const std::string full = std::string(device.is_cuda() ? "cuda_table/" : "cpu_table/").append(name);
    benchmark::RegisterBenchmark(full.c_str(), work...)->Unit(unit)->UseRealTime();
  };
  constexpr auto ns = benchmark::kNanosecond, us = benchmark::kMicrosecond, ms = benchmark::kMillisecond;
  const auto on_device = [&](void (*f)(benchmark::State&, Device)) {
    return [f, device](benchmark::State& state) { f(state, device); };
  };
  row("add", ns, on_device(add_one_element));
  row("add_recording", ns, on_device(add_one_element_recording));
  row("ten_muls_forward_and_backward", ns, on_device(ten_muls_forward_and_backward));
  row("empty_1024", ns, on_device(empty_1024));
  row("view", ns, on_device(slice_view));

  for (const bool captured : {false, true}) {
    if (captured && device.is_cpu()) break;
    const auto step_row = [&](std::string name, auto take_steps) {
      row((captured ? name += "/captured" : name).c_str(), us, take_steps);
    };
    const auto mlp = [&](std::int64_t batch) {
      return [=](benchmark::State& state) { step<Mlp>(state, device, {batch, 784}, captured); };
    };
    step_row("mlp_step/batch:64", mlp(64));
    step_row("mlp_step/batch:1024", mlp(1024));
    step_row("small_cnn_step/batch:64",
             [=](benchmark::State& state) { step<SmallCnn>(state, device, {64, 1, 28, 28}, captured); });
  }

  for (const std::int64_t n : {256, 1024, 2048})
    row(("matmul/n:" + std::to_string(n)).c_str(), us,
        [device, n](benchmark::State& state) { square_matmul(state, device, n); });

  const auto pass = [&](Tensor (*f)(const Tensor&), double bytes) {
    return [f, device, bytes](benchmark::State& state) { one_pass(state, device, f, bytes); };
  };
  const auto fresh = [&](Tensor (*f)(const Tensor&), double bytes) {
    return [f, bytes](benchmark::State& state) { one_pass_fresh(state, f, bytes); };
  };
  row("copy_16m", ms, on_device(copy));
  row("gelu_16m_preallocated", ms, pass(gelu, 8));
  row("gelu_tanh_16m_preallocated", ms, pass(gelu_tanh, 8));
  row("softmax_16m_preallocated", ms, pass(row_softmax, 8));
  row("sum_rows_16m", ms, pass(row_sums, 4));
  if (device.is_cuda()) {
    row("upload_uint8_pinned", ms, [device](benchmark::State& state) { upload(state, device, true); });
    row("upload_uint8_pageable", ms, [device](benchmark::State& state) { upload(state, device, false); });
    return;
  }
  row("gelu_16m_fresh", ms, fresh(gelu, 8));
  row("softmax_16m_fresh", ms, fresh(row_softmax, 8));
}

[[maybe_unused]] const bool registered = [] {
  add_rows(Device::cpu());
  if (cuda::device_count() > 0) add_rows(Device::cuda());
  return true;
}();

}  // namespace
}  // namespace minima
