// Optimizer steps over ten million parameters in a thousand tensors from one to 65,536 elements, beside a loop that
// only reads and writes as many bytes in tensors of the same sizes: one pass is the least that any step can take.

#include <minima/minima.h>
#include <minima/tensor/base/loop_pragmas.h>

#include <benchmark/benchmark.h>

namespace minima {
namespace {

std::vector<Tensor> parameters() {
  std::vector<Tensor> all;
  for (int i = 0; i < 1000; ++i) {
    // A quarter each of biases, small, middling and large matrices.
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
void step(benchmark::State& state, Options options, double bytes_per_parameter) {
  const std::vector<Tensor> all = parameters();
  Optimizer optimizer(all, options);
  optimizer.step();  // makes the state
  for (auto _ : state) optimizer.step();
  state.counters["GB/s"] =
      benchmark::Counter(bytes_per_parameter * count(all) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

// Reads θ, g and the state, writes θ and the state: 20 bytes with one state, 28 with two.
void sgd_momentum(benchmark::State& state) {
  step<optim::SGD>(state, optim::SgdOptions{.lr = 1e-6, .momentum = 0.9}, 20);
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
BENCHMARK(one_pass<3, 2>)->Name("optim/one_pass_like_sgd")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(one_pass<4, 3>)->Name("optim/one_pass_like_adamw")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace minima
