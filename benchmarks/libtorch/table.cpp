// The rows of ../table_bench.cpp in LibTorch, under the same names. Not part of minima's build: ../compare_libtorch.sh
// compiles it with the headers and libraries of a PyTorch installation.

#include <torch/torch.h>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace {

using torch::Tensor;

template <class F>
void repeat(benchmark::State& state, torch::Device device, int ahead, const F& work) {
  work();
  if (device.is_cpu()) {
    for (auto _ : state) work();
    return;
  }
  torch::cuda::synchronize();
  while (state.KeepRunningBatch(ahead)) {
    for (int i = 0; i < ahead; ++i) work();
    torch::cuda::synchronize();
  }
}

Tensor one(torch::Device device) { return torch::ones({1}, torch::dtype(torch::kFloat32).device(device)); }

void add_one_element(benchmark::State& state, torch::Device device) {
  const Tensor a = one(device), b = one(device);
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(a + b); });
}

void add_one_element_recording(benchmark::State& state, torch::Device device) {
  const Tensor a = one(device).requires_grad_(true), b = one(device);
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(a + b); });
}

void ten_muls_forward_and_backward(benchmark::State& state, torch::Device device) {
  Tensor a = one(device).requires_grad_(true);
  const Tensor b = one(device);
  repeat(state, device, 100, [&] {
    Tensor y = a;
    for (int i = 0; i < 10; ++i) y = y * b;
    y.backward();
    a.mutable_grad().reset();
  });
}

void empty_1024(benchmark::State& state, torch::Device device) {
  const auto options = torch::dtype(torch::kFloat32).device(device);
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(torch::empty({1024}, options)); });
}

void slice_view(benchmark::State& state, torch::Device device) {
  const Tensor x = torch::ones({64, 64}, torch::device(device));
  repeat(state, device, 1000, [&] { benchmark::DoNotOptimize(x.slice(0, 1, 5)); });
}

struct MlpImpl : torch::nn::Module {
  torch::nn::Linear a{784, 512}, b{512, 512}, c{512, 10};
  MlpImpl() { register_module("a", a), register_module("b", b), register_module("c", c); }
  Tensor forward(const Tensor& x) { return c(torch::relu(b(torch::relu(a(x))))); }
};
TORCH_MODULE(Mlp);

struct SmallCnnImpl : torch::nn::Module {
  torch::nn::Conv2d conv1{torch::nn::Conv2dOptions(1, 32, 3).padding(1)};
  torch::nn::Conv2d conv2{torch::nn::Conv2dOptions(32, 64, 3).padding(1)};
  torch::nn::Linear linear1{3136, 128}, linear2{128, 10};
  SmallCnnImpl() {
    register_module("conv1", conv1), register_module("conv2", conv2);
    register_module("linear1", linear1), register_module("linear2", linear2);
  }
  Tensor forward(const Tensor& x) {
    Tensor h = torch::max_pool2d(torch::relu(conv1(x)), 2);
    h = torch::max_pool2d(torch::relu(conv2(h)), 2);
    return linear2(torch::relu(linear1(h.flatten(1))));
  }
};
TORCH_MODULE(SmallCnn);

template <class Net>
void step(benchmark::State& state, torch::Device device, at::IntArrayRef batch) {
  torch::manual_seed(1);
  Net net;
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  const Tensor x = torch::randn(batch).to(device), target = torch::randint(0, 10, {batch[0]}, torch::kInt64).to(device);
  repeat(state, device, 20, [&] {
    optimizer.zero_grad();
    torch::nn::functional::cross_entropy(net(x), target).backward();
    optimizer.step();
  });
  state.SetItemsProcessed(state.iterations() * batch[0]);
}

void square_matmul(benchmark::State& state, torch::Device device, std::int64_t n) {
  const Tensor a = torch::randn({n, n}, torch::device(device)), b = torch::randn({n, n}, torch::device(device));
  repeat(state, device, 20, [&] { benchmark::DoNotOptimize(torch::matmul(a, b)); });
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(n * n * n), benchmark::Counter::kIsIterationInvariantRate);
}

