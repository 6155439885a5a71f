#include <minima/inference/batcher.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/masked.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include "tests/support/expect_error.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>
#include <cstring>

// Models and callbacks that use the batcher they belong to, and whose memory is whose.

namespace minima::inference::batcher_callbacks_test {
namespace {

using minima::test::expect_error;
using minima::test::message_of;

Tensor row(double value = 1) { return full({1, 1}, value); }
Tensor same(const Tensor& x) { return x; }

/// Until so many requests have succeeded. A reply is ready before its callback ends.
void wait_for(const Batcher& batcher, std::int64_t requests) {
  while (batcher.stats().succeeded < requests) ::usleep(1000);
}

TEST(BatcherCallback, MaySubmitWhenTheQueueIsFull) {
  Batcher batcher(same, {.max_batch = 1, .max_delay = 0, .max_queue = 2});
  std::mutex mutex;
  std::vector<Reply> first, next;
  for (int i = 0; i < 20; ++i)
    first.push_back(batcher.submit(row(), {.then = [&](const Reply&) {
                                     Reply reply = batcher.submit(row());
                                     const std::lock_guard lock(mutex);
                                     next.push_back(std::move(reply));
                                   }}));
  wait_for(batcher, 40);
  for (const Reply& reply : next) EXPECT_TRUE(reply.is_ready());
}

TEST(BatcherCallback, MaySubmitToABatcherThatSubmitsBack) {
  Batcher a(same, {.max_batch = 1, .max_delay = 0, .max_queue = 1}),
      b(same, {.max_batch = 1, .max_delay = 0, .max_queue = 1});
  std::function<void(int)> ping = [&](int left) {
    if (left == 0) return;
    Batcher& other = left % 2 ? a : b;
    for (int i = 0; i < 2; ++i) other.submit(row(), {.then = [&ping, left](const Reply&) { ping(left - 1); }});
  };
  ping(8);
  while (a.stats().succeeded + b.stats().succeeded < 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256) ::usleep(1000);
}

TEST(BatcherCallback, AModelMaySubmitWithoutWaiting) {
  std::unique_ptr<Batcher> batcher;
  batcher = std::make_unique<Batcher>(
      [&](const Tensor& x) {
        if (x.item<float>() > 0) batcher->submit(x - 1);
        return x;
      },
      BatcherOptions{.max_batch = 1, .max_delay = 0, .max_queue = 1});
  std::vector<Reply> replies;
  for (int i = 0; i < 4; ++i) replies.push_back(batcher->submit(row(5)));
  wait_for(*batcher, 24);
}

TEST(BatcherCallback, FullQueueStillRefusesIfAskedTo) {
  Batcher batcher(same, {.max_batch = 1, .max_delay = 0, .max_queue = 1, .when_full = WhenFull::refuse});
  batcher.submit(row(), {.then = [&](const Reply&) {
                   batcher.submit(row());
                   expect_error<QueueFullError>([&] { batcher.submit(row()); },
                                                "Batcher::submit: the queue is full: 1 of at most 1 rows are queued, "
                                                "and the request has 1");
                 }});
  wait_for(batcher, 2);
  batcher.close();
  EXPECT_EQ(batcher.stats().callback_errors, 0);
}

TEST(BatcherCallback, WhatItThrowsIsCounted) {
  Batcher batcher(same, {.max_delay = 0});
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i)
    batcher.submit(row(), {.then = [](const Reply&) { throw std::runtime_error("not ready"); }}).wait();
  batcher.submit(row(), {.then = [&](const Reply&) { batcher.close(); }});
  batcher.submit(row(), {.then = [](const Reply&) { throw 1; }});
  batcher.close();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "minima: a callback of a Batcher threw: not ready\n");
  EXPECT_EQ(batcher.stats().callback_errors, 5);
  EXPECT_NE(batcher.stats().text().find("5 callbacks threw"), std::string::npos);
}

TEST(BatcherCallback, OfACancelledRequestMayThrowAndSubmit) {
  testing::internal::CaptureStderr();
  auto batcher = std::make_shared<Batcher>(same, BatcherOptions{.max_batch = 4, .max_delay = 60});
  batcher->submit(row(), {.then = [&](const Reply&) { batcher->submit(row()); }});
  batcher->close(Batcher::Waiting::cancel);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "minima: a callback of a Batcher threw: Batcher::submit: the batcher is closed\n");
}

TEST(BatcherCallback, MayReleaseTheBatcher) {
  for (int trial = 0; trial < 50; ++trial) {
    auto batcher = std::make_shared<Batcher>(same, BatcherOptions{.max_delay = 0, .workers = 2});
    const Reply reply = batcher->submit(row(trial), {.then = [batcher](const Reply&) {}});
    const Reply later = batcher->submit(row(7));
    batcher.reset();
    EXPECT_EQ(reply.get().item<float>(), static_cast<float>(trial));
    EXPECT_EQ(later.get().item<float>(), 7.f);
  }
}

