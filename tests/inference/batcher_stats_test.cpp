#include <minima/inference/batcher_stats.h>

#include <gtest/gtest.h>

namespace minima::inference::batcher_stats_test {
namespace {

TEST(RecentTimes, NearestRank) {
  RecentTimes times;
  EXPECT_EQ(times.percentiles().max, 0);
  for (int i = 100; i >= 1; --i) times.add(i);
  const Percentiles result = times.percentiles();
  EXPECT_EQ(result.p50, 50);
  EXPECT_EQ(result.p90, 90);
  EXPECT_EQ(result.p99, 99);
  EXPECT_EQ(result.max, 100);
}

TEST(RecentTimes, ForgetsTheOldest) {
  RecentTimes times(3);
  for (const double time : {9.0, 1.0, 2.0, 3.0}) times.add(time);
  EXPECT_EQ(times.percentiles().max, 3);
  EXPECT_EQ(times.percentiles().p50, 2);
  times.clear();
  times.add(5);
  EXPECT_EQ(times.percentiles().p50, 5);
}

TEST(BatcherStats, Text) {
  BatcherStats stats;
  stats.requests = 10;
  stats.succeeded = 7;
  stats.cancelled = 1;
  stats.queued_requests = 2;
  stats.queued_rows = 3;
  stats.batches = 3;
  stats.rows = 7;
  stats.waiting = {.p50 = 0.001, .p90 = 0.002, .p99 = 0.00225, .max = 1};
  EXPECT_EQ(stats.text(),
            "requests: 10 accepted, 7 succeeded, 0 failed, 1 cancelled, 0 refused\n"
            "queue:    2 requests of 3 rows, 0 batches running\n"
            "batches:  3, 2.33 rows on average\n"
            "waiting:  median 1 ms, 90 % 2 ms, 99 % 2.25 ms, longest 1000 ms\n"
            "service:  median 0 ms, 90 % 0 ms, 99 % 0 ms, longest 0 ms\n");
}

}  // namespace
}  // namespace minima::inference::batcher_stats_test
