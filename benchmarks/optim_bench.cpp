// Optimizer steps over ten million parameters in a thousand tensors of 1 to 32,768 elements, compared with a loop that
// only reads and writes as many bytes in tensors of the same sizes: the lower bound for any step.

#include <minima/minima.h>
#include <minima/tensor/base/loop_pragmas.h>

#include <benchmark/benchmark.h>

namespace minima {
namespace {

std::vector<Tensor> parameters() {
  std::vector<Tensor> all;
  for (int i = 0; i < 1000; ++i) {
    // A quarter each of biases and of small, medium and large matrices.
    const std::int64_t sizes[] = {1 + i % 256, 1024 + i, 8192 - i, 32768 - i % 7};
    all.push_back(randn({sizes[i % 4]}));
  }
  for (Tensor& p : all) {
    p.requires_grad(true);
    p.set_grad(randn(p.shape()));
  }
  return all;
}

double count(const std::vector<Tensor>& tensors) {
  double n = 0;
  for (const Tensor& t : tensors) n += static_cast<double>(t.numel());
  return n;
}

template <class Optimizer, class Options>
void step(benchmark::State& state, const Options& options, double bytes_per_parameter) {
  const std::vector<Tensor> all = parameters();
  Optimizer optimizer(all, options);
  optimizer.step();  // allocates the state
  for (auto _ : state) optimizer.step();
  state.counters["GB/s"] =
      benchmark::Counter(bytes_per_parameter * count(all) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

// Reads θ, g and the state, writes θ and the state: 20 bytes with one state, 28 with two.
void sgd_momentum(benchmark::State& state) {
  step<optim::SGD>(state, optim::SGDOptions{.lr = 1e-6, .momentum = 0.9}, 20);
}
void lion(benchmark::State& state) { step<optim::Lion>(state, optim::LionOptions{.lr = 1e-6}, 20); }
void rmsprop(benchmark::State& state) { step<optim::RMSprop>(state, optim::RMSpropOptions{.lr = 1e-6}, 20); }
void adagrad(benchmark::State& state) { step<optim::Adagrad>(state, optim::AdagradOptions{.lr = 1e-6}, 20); }
void adamw(benchmark::State& state) { step<optim::AdamW>(state, optim::AdamWOptions{.lr = 1e-6}, 28); }
void nadam(benchmark::State& state) { step<optim::NAdam>(state, optim::NAdamOptions{.lr = 1e-6}, 28); }
void radam(benchmark::State& state) { step<optim::RAdam>(state, optim::RAdamOptions{.lr = 1e-6}, 28); }
void adamax(benchmark::State& state) { step<optim::Adamax>(state, optim::AdamaxOptions{.lr = 1e-6}, 28); }
void adadelta(benchmark::State& state) { step<optim::Adadelta>(state, optim::AdadeltaOptions{.lr = 1e-6}, 28); }
BENCHMARK(sgd_momentum)->Name("optim/sgd_momentum")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(lion)->Name("optim/lion")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(rmsprop)->Name("optim/rmsprop")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(adagrad)->Name("optim/adagrad")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(adamw)->Name("optim/adamw")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(nadam)->Name("optim/nadam")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(radam)->Name("optim/radam")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(adamax)->Name("optim/adamax")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(adadelta)->Name("optim/adadelta")->Unit(benchmark::kMillisecond)->UseRealTime();

/// As many streams of memory in one pass over tensors of the same sizes: `reads` lists, the first `writes` of which are
/// written back.
template <int reads, int writes>
void one_pass(benchmark::State& state) {
  std::vector<std::vector<Tensor>> streams;
  for (int i = 0; i < reads; ++i) streams.push_back(parameters());
  const auto tensors = static_cast<std::int64_t>(streams[0].size());
  for (auto _ : state) {
    parallel_for(0, tensors, 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        float* p[reads];
        for (int j = 0; j < reads; ++j)
          p[j] = streams[static_cast<std::size_t>(j)][static_cast<std::size_t>(t)].template data<float>();
        const std::int64_t n = streams[0][static_cast<std::size_t>(t)].numel();
        MINIMA_IVDEP
        for (std::int64_t i = 0; i < n; ++i) {
          float total = 0;
          for (int j = 0; j < reads; ++j) total += p[j][i];
          for (int j = 0; j < writes; ++j) p[j][i] = total * 0.25f;
        }
      }
    });
  }
  state.counters["GB/s"] = benchmark::Counter(4.0 * (reads + writes) * count(streams[0]) * 1e-9,
                                              benchmark::Counter::kIsIterationInvariantRate);
}

template <class F>
void row(const char* name, const F& run) {
  benchmark::RegisterBenchmark((std::string("optim/") + name).c_str(), run)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

template <class Optimizer, class Options>
void row(const char* name, const Options& options, int states) {
  // Reads θ, g and the states, writes θ and the states.
  const double bytes = 4 * (3 + 2 * states);
  row(name, [options, bytes](benchmark::State& state) { step<Optimizer>(state, options, bytes); });
}

[[maybe_unused]] const bool registered = [] {
  constexpr double lr = 1e-6;
  row<optim::SGD>("sgd_momentum", optim::SGDOptions{.lr = lr, .momentum = 0.9}, 1);
  row<optim::Lion>("lion", optim::LionOptions{.lr = lr}, 1);
  row<optim::RMSprop>("rmsprop", optim::RMSpropOptions{.lr = lr}, 1);
  row<optim::Adagrad>("adagrad", optim::AdagradOptions{.lr = lr}, 1);
  row<optim::AdamW>("adamw", optim::AdamWOptions{.lr = lr}, 2);
  row<optim::NAdam>("nadam", optim::NAdamOptions{.lr = lr}, 2);
  row<optim::RAdam>("radam", optim::RAdamOptions{.lr = lr}, 2);
  row<optim::Adamax>("adamax", optim::AdamaxOptions{.lr = lr}, 2);
  row<optim::Adadelta>("adadelta", optim::AdadeltaOptions{.lr = lr}, 2);
  row("one_pass_like_sgd", one_pass<3, 2>);
  row("one_pass_like_adamw", one_pass<4, 3>);
  return true;
}();

}  // namespace
}  // namespace minima
