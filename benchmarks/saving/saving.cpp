// Measures the cost of saving a large state to a training on the CPU: the time that `save` stops it, the length of
// steps while the state is written, the time until it is durable, and the memory that it takes. torch_saving.py
// measures the same with torch.distributed.checkpoint.
//
//   saving FOLDER [MIB]      a state of MIB (1024) in tensors of 16 MiB, saved three times
//
// A step multiplies matrices on all threads for some 50 ms. FOLDER should be on the disk that states are for.

#include "benchmarks/timed_calls.h"

#include <minima/autograd/mode.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/states/state_folder.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/product/matmul.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace minima;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Steps of a training that computes and allocates nothing that it keeps.
class Training {
 public:
  Training() : a_(randn({1536, 1536})), b_(randn({1536, 1536})) {}
  /// The seconds that a step took.
  double step() {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < 3; ++i) matmul(a_, b_);
    return since(start);
  }

 private:
  Tensor a_, b_;
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int run(const std::string& folder, std::int64_t mib) {
  const NoGrad off;
  State state;
  for (std::int64_t i = 0; i < mib / 16; ++i) state.add(str("tensor", i), randn({std::int64_t{4} << 20}));
  StateParts parts;
  parts.replicated.add("model", state);

  Training training;
  for (int i = 0; i < 5; ++i) training.step();
  std::vector<double> alone;
  for (int i = 0; i < 40; ++i) alone.push_back(training.step());
  std::printf("steps alone: mean %.1f ms, longest %.1f ms\n", 1e3 * mean(alone),
              1e3 * *std::max_element(alone.begin(), alone.end()));

  const Clock::time_point start = Clock::now();
  save(folder + "/state.safetensors", state);
  std::printf("save: %.2f s\n", since(start));
  std::filesystem::remove(folder + "/state.safetensors");

  const std::int64_t before = bench::peak_mib();
  StateFolder states(folder + "/states", {.keep = 1});
  states.prepare(parts);
  for (int round = 1; round <= 3; ++round) {
    states.save(round, parts);
    std::vector<double> during;
    const Clock::time_point begun = Clock::now();
    while (states.is_busy()) during.push_back(training.step());
    const double busy = since(begun);
    const SaveOutcome outcome = states.wait();
    if (!outcome.saved) throw FileError(outcome.error);
    std::printf(
        "StateFolder: stop %.3f s, durable after %.2f s; %zu steps during the write in %.2f s: mean %.1f ms, longest "
        "%.1f ms; peak memory %lld MiB for a state of %lld\n",
        outcome.stop_seconds, outcome.durable_seconds, during.size(), busy, 1e3 * mean(during),
        1e3 * *std::max_element(during.begin(), during.end()), static_cast<long long>(bench::peak_mib() - before),
        static_cast<long long>(mib));
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) return std::fputs("usage: saving FOLDER [MIB]\n", stderr), 2;
  try {
    return run(words[1], count == 3 ? std::atoll(words[2]) : 1024);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "saving: %s\n", error.what());
    return 1;
  }
}