TEST(BatcherCallback, MayReleaseTheBatcherThatItsRequestIsCancelledIn) {
  auto batcher = std::make_shared<Batcher>(same, BatcherOptions{.max_batch = 4, .max_delay = 60});
  batcher->submit(row(), {.then = [batcher](const Reply&) {}});
  Batcher& closing = *batcher;
  batcher.reset();
  closing.close(Batcher::Waiting::cancel);
}

TEST(BatcherCallback, WaitingForAReplyOfItsOwnIsAnError) {
  std::unique_ptr<Batcher> batcher;
  const char* const says =
      "Reply: a batcher's model or callback waits for a reply of the same batcher, which may never come; submit with "
      "{.then = …} instead";
  batcher = std::make_unique<Batcher>(
      [&](const Tensor& x) { return x.item<float>() == 2 ? batcher->submit(row()).get() : x; },
      BatcherOptions{.max_batch = 1, .max_delay = 0});
  expect_error<Error>([&] { batcher->submit(row(2)).get(); }, says);
  std::string message;
  batcher->submit(row(),
                  {.then = [&](const Reply&) { message = message_of<Error>([&] { batcher->submit(row()).wait(); }); }});
  wait_for(*batcher, 2);
  batcher->close();
  EXPECT_EQ(message, says);
}

TEST(BatcherMemory, IsNeverSharedWithTheModel) {
  // A model that changes its input.
  Batcher adds(
      [](const Tensor& x) {
        Tensor y = x;
        y += 1.0;
        return y;
      },
      {.max_batch = 1});
  const Tensor x = row(3);
  EXPECT_EQ(adds.submit(x).get().item<float>(), 4.f);
  EXPECT_EQ(x.item<float>(), 3.f);
  // A model may return its input.
  Batcher returns(same, {.max_batch = 1});
  Tensor y = returns.submit(x).get();
  y += 1.0;
  EXPECT_EQ(x.item<float>(), 3.f);
  // And one that returns memory of its own.
  const Tensor kept = row(5);
  Batcher keeps([&](const Tensor&) { return kept; }, {.max_batch = 1});
  y = keeps.submit(x).get();
  y += 1.0;
  EXPECT_EQ(kept.item<float>(), 5.f);
  Batcher views([&](const Tensor&) { return narrow(kept, 0, 0, 1); }, {.max_batch = 1});
  y = views.submit(x).get();
  y += 1.0;
  EXPECT_EQ(kept.item<float>(), 5.f);
}

TEST(BatcherModel, IsNotInTrainingMode) {
  nn::Linear net({.in = 1, .out = 1});
  const std::string says =
      "Batcher: the model is in training mode, in which dropout and batch normalization give other answers; call "
      "model.eval() first";
  expect_error<ValueError>([&] { Batcher(net, {}); }, says);
  net.eval();
  Batcher batcher(net, {.max_delay = 0});
  EXPECT_EQ(batcher.submit(row()).get().shape(), Shape({1, 1}));
  net.train();
  expect_error<ValueError>([&] { batcher.submit(row()).get(); }, says);
}

TEST(BatcherStats, CountManyRowsTogether) {
  Batcher batcher(same, {.max_batch = INT64_MAX, .max_delay = 0, .max_queue = INT64_MAX});
  batcher.submit(zeros({100'000, 1})).wait();
  batcher.close();
  EXPECT_EQ(batcher.stats().row_counts.size(), 65'536u);
  EXPECT_EQ(batcher.stats().row_counts.back(), 1);
}

/// The exit code of a forked child: 42 after an Error about the fork, 0 without one; negative if a signal ends it, as
/// the alarm does if it hangs.
int exit_of_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    try {
      work();
    } catch (const Error& error) {
      ::_exit(std::strstr(error.what(), "its worker threads belong to the parent of this forked process") ? 42 : 1);
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(BatcherFork, AChildIsToldThatItHasNoWorkers) {
  auto batcher = std::make_unique<Batcher>(same, BatcherOptions{.max_batch = 4, .max_delay = 60});
  const Reply pending = batcher->submit(row());
  EXPECT_EQ(exit_of_child([&] { batcher->submit(row()); }), 42);
  EXPECT_EQ(exit_of_child([&] { pending.get(); }), 42);
  EXPECT_EQ(exit_of_child([&] { pending.cancel(); }), 42);
  EXPECT_EQ(exit_of_child([&] { batcher->close(); }), 42);
  EXPECT_EQ(exit_of_child([&] { static_cast<void>(batcher->stats()); }), 42);
  EXPECT_EQ(exit_of_child([&] { batcher.reset(); }), 0);
  batcher->close();
  EXPECT_EQ(pending.get().item<float>(), 1.f);
}

}  // namespace
}  // namespace minima::inference::batcher_callbacks_test
