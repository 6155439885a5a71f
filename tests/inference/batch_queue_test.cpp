#include <minima/inference/batch_queue.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

#include <string>

// The rules by which requests become batches, at times that the tests choose.

namespace minima::inference::batch_queue_test {
namespace {

using namespace std::chrono_literals;

constexpr Clock::TimePoint start{1h};

RequestPtr request(std::int64_t rows, int priority = 0, std::int64_t columns = 3, DType dtype = DType::float32) {
  return std::make_shared<Request>(Tensors{zeros({rows, columns}, {.dtype = dtype})}, priority, Callback());
}

BatchQueue queue(std::int64_t max_batch, Clock::Duration delay = 10ms, Clock::Duration aging = 100ms) {
  return BatchQueue({.max_batch = max_batch, .max_delay = delay, .aging = aging});
}

using Batch = std::vector<RequestPtr>;

TEST(BatchQueue, IsDueWhenABatchIsFull) {
  BatchQueue waiting = queue(4);
  const Batch sent{request(2), request(1), request(1)};
  waiting.push(sent[0], start);
  waiting.push(sent[1], start);
  EXPECT_EQ(waiting.due(), start + 10ms);
  EXPECT_EQ(waiting.take(start), Batch{});
  waiting.push(sent[2], start);
  EXPECT_LT(waiting.due(), start);
  EXPECT_EQ(waiting.take(start), sent);
  EXPECT_TRUE(waiting.empty());
  EXPECT_EQ(waiting.rows(), 0);
}

TEST(BatchQueue, IsDueWhenTheOldestHasWaited) {
  BatchQueue waiting = queue(4);
  const Batch sent{request(1), request(1)};
  waiting.push(sent[0], start);
  waiting.push(sent[1], start + 9ms);
  EXPECT_EQ(waiting.take(start + 9ms), Batch{});
  EXPECT_EQ(waiting.take(start + 10ms), sent);
  EXPECT_EQ(waiting.due(), Clock::TimePoint::max());
}

// With a linear search for the oldest, this takes minutes.
TEST(BatchQueue, IsFastWhenItIsLong) {
  BatchQueue waiting = queue(1000, 1h);
  Batch sent;
  for (int i = 0; i < 40'000; ++i) {
    sent.push_back(request(1, i % 7, 1 + i % 3));
    waiting.push(sent.back(), start + std::chrono::microseconds(i));
  }
  for (int i = 0; i < 40'000; i += 2) EXPECT_TRUE(waiting.remove(*sent[static_cast<std::size_t>(i)]));
  EXPECT_EQ(waiting.requests(), 20'000);
  std::size_t taken = 0;
  for (Batch batch; !(batch = waiting.take(start + 2h)).empty();) taken += batch.size();
  EXPECT_EQ(taken, 20'000u);
  // Each request of another shape is a group of its own.
  for (int i = 0; i < 5'000; ++i) waiting.push(request(1, 0, i), start + std::chrono::microseconds(i));
  EXPECT_EQ(waiting.due(), start + 1h);
  taken = 0;
  for (Batch batch; !(batch = waiting.take(start + 2h)).empty();) taken += batch.size();
  EXPECT_EQ(taken, 5'000u);
  EXPECT_TRUE(waiting.empty());
}

TEST(BatchQueue, WithoutDelayTakesWhatIsThere) {
  BatchQueue waiting = queue(4, 0ms);
  waiting.push(request(1), start);
  EXPECT_EQ(waiting.due(), start);
  EXPECT_EQ(waiting.take(start).size(), 1u);
}

TEST(BatchQueue, RestStaysForTheNextBatch) {
  BatchQueue waiting = queue(4);
  const Batch sent{request(3), request(2), request(1)};
  for (int i = 0; i < 3; ++i) waiting.push(sent[static_cast<std::size_t>(i)], start + i * 1ms);
  // The second does not fit, and the third, which would, does not pass it.
  EXPECT_EQ(waiting.take(start + 2ms), Batch{sent[0]});
  EXPECT_EQ(waiting.rows(), 3);
  EXPECT_EQ(waiting.due(), start + 11ms);
  EXPECT_EQ(waiting.take(start + 11ms), (Batch{sent[1], sent[2]}));
}

TEST(BatchQueue, HigherPriorityGoesFirst) {
  BatchQueue waiting = queue(2);
  const Batch sent{request(1, 0), request(1, 0), request(1, 2), request(1, 1)};
  for (const RequestPtr& one : sent) waiting.push(one, start);
  EXPECT_EQ(waiting.take(start), (Batch{sent[2], sent[3]}));
  EXPECT_EQ(waiting.take(start), (Batch{sent[0], sent[1]}));
}

TEST(BatchQueue, PriorityIsWorthItsWaitingTime) {
  BatchQueue waiting = queue(1);
  const Batch sent{request(1, 0), request(1, 1), request(1, 1)};
  waiting.push(sent[0], start);
  waiting.push(sent[1], start + 99ms);
  waiting.push(sent[2], start + 101ms);
  EXPECT_EQ(waiting.take(start + 200ms), Batch{sent[1]});
  EXPECT_EQ(waiting.take(start + 200ms), Batch{sent[0]});
  EXPECT_EQ(waiting.take(start + 200ms), Batch{sent[2]});
}

TEST(BatchQueue, NoneStarvesUnderOverload) {
  BatchQueue waiting = queue(1);
  const RequestPtr low = request(1, 0);
  waiting.push(low, start);
  Clock::TimePoint now = start;
  // Each millisecond two urgent requests arrive and one is served.
  for (bool served = false; !served; now += 1ms) {
    ASSERT_LE(now, start + 3 * 100ms * 2);
    waiting.push(request(1, 3), now);
    waiting.push(request(1, 3), now);
    served = waiting.take(now) == Batch{low};
  }
  // 300 ms × 2 urgent requests per millisecond went before it, at one per millisecond.
  EXPECT_GE(now, start + 590ms);
}

TEST(BatchQueue, GroupsByShapeAndDtype) {
  BatchQueue waiting = queue(2);
  const Batch sent{request(1), request(1, 0, 5), request(1, 0, 3, DType::float64), request(1, 0, 5)};
  for (const RequestPtr& one : sent) waiting.push(one, start);
  EXPECT_EQ(waiting.take(start), (Batch{sent[1], sent[3]}));
  EXPECT_EQ(waiting.take(start), Batch{});
  EXPECT_EQ(waiting.take(start + 10ms), Batch{sent[0]});
  EXPECT_EQ(waiting.take(start + 10ms), Batch{sent[2]});
}

TEST(BatchQueue, OfDueGroupsTheLowestRankGoesFirst) {
  BatchQueue waiting = queue(2);
  const Batch sent{request(1), request(2, 0, 5), request(2, 1, 7)};
  waiting.push(sent[0], start);
  waiting.push(sent[1], start + 1ms);
  waiting.push(sent[2], start + 2ms);
  const Clock::TimePoint later = start + 10ms;
  EXPECT_EQ(waiting.take(later), Batch{sent[2]});
  EXPECT_EQ(waiting.take(later), Batch{sent[0]});
  EXPECT_EQ(waiting.take(later), Batch{sent[1]});
}

TEST(BatchQueue, RemovedRequestNoLongerCounts) {
  BatchQueue waiting = queue(4);
  const Batch sent{request(1), request(3)};
  waiting.push(sent[0], start);
  EXPECT_TRUE(waiting.remove(*sent[0]));
  EXPECT_FALSE(waiting.remove(*sent[0]));
  EXPECT_EQ(waiting.due(), Clock::TimePoint::max());
  waiting.push(sent[0], start);
  waiting.push(sent[1], start + 3ms);
  EXPECT_TRUE(waiting.remove(*sent[0]));
  EXPECT_EQ(waiting.due(), start + 13ms);
  EXPECT_EQ(waiting.rows(), 3);
  EXPECT_EQ(waiting.take(start + 13ms), Batch{sent[1]});
  EXPECT_FALSE(waiting.remove(*sent[1]));
}

TEST(BatchQueue, HurriedWaitsForNothing) {
  BatchQueue waiting = queue(2);
  const Batch sent{request(1), request(1), request(1)};
  for (const RequestPtr& one : sent) waiting.push(one, start);
  waiting.hurry();
  EXPECT_EQ(waiting.take(start), (Batch{sent[0], sent[1]}));
  EXPECT_EQ(waiting.take(start), Batch{sent[2]});
}

TEST(BatchQueue, TakeAllEmptiesIt) {
  BatchQueue waiting = queue(4);
  const Batch sent{request(1), request(1, 0, 5)};
  for (const RequestPtr& one : sent) waiting.push(one, start);
  EXPECT_EQ(waiting.take_all().size(), 2u);
  EXPECT_TRUE(waiting.empty());
  EXPECT_FALSE(waiting.remove(*sent[0]));
}

}  // namespace
}  // namespace minima::inference::batch_queue_test
