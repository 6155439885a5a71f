#include <minima/profiler/roofs/roof.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minima::profiler {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The shortest run within a third of a second.
template <class F>
double best(const F& run) {
  double least = 1e9;
  for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < 1.0 / 3;) {
    const Clock::time_point start = Clock::now();
    run();
    least = std::min(least, seconds_since(start));
  }
  return least;
}

/// `rounds` · lanes multiply-adds in registers, with enough lanes to hide the instruction latency.
constexpr int lanes = 16 * 12;
float multiply_add(std::int64_t rounds) {
  float sums[lanes];
  for (int i = 0; i < lanes; ++i) sums[i] = static_cast<float>(i);
  for (std::int64_t r = 0; r < rounds; ++r)
    for (int i = 0; i < lanes; ++i) sums[i] = sums[i] * 0.999F + 0.5F;
  float total = 0;
  for (float s : sums) total += s;
  return total;
}

}  // namespace

double Roof::seconds(double flops, double bytes, bool half) const {
  return std::max(flops / rate(half), bytes / bytes_per_second);
}

Roof measure_roof() {
  const int threads = num_threads();
  const auto on_all = [&](const auto& work) {
    parallel_for(0, threads, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) work(static_cast<std::size_t>(i));
    });
  };
  Roof roof;
  // As much memory as a benchmark row.
  const std::size_t share = (std::size_t{16} << 20) / sizeof(float) / static_cast<std::size_t>(threads);
  const std::vector<float> from(share * static_cast<std::size_t>(threads), 1.0F);
  std::vector<float> to(from.size());
  const double copy = best([&] {
    on_all([&](std::size_t i) { std::memcpy(to.data() + i * share, from.data() + i * share, share * sizeof(float)); });
  });
  roof.bytes_per_second = 2.0 * static_cast<double>(from.size() * sizeof(float)) / copy;

  NoGrad guard;
  // The operator may use stores that pass the caches by.
  const Tensor source = ones({static_cast<std::int64_t>(from.size())}), target = empty_like(source);
  const double operator_copy = best([&] { copy_(target, source); });
  roof.bytes_per_second =
      std::max(roof.bytes_per_second, 2.0 * static_cast<double>(source.numel()) * sizeof(float) / operator_copy);

  constexpr std::int64_t rounds = 20'000;
  std::vector<float> kept(static_cast<std::size_t>(threads));
  const double arithmetic = best([&] { on_all([&](std::size_t i) { kept[i] = multiply_add(rounds); }); });
  volatile float sink = kept[0];
  static_cast<void>(sink);
  roof.flops_per_second = 2.0 * lanes * static_cast<double>(rounds * threads) / arithmetic;

  // A library's product may use wider instructions than this file is compiled for.
  constexpr std::int64_t n = 768;
  const Tensor a = ones({n, n}), b = ones({n, n});
  const double product = best([&] { static_cast<void>(matmul(a, b)); });
  roof.flops_per_second = std::max(roof.flops_per_second, 2.0 * static_cast<double>(n * n * n) / product);

  const Tensor one = ones({1});
  constexpr int calls = 64;
  roof.call_seconds = best([&] {
                        for (int i = 0; i < calls; ++i) static_cast<void>(-one);
                      }) /
                      calls;
  return roof;
}

const Roof& machine_roof() {
  static const Roof measured = measure_roof();
  return measured;
}

}  // namespace minima::profiler
