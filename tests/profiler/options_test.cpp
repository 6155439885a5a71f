#include "tests/support/options.h"

#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/profiler/advice/advice.h>
#include <minima/profiler/advice/comparison.h>
#include <minima/profiler/causes/divergence.h>
#include <minima/profiler/causes/live_memory.h>
#include <minima/profiler/measure.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

namespace minima::profiler::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

void record(const ProfileOptions& options) { Profile(options).step(); }
void time(MeasureOptions options) {
  measure([] {}, Device::cpu(), options);
}
/// Accepted options are refused for the sake of a rule that does not exist.
void advise_with(AdviceOptions options) {
  nn::Linear net({.in = 1, .out = 1});
  options.only = {"none of them"};
  options.stopwatch = {.seconds = [](const Function<void()>&, Device) { return 1.0; }, .is_exact = true};
  options.roof = {.bytes_per_second = 1, .flops_per_second = 1};
  advise(net, [](const std::vector<Tensor>&) {}, {ones({1, 1})}, options);
}
void compare(const TurnOptions& options) {
  compare_in_turns([] {}, [] {}, [](const Function<void()>&) { return 1.0; }, options);
}
void diverge(const DivergenceOptions& options) {
  nn::Linear a({.in = 1, .out = 1}), b({.in = 1, .out = 1});
  find_divergence(a, [&] { a(ones({1, 1})); }, b, [&] { b(ones({1, 1})); }, options);
}

std::vector<OptionRow> rows() {
  return {
      {"ProfileOptions.skip", "[0, inf)", [](i64 v) { record({.skip = v}); }},
      {"ProfileOptions.steps", "[0, inf)", [](i64 v) { record({.steps = v}); }},
      {"ProfileOptions.wait", "[0, inf)", [](i64 v) { record({.wait = v}); }},
      {"ProfileOptions.warmup", "[0, inf)", [](i64 v) { record({.warmup = v}); }},
      {"ProfileOptions.repeat", "[0, inf)", [](i64 v) { record({.repeat = v}); }},
      {"MeasureOptions.warmup_seconds", "[0, 31536000]",
       [](double v) { time({.warmup_seconds = v > 0 && v < 1e9 ? 0 : v, .seconds = 0, .min_samples = 1}); }},
      {"MeasureOptions.seconds", "[0, 31536000]",
       [](double v) { time({.warmup_seconds = 0, .seconds = v, .min_samples = 1}); }},
      {"MeasureOptions.min_samples", "[1, 1000000]",
       [](i64 v) { time({.warmup_seconds = 0, .seconds = 0, .min_samples = v}); }},
      {"AdviceOptions.seconds", "[0, 31536000]", [](double v) { advise_with({.seconds = v}); }, "", "no rule"},
      {"AdviceOptions.min_gain", "[0, inf)", [](double v) { advise_with({.min_gain = v}); }, "", "no rule"},
      {"AdviceOptions.largest_batch", "[1, inf)", [](i64 v) { advise_with({.largest_batch = v}); }},
      {"AdviceOptions.memory_budget", "[0, inf)", [](i64 v) { advise_with({.memory_budget = v}); }},
      {"TurnOptions.seconds", "[0, 31536000]", [](double v) { compare({.seconds = v}); }},
      {"TurnOptions.min_turns", "[1, 1000000]", [](std::size_t v) { compare({.seconds = 0, .min_turns = v}); }},
      {"TurnOptions.more_work", "(0, inf)", [](double v) { compare({.seconds = 0, .more_work = v}); }},
      {"LiveMemoryOptions.offload_bytes_per_second", "(0, inf)",
       [](double v) { LiveMemory memory({.offload_bytes_per_second = v}); }},
      {"DivergenceOptions.relative", "[0, inf)", [](double v) { diverge({.relative = v}); }},
      {"DivergenceOptions.absolute", "[0, inf)", [](double v) { diverge({.absolute = v}); }},
  };
}

TEST(Options, OfProfilerAreChecked) { test::try_options("profiler", rows()); }

}  // namespace
}  // namespace minima::profiler::options_test
