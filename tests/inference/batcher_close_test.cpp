#include <minima/inference/batcher.h>
#include <minima/ops/creation/creation.h>

#include "tests/inference/fake_clock.h"
#include "tests/support/expect_error.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

// Full queues, cancelled requests, and closing a batcher in each state.

namespace minima::inference::batcher_close_test {
namespace {

using minima::test::expect_error;
using test::FakeClock;
using test::Gate;

const Tensor& row() {
  static const Tensor x = zeros({1, 2});
  return x;
}

/// A batcher of one worker, which is held in its first batch of one row.
struct Busy {
  explicit Busy(BatcherOptions options) {
    options.max_batch = 1;
    options.clock = clock;
    batcher.emplace(
        [this](const Tensor& x) {
          gate.pass();
          return x;
        },
        options);
    running.emplace(batcher->submit(row()));
    gate.expect_entered(1);
  }
  ~Busy() { gate.open(); }

  std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
  Gate gate;
  std::optional<Batcher> batcher;
  std::optional<Reply> running;
};

TEST(FullQueue, IsRefused) {
  Busy busy({.max_queue = 2, .when_full = WhenFull::refuse});
  const Reply a = busy.batcher->submit(row()), b = busy.batcher->submit(row());
  expect_error<QueueFullError>([&] { busy.batcher->submit(row()); },
                               "Batcher::submit: the queue is full: 2 of at most 2 rows are queued, and the request "
                               "has 1");
  EXPECT_EQ(busy.batcher->stats().refused, 1);
  EXPECT_EQ(busy.batcher->stats().requests, 3);
  busy.gate.open();
  b.wait();
}

TEST(FullQueue, IsWaitedForUntilTheTimeout) {
  Busy busy({.max_queue = 1, .submit_timeout = 2});
  const Reply queued = busy.batcher->submit(row());
  auto late = std::async(std::launch::async, [&] { busy.batcher->submit(row()); });
  busy.clock->expect_waiting(1);
  busy.clock->advance(1);
  busy.clock->expect_waiting(1);
  busy.clock->advance(1);
  expect_error<QueueFullError>([&] { late.get(); },
                               "Batcher::submit: no room in 2 s: 1 of at most 1 rows are queued, and the request has "
                               "1");
}

TEST(FullQueue, RoomLetsTheNextIn) {
  Busy busy({.max_queue = 1, .submit_timeout = 2});
  const Reply queued = busy.batcher->submit(row());
  auto late = std::async(std::launch::async, [&] { return busy.batcher->submit(row()); });
  busy.clock->expect_waiting(1);
  busy.gate.open();
  EXPECT_EQ(late.get().get().shape(), row().shape());
}

TEST(FullQueue, CancelledRequestMakesRoom) {
  Busy busy({.max_queue = 1, .submit_timeout = 2});
  const Reply queued = busy.batcher->submit(row());
  auto late = std::async(std::launch::async, [&] { return busy.batcher->submit(row()); });
  busy.clock->expect_waiting(1);
  EXPECT_TRUE(queued.cancel());
  late.get();
  EXPECT_EQ(busy.batcher->stats().queued_requests, 1);
}

TEST(Cancel, OnlyBeforeTheBatchBegins) {
  Busy busy({});
  int calls = 0;
  const Reply queued = busy.batcher->submit(row(), {.then = [&](const Reply&) { ++calls; }});
  EXPECT_FALSE(busy.running->cancel());
  EXPECT_TRUE(queued.cancel());
  EXPECT_FALSE(queued.cancel());
  EXPECT_EQ(calls, 1);
  expect_error<CancelledError>([&] { queued.get(); }, "Batcher: the request was cancelled");
  busy.gate.open();
  EXPECT_EQ(busy.running->get().shape(), row().shape());
  busy.batcher->close();
  const BatcherStats stats = busy.batcher->stats();
  EXPECT_EQ(stats.cancelled, 1);
  EXPECT_EQ(stats.batches, 1);
}

TEST(Cancel, AfterTheBatcherIsGone) {
  std::optional<Reply> reply;
  {
    Batcher batcher([](const Tensor& x) { return x; });
    reply = batcher.submit(row());
  }
  EXPECT_FALSE(reply->cancel());
  EXPECT_EQ(reply->get().shape(), row().shape());
}

TEST(Close, Idle) {
  Batcher batcher([](const Tensor& x) { return x; });
  batcher.close();
  batcher.close(Batcher::Waiting::cancel);
  expect_error<ClosedError>([&] { batcher.submit(row()); }, "Batcher::submit: the batcher is closed");
}

TEST(Close, RunsWhatWaitsWithoutTheDelay) {
  const auto clock = std::make_shared<FakeClock>();
  Batcher batcher([](const Tensor& x) { return x; }, {.max_delay = 10, .clock = clock});
  const Reply a = batcher.submit(row()), b = batcher.submit(row());
  clock->expect_waiting(1);
  batcher.close();
  EXPECT_TRUE(a.is_ready());
  EXPECT_EQ(b.get().shape(), row().shape());
  EXPECT_EQ(batcher.stats().batches, 1);
}

TEST(Close, DestructorRunsWhatWaits) {
  std::optional<Reply> reply;
  {
    Batcher batcher([](const Tensor& x) { return x; }, {.max_delay = 10, .clock = std::make_shared<FakeClock>()});
    reply = batcher.submit(row());
  }
  EXPECT_EQ(reply->get().shape(), row().shape());
}

TEST(Close, CancelsWhatWaitsAndFinishesWhatRuns) {
  Busy busy({});
  const Reply queued = busy.batcher->submit(row());
  auto closing = std::async(std::launch::async, [&] { busy.batcher->close(Batcher::Waiting::cancel); });
  expect_error<CancelledError>([&] { queued.get(); }, "Batcher: closed before the request's batch began");
  EXPECT_FALSE(busy.running->is_ready());
  busy.gate.open();
  closing.get();
  EXPECT_TRUE(busy.running->is_ready());
  EXPECT_EQ(busy.running->get().shape(), row().shape());
}

TEST(Close, CanBeShortened) {
  Busy busy({});
  const Reply queued = busy.batcher->submit(row());
  auto patient = std::async(std::launch::async, [&] { busy.batcher->close(); });
  auto hasty = std::async(std::launch::async, [&] { busy.batcher->close(Batcher::Waiting::cancel); });
  expect_error<CancelledError>([&] { queued.get(); }, "Batcher: closed before the request's batch began");
  busy.gate.open();
  patient.get();
  hasty.get();
}

TEST(Close, WakesThoseThatWaitForRoom) {
  Busy busy({.max_queue = 1, .submit_timeout = 2});
  const Reply queued = busy.batcher->submit(row());
  auto late = std::async(std::launch::async, [&] { busy.batcher->submit(row()); });
  busy.clock->expect_waiting(1);
  auto closing = std::async(std::launch::async, [&] { busy.batcher->close(); });
  expect_error<ClosedError>([&] { late.get(); }, "Batcher::submit: the batcher is closed");
  busy.gate.open();
  closing.get();
  EXPECT_TRUE(queued.is_ready());
}

TEST(Close, NotByTheModelItself) {
  std::optional<Batcher> batcher;
  batcher.emplace(
      [&](const Tensor& x) {
        batcher->close();
        return x;
      },
      BatcherOptions{.max_delay = 0});
  expect_error<Error>([&] { batcher->submit(row()).get(); },
                      "Batcher::close: called by the batcher's own model or callback, which it would wait for");
}

}  // namespace
}  // namespace minima::inference::batcher_close_test
