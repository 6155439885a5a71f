#include "tests/support/options.h"

#include <minima/distributed/data_parallel.h>
#include <minima/distributed/in_process.h>
#include <minima/distributed/init.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

namespace minima::distributed::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

void wrap(const DataParallelOptions& options) {
  nn::Linear net({.in = 2, .out = 2});
  const DistributedDataParallel parallel(net, in_process_groups(1)[0], options);
  net(ones({1, 2})).backward(ones({1, 2}));
}

void share(const ShardingOptions& options) {
  nn::Linear net({.in = 2, .out = 2});
  const Sharding sharding = shard(net, {&net}, pretend(0, 1), options);
}

std::vector<OptionRow> rows() {
  return {
      {"InitOptions.timeout", "(0, inf]", [](double v) { init(Environment{}, {.timeout = v}); }, "waits for ever"},
      {"CallOptions.timeout", "[0, inf]",
       [](double v) { in_process_groups(1)[0].all_reduce(ones({2}), Reduce::sum, {.timeout = v}).wait(); },
       "waits for ever"},
      {"DataParallelOptions.first_bucket_bytes", "[1, inf)", [](i64 v) { wrap({.first_bucket_bytes = v}); }},
      {"DataParallelOptions.bucket_bytes", "[1, inf)", [](i64 v) { wrap({.bucket_bytes = v}); }},
      {"ShardingOptions.stage", "[1, 3]", [](int v) { share({.stage = v}); }},
      {"in_process_groups.size", "[1, 65536]", [](int v) { in_process_groups(v); }, "", "rank"},
      {"in_process_groups.timeout", "(0, inf]", [](double v) { in_process_groups(1, v); }, "waits for ever"},
      {.name = "StoreLimits", .why = "internal"},
  };
}

TEST(Options, OfDistributedAreChecked) { test::try_options("distributed", rows()); }

}  // namespace
}  // namespace minima::distributed::options_test