constexpr std::int64_t large = 1 << 24;

std::vector<Tensor> inputs(torch::Device device) {
  std::vector<Tensor> result;
  for (int i = 0; i < (device.is_cuda() ? 8 : 1); ++i)
    result.push_back(torch::randn({large / 4096, 4096}, torch::device(device)));
  return result;
}

void count_bytes(benchmark::State& state, double bytes) {
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void copy(benchmark::State& state, torch::Device device) {
  const std::vector<Tensor> x = inputs(device);
  Tensor y = torch::empty_like(x[0]);
  std::size_t i = 0;
  repeat(state, device, 16, [&] { y.copy_(x[i++ % x.size()]); });
  count_bytes(state, 8.0 * large);
}

template <class F>
void one_pass(benchmark::State& state, torch::Device device, const F& f, double bytes) {
  const std::vector<Tensor> x = inputs(device);
  std::size_t i = 0;
  repeat(state, device, 16, [&] { benchmark::DoNotOptimize(f(x[i++ % x.size()])); });
  count_bytes(state, bytes * large);
}

void add_rows(torch::Device device) {
  const auto row = [&](const char* name, benchmark::TimeUnit unit, auto&& work) {
    const std::string full = std::string(device.is_cuda() ? "cuda_table/" : "cpu_table/").append(name);
    benchmark::RegisterBenchmark(full.c_str(), work)->Unit(unit)->UseRealTime();
  };
  constexpr auto ns = benchmark::kNanosecond, us = benchmark::kMicrosecond, ms = benchmark::kMillisecond;
  const auto on_device = [&](void (*f)(benchmark::State&, torch::Device)) {
    return [f, device](benchmark::State& state) { f(state, device); };
  };
  row("add", ns, on_device(add_one_element));
  row("add_recording", ns, on_device(add_one_element_recording));
  row("ten_muls_forward_and_backward", ns, on_device(ten_muls_forward_and_backward));
  row("empty_1024", ns, on_device(empty_1024));
  row("view", ns, on_device(slice_view));

  const auto mlp = [&](std::int64_t batch) {
    return [device, batch](benchmark::State& state) { step<Mlp>(state, device, {batch, 784}); };
  };
  row("mlp_step/batch:64", us, mlp(64));
  row("mlp_step/batch:1024", us, mlp(1024));
  row("small_cnn_step/batch:64", us,
      [device](benchmark::State& state) { step<SmallCnn>(state, device, {64, 1, 28, 28}); });

  for (const std::int64_t n : {256, 1024, 2048})
    row(("matmul/n:" + std::to_string(n)).c_str(), us,
        [device, n](benchmark::State& state) { square_matmul(state, device, n); });

  const auto pass = [&](auto f, double bytes) {
    return [f, device, bytes](benchmark::State& state) { one_pass(state, device, f, bytes); };
  };
  row("copy_16m", ms, on_device(copy));
  row("gelu_16m_preallocated", ms, pass([](const Tensor& x) { return torch::gelu(x); }, 8));
  row("gelu_tanh_16m_preallocated", ms, pass([](const Tensor& x) { return torch::gelu(x, "tanh"); }, 8));
  row("softmax_16m_preallocated", ms, pass([](const Tensor& x) { return torch::softmax(x, -1); }, 8));
  row("sum_rows_16m", ms, pass([](const Tensor& x) { return x.sum(1); }, 4));
}

[[maybe_unused]] const bool registered = [] {
  add_rows(torch::kCPU);
  if (torch::cuda::is_available()) add_rows(torch::kCUDA);
  return true;
}();

}  // namespace

int main(int argc, char** argv) {
  // As minima by default: products and convolutions of float32 keep all its digits. LibTorch's convolutions would not.
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  benchmark::Initialize(&argc, argv);
  // As in minima, float32 is float32; LibTorch's convolutions would round it to TF32.
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  benchmark::RunSpecifiedBenchmarks();
}
