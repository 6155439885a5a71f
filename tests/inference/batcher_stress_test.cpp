#include <minima/inference/batcher.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>

// Many clients with the real clock: whatever the interleaving, every request ends once, with its own rows.

namespace minima::inference::batcher_stress_test {
namespace {

constexpr int clients = 8, requests_each = 250;

struct Outcomes {
  std::atomic<std::int64_t> right{0}, wrong{0}, failed{0}, cancelled{0}, refused{0}, closed{0};
  std::int64_t total() const { return right + wrong + failed + cancelled + refused + closed; }
};

/// Adds one; throws for a batch with a row of 13.
Tensor model(const Tensor& x) {
  for (const float value : x.to_vector<float>())
    if (value == 13) throw std::runtime_error("thirteen");
  return x + 1;
}

void await(const Reply& reply, float sent, Outcomes& outcomes) {
  try {
    const std::vector<float> got = reply.get().to_vector<float>();
    bool right = !got.empty();
    for (const float value : got) right = right && value == sent + 1;
    ++(right ? outcomes.right : outcomes.wrong);
  } catch (const CancelledError&) {
    ++outcomes.cancelled;
  } catch (const std::runtime_error&) {
    ++outcomes.failed;
  }
}

/// Requests of one to three rows, of two shapes, with all priorities; some cancelled.
void send_requests(Batcher& batcher, int client, Outcomes& outcomes) {
  for (int i = 0; i < requests_each; ++i) {
    const float value = static_cast<float>(client * requests_each + i);
    const Tensor x = full({1 + i % 3, 1 + i % 2}, value);
    try {
      const Reply reply = batcher.submit(x, {.priority = i % 5 - 2});
      if (i % 7 == 0) reply.cancel();
      await(reply, value, outcomes);
    } catch (const QueueFullError&) {
      ++outcomes.refused;
    } catch (const ClosedError&) {
      ++outcomes.closed;
    }
  }
}

template <class F>
void on_threads(int count, const F& f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&f, i] { f(i); });
  for (std::thread& thread : threads) thread.join();
}

void expect_consistent(const BatcherStats& stats, const Outcomes& outcomes, std::int64_t sent) {
  EXPECT_EQ(outcomes.total(), sent);
  EXPECT_EQ(outcomes.wrong, 0);
  EXPECT_EQ(stats.succeeded, outcomes.right);
  EXPECT_EQ(stats.failed, outcomes.failed);
  EXPECT_EQ(stats.cancelled, outcomes.cancelled);
  EXPECT_EQ(stats.refused, outcomes.refused);
  EXPECT_EQ(stats.requests, stats.succeeded + stats.failed + stats.cancelled);
  EXPECT_EQ(stats.queued_rows, 0);
  EXPECT_EQ(stats.running, 0);
}

TEST(BatcherStress, EveryRequestEndsWithItsOwnRows) {
  Batcher batcher(model, {.max_batch = 8, .max_delay = 0.0002, .max_queue = 12, .aging = 0.001, .workers = 3});
  Outcomes outcomes;
  on_threads(clients, [&](int client) { send_requests(batcher, client, outcomes); });
  batcher.close();
  expect_consistent(batcher.stats(), outcomes, clients * requests_each);
  EXPECT_GE(outcomes.failed, 1);
}

TEST(BatcherStress, ClosedWhileClientsSend) {
  for (const auto waiting : {Batcher::Waiting::run, Batcher::Waiting::cancel}) {
    Batcher batcher(model, {.max_batch = 8, .max_queue = 8, .when_full = WhenFull::refuse, .workers = 2});
    Outcomes outcomes;
    on_threads(clients + 1, [&](int client) {
      if (client < clients) send_requests(batcher, client, outcomes);
      else batcher.close(waiting);
    });
    expect_consistent(batcher.stats(), outcomes, clients * requests_each);
    EXPECT_GE(outcomes.closed, 1);
  }
}

}  // namespace
}  // namespace minima::inference::batcher_stress_test
