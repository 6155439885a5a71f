#include <minima/tensor/memory/blocks/small_memory.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/random_fill.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/threads/parallel.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

// The runtime under every operator: memory, threads, random numbers.

namespace minima {

namespace {

// --- allocator; target for small sizes: 30 ns, including statistics ---

void allocate_and_release(benchmark::State& state) {
  Allocator& allocator = allocator_of(Device::cpu());
  for (auto _ : state) {
    Storage* const storage = allocator.allocate(static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(storage->data());
    storage->release();
  }
}
BENCHMARK(allocate_and_release)->Arg(4)->Arg(4 << 10)->Arg(32 << 10)->Arg(256 << 10)->Arg(4 << 20)->Arg(64 << 20);

/// As many live blocks of one size as in a training step, released in allocation order.
void allocate_many_then_release(benchmark::State& state) {
  Allocator& allocator = allocator_of(Device::cpu());
  std::vector<Storage*> live(1000);
  for (auto _ : state) {
    for (Storage*& storage : live) storage = allocator.allocate(static_cast<std::size_t>(state.range(0)));
    for (Storage* storage : live) storage->release();
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(allocate_many_then_release)->Arg(4)->Arg(4 << 10)->Arg(64 << 10);

/// Blocks released by another thread.
void allocate_here_release_there(benchmark::State& state) {
  constexpr int batch = 1000;
  Allocator& allocator = allocator_of(Device::cpu());
  std::vector<Storage*> live(batch);
  for (auto _ : state) {
    for (Storage*& storage : live) storage = allocator.allocate(4 << 10);
    state.PauseTiming();
    std::thread([&] {
      for (Storage* storage : live) storage->release();
    }).join();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(allocate_here_release_there)->Iterations(300);

void small_object(benchmark::State& state) {
  for (auto _ : state) {
    void* block = detail::small_allocate(192);
    benchmark::DoNotOptimize(block);
    detail::small_free(block, 192);
  }
}
BENCHMARK(small_object);

/// Writes memory: `fresh` from the system, with page faults, or `reused` from the cache.
void first_touch(benchmark::State& state, bool reused) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  Allocator& allocator = allocator_of(Device::cpu());
  for (auto _ : state) {
    Storage* const storage = allocator.allocate(bytes);
    std::memset(storage->data(), 1, bytes);
    storage->release();
    if (!reused) {
      state.PauseTiming();
      empty_cache();
      state.ResumeTiming();
    }
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(first_touch, fresh, false)->Arg(1 << 20)->Arg(2 << 20)->Arg(4 << 20)->Arg(64 << 20);
BENCHMARK_CAPTURE(first_touch, reused, true)->Arg(1 << 20)->Arg(2 << 20)->Arg(4 << 20)->Arg(64 << 20);

// --- parallel_for ---

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Two ranges, each lasting until both have started (or 5 µs, if another program holds the core): one hand-over to a
/// worker and back. The mean shows how idle the machine is; `best2%_ns` is the cost of a hand-over.
void fork_join(benchmark::State& state) {
  set_num_threads(2);
  std::vector<std::int64_t> times;
  for (auto _ : state) {
    std::uint32_t begun = 0;
    const std::int64_t start = now_ns();
    parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
      __atomic_fetch_add(&begun, 1u, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 2 && now_ns() - start < 5000) {}
    });
    times.push_back(now_ns() - start);
  }
  const auto best = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 50);
  std::nth_element(times.begin(), best, times.end());
  state.counters["best2%_ns"] = static_cast<double>(*best);
}
BENCHMARK(fork_join)->Iterations(100'000);

/// The same after a pause long enough for the worker to sleep.
void fork_join_asleep(benchmark::State& state) {
  set_num_threads(2);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::uint32_t begun = 0;
    const std::int64_t start = now_ns();
    parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
      __atomic_fetch_add(&begun, 1u, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 2) std::this_thread::yield();
    });
    state.SetIterationTime(static_cast<double>(now_ns() - start) * 1e-9);
  }
}
BENCHMARK(fork_join_asleep)->UseManualTime()->Iterations(500);

/// The overhead of a call with trivial ranges, most of which the caller runs itself.
void parallel_for_of_nothing(benchmark::State& state) {
  set_num_threads(2);
  for (auto _ : state) parallel_for(0, 8, 1, [](std::int64_t first, std::int64_t) { benchmark::DoNotOptimize(first); });
}
BENCHMARK(parallel_for_of_nothing);

void scale_vector(benchmark::State& state) {
  set_num_threads(2);
  const std::int64_t count = state.range(0);
  std::vector<float> values(static_cast<std::size_t>(count), 1.0f);
  for (auto _ : state)
    parallel_for(0, count, grain_for(0.1), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) values[static_cast<std::size_t>(i)] *= 1.0001f;
    });
  state.SetBytesProcessed(state.iterations() * count * 8);
}
BENCHMARK(scale_vector)->Arg(1 << 14)->Arg(1 << 17)->Arg(1 << 20)->Arg(1 << 24);

// --- random numbers ---

constexpr std::int64_t drawn = 1 << 20;

template <class T>
T* output() {
  static std::unique_ptr<double[]> memory{new double[drawn]()};
  return reinterpret_cast<T*>(memory.get());
}

void philox(benchmark::State& state) {
  std::vector<std::uint32_t> words(1024);
  for (auto _ : state) {
    philox_words(1, 2, words.data(), 256);
    benchmark::DoNotOptimize(words.data());
  }
  state.SetBytesProcessed(state.iterations() * 4096);
}
BENCHMARK(philox);

template <class T, class Fill>
void fill(benchmark::State& state, Fill fill) {
  set_num_threads(static_cast<int>(state.range(0)));
  RandomGenerator generator(1);
  for (auto _ : state) fill(generator, dtype_of<T>, output<T>());
  state.SetBytesProcessed(state.iterations() * drawn * static_cast<std::int64_t>(sizeof(T)));
}

template <class T>
void uniform(benchmark::State& state) {
  fill<T>(state,
          [](RandomGenerator& g, DType dtype, void* data) { detail::fill_uniform(g, dtype, data, drawn, -1, 1); });
}
template <class T>
void normal(benchmark::State& state) {
  fill<T>(state, [](RandomGenerator& g, DType dtype, void* data) { detail::fill_normal(g, dtype, data, drawn, 0, 1); });
}
template <class T>
void integers(benchmark::State& state) {
  fill<T>(state,
          [](RandomGenerator& g, DType dtype, void* data) { detail::fill_integers(g, dtype, data, drawn, 0, 100); });
}
template <class T>
void bernoulli(benchmark::State& state) {
  fill<T>(state,
          [](RandomGenerator& g, DType dtype, void* data) { detail::fill_bernoulli(g, dtype, data, drawn, 0.3); });
}
BENCHMARK(uniform<float>)->Arg(1)->Arg(2);
BENCHMARK(uniform<double>)->Arg(1);
BENCHMARK(uniform<BFloat16>)->Arg(1);
BENCHMARK(normal<float>)->Arg(1)->Arg(2);
BENCHMARK(normal<double>)->Arg(1);
BENCHMARK(normal<Float16>)->Arg(1);
BENCHMARK(integers<std::int32_t>)->Arg(1);
BENCHMARK(integers<std::int64_t>)->Arg(1);
BENCHMARK(bernoulli<std::uint8_t>)->Arg(1);
BENCHMARK(bernoulli<float>)->Arg(1);

void permutation(benchmark::State& state) {
  RandomGenerator generator(1);
  for (auto _ : state) detail::fill_permutation(generator, output<std::int64_t>(), 60'000);
  state.SetItemsProcessed(state.iterations() * 60'000);
}
BENCHMARK(permutation);

}  // namespace

}  // namespace minima
