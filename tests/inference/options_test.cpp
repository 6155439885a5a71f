#include "tests/support/options.h"

#include <minima/inference/batcher.h>
#include <minima/inference/parallel_map.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <gtest/gtest.h>

namespace minima::inference::options_test {
namespace {

using test::OptionRow;

void serve(const BatcherOptions& options) {
  Batcher batcher([](const Tensor& x) { return x + 1; }, options);
  batcher.submit(ones({1, 1})).get();
}
void map(const ParallelOptions& options) {
  const std::vector<int> elements{1, 2};
  parallel_map(elements, [](int x) { return x; }, options);
}

std::vector<OptionRow> rows() {
  return {
      {"BatcherOptions.max_batch", "[1, 16777216]", [](std::int64_t v) { serve({.max_batch = v, .max_delay = 0}); }},
      {"BatcherOptions.max_delay", "[0, inf]", [](double v) { serve({.max_batch = 1, .max_delay = v}); },
       "counts as a year"},
      {"BatcherOptions.max_queue", "[1, inf)", [](std::int64_t v) { serve({.max_batch = 1, .max_queue = v}); }},
      {"BatcherOptions.submit_timeout", "[0, inf]", [](double v) { serve({.max_batch = 1, .submit_timeout = v}); },
       "counts as a year"},
      {"BatcherOptions.aging", "[0, 3600]", [](double v) { serve({.max_batch = 1, .aging = v}); }},
      {"BatcherOptions.workers", "[1, 1024]", [](int v) { serve({.max_batch = 1, .workers = v}); }},
      {"BatcherOptions.row_shapes", "[0, inf)",
       [](std::int64_t v) { serve({.max_batch = 1, .row_shapes = {Shape{v}}}); }},
      {"RequestOptions.priority", "[-1000, 1000]",
       [](int v) {
         Batcher batcher([](const Tensor& x) { return x + 1; }, {.max_batch = 1});
         batcher.submit(ones({1, 1}), {.priority = v}).get();
       }},
      {"ParallelOptions.streams", "[0, 1024]", [](int v) { map({.streams = v}); }},
  };
}

TEST(Options, OfInferenceAreChecked) { test::try_options("inference", rows()); }

}  // namespace
}  // namespace minima::inference::options_test
