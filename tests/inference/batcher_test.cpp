#include <minima/inference/batcher.h>
#include <minima/amp/autocast.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/tensor/threads/parallel.h>

#include "tests/inference/fake_clock.h"
#include "tests/support/expect_error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

namespace minima::inference::batcher_test {
namespace {

using minima::test::expect_error;
using minima::test::message_of;
using test::FakeClock;
using test::Gate;
using test::IdleClock;

using Values = std::vector<float>;

/// Row i is first + i.
Tensor rows(std::int64_t count, float first = 0) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<float>(i));
  return from_vector(values, {count, 1});
}

Tensor times_ten(const Tensor& x) { return x * 10; }

TEST(Batcher, RunsAFullBatchAtOnce) {
  const auto clock = std::make_shared<FakeClock>();
  Batcher batcher(times_ten, {.max_batch = 4, .max_delay = 1, .clock = clock});
  const Reply a = batcher.submit(rows(1, 1)), b = batcher.submit(rows(2, 2)), c = batcher.submit(rows(1, 4));
  EXPECT_EQ(b.get().to_vector<float>(), (Values{20, 30}));
  EXPECT_EQ(a.get().to_vector<float>(), Values{10});
  EXPECT_EQ(c.get().to_vector<float>(), Values{40});
  EXPECT_EQ(c.get().shape(), Shape({1, 1}));
  const BatcherStats stats = batcher.stats();
  EXPECT_EQ(stats.batches, 1);
  EXPECT_EQ(stats.row_counts, (std::vector<std::int64_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(stats.succeeded, 3);
}

TEST(Batcher, WaitsForTheDelayAndNoLonger) {
  const auto clock = std::make_shared<FakeClock>();
  Batcher batcher(times_ten, {.max_batch = 4, .max_delay = 1, .clock = clock});
  const Reply first = batcher.submit(rows(1, 1));
  clock->expect_waiting(1);
  clock->advance(0.75);
  clock->expect_waiting(1);
  const Reply second = batcher.submit(rows(1, 2));
  EXPECT_FALSE(first.is_ready());
  EXPECT_EQ(batcher.stats().queued_rows, 2);
  clock->advance(0.25);
  EXPECT_EQ(first.get().to_vector<float>(), Values{10});
  EXPECT_EQ(second.get().to_vector<float>(), Values{20});
  const BatcherStats stats = batcher.stats();
  EXPECT_EQ(stats.batches, 1);
  EXPECT_EQ(stats.waiting.max, 1);
  EXPECT_EQ(stats.waiting.p50, 0.25);
}

TEST(Batcher, TakesAModule) {
  nn::Linear layer({.in = 1, .out = 2});
  layer.eval();
  Batcher batcher(layer, {.max_delay = 0});
  const Tensor x = rows(3), y = batcher.submit(x).get();
  EXPECT_EQ(y.to_vector<float>(), layer(x).to_vector<float>());
  EXPECT_FALSE(y.requires_grad());
}

TEST(Batcher, SeveralInputsAndOutputs) {
  const auto clock = std::make_shared<FakeClock>();
  Batcher batcher([](const Tensors& x) { return Tensors{x[0] + x[1], x[0] - x[1]}; },
                  {.max_batch = 3, .max_delay = 1, .clock = clock});
  const Reply a = batcher.submit({rows(1, 5), rows(1, 1)}), b = batcher.submit({rows(2, 3), rows(2, 2)});
  EXPECT_EQ(b.get_all()[0].to_vector<float>(), (Values{5, 7}));
  EXPECT_EQ(a.get_all()[1].to_vector<float>(), Values{4});
  expect_error<ShapeError>([&] { a.get(); }, "Reply::get: the model has 2 outputs; call get_all()");
}

TEST(Batcher, ShapesAreBatchedApart) {
  const auto clock = std::make_shared<FakeClock>();
  Batcher batcher(times_ten, {.max_batch = 2, .max_delay = 1, .clock = clock});
  const Reply a = batcher.submit(zeros({1, 3})), b = batcher.submit(zeros({1, 4})), c = batcher.submit(zeros({1, 3}));
  EXPECT_EQ(c.get().shape(), Shape({1, 3}));
  EXPECT_TRUE(a.is_ready());
  clock->expect_waiting(1);
  EXPECT_FALSE(b.is_ready());
  clock->advance(1);
  EXPECT_EQ(b.get().shape(), Shape({1, 4}));
}

TEST(Batcher, ErrorOfTheModelGoesToItsBatchOnly) {
  const auto clock = std::make_shared<FakeClock>();
  const auto model = [](const Tensor& x) {
    if (x.size(1) == 3) throw std::runtime_error("no model for three");
    return x;
  };
  Batcher batcher(model, {.max_batch = 2, .max_delay = 1, .clock = clock});
  const Reply a = batcher.submit(zeros({1, 3})), b = batcher.submit(zeros({1, 3})), c = batcher.submit(zeros({2, 4}));
  expect_error<std::runtime_error>([&] { a.get(); }, "no model for three");
  expect_error<std::runtime_error>([&] { b.get(); }, "no model for three");
  EXPECT_EQ(c.get().shape(), Shape({2, 4}));
  EXPECT_EQ(batcher.stats().failed, 2);
  EXPECT_EQ(batcher.stats().succeeded, 1);
}

TEST(Batcher, ErrorNamesAnOutputWithoutTheRows) {
  Batcher batcher([](const Tensor&) { return zeros({7, 2}); }, {.max_delay = 0});
  expect_error<ShapeError>([&] { batcher.submit(rows(3)).get(); },
                           "Batcher: the model returned float32 [7, 2] for a batch of 3 rows; dimension 0 of every "
                           "output must be the rows");
}

TEST(Batcher, RunsInTheModeOfItsCreator) {
  std::atomic<bool> grad = true, inference = false, autocast = false;
  std::atomic<int> threads = 0;
  const auto model = [&](const Tensor& x) {
    grad = is_grad_enabled();
    inference = minima::detail::mode().inference;
    autocast = amp::is_autocast_enabled(DeviceType::cpu);
    threads = num_threads();
    return x;
  };
  {
    Batcher batcher(model, {.max_delay = 0, .workers = num_threads()});
    batcher.submit(rows(1)).get();
  }
  EXPECT_FALSE(grad);
  EXPECT_FALSE(inference);
  EXPECT_FALSE(autocast);
  EXPECT_EQ(threads, 1);
  const Inference guard;
  const amp::Autocast region(DeviceType::cpu);
  Batcher batcher(model, {.max_delay = 0});
  batcher.submit(rows(1)).get();
  EXPECT_TRUE(inference);
  EXPECT_TRUE(autocast);
  EXPECT_EQ(threads, num_threads());
}

TEST(Batcher, CallbackGetsTheReply) {
  std::promise<float> value;
  Batcher batcher(times_ten, {.max_delay = 0});
  batcher.submit(rows(1, 4), {.then = [&](const Reply& reply) { value.set_value(reply.get().item<float>()); }});
  EXPECT_EQ(value.get_future().get(), 40);
}

TEST(Batcher, WorkersRunAtOnce) {
  Gate gate;
  Batcher batcher(
      [&](const Tensor& x) {
        gate.pass();
        return x;
      },
      {.max_batch = 1, .workers = 3});
  std::vector<Reply> replies;
  for (int i = 0; i < 3; ++i) replies.push_back(batcher.submit(rows(1)));
  gate.expect_entered(3);
  EXPECT_EQ(batcher.stats().running, 3);
  gate.open();
  for (const Reply& reply : replies) reply.wait();
}

TEST(Batcher, BusyWorkerPassesTheWatchOn) {
  const auto clock = std::make_shared<IdleClock>();
  Gate gate;
  const auto model = [&](const Tensor& x) {
    if (x.size(1) == 2) gate.pass();
    return x;
  };
  Batcher batcher(model, {.max_batch = 2, .max_delay = 0.001, .workers = 2, .clock = clock});
  clock->expect_idle(2);
  // One of them waits for the delay of the first request, which then keeps it busy.
  const Reply held = batcher.submit(zeros({1, 2})), other = batcher.submit(zeros({1, 3}));
  EXPECT_TRUE(other.wait_for(20));
  EXPECT_FALSE(held.is_ready());
  gate.open();
}

TEST(Batcher, RefusesInputs) {
  Batcher batcher(times_ten, {.max_batch = 4, .row_shapes = {{1}}});
  const auto expect = [&]<class E>(E*, Tensors inputs, const std::string& text) {
    expect_error<E>([&] { batcher.submit(std::move(inputs)); }, "Batcher::submit: " + text);
  };
  ShapeError* const shape = nullptr;
  ValueError* const value = nullptr;
  expect(value, {}, "got 0 inputs; the model takes 1");
  expect(value, {rows(1), rows(1)}, "got 2 inputs; the model takes 1");
  expect(value, {Tensor()}, "input 0 is undefined");
  expect(shape, {zeros({})}, "input 0 is a scalar; dimension 0 must be the rows: unsqueeze(x, 0)");
  expect(shape, {zeros({0, 1})}, "no rows in float32 [0, 1]");
  expect(shape, {rows(5)}, "5 rows are more than max_batch, 4; split the request");
  expect(shape, {zeros({2, 3})},
         "input 0 has rows of shape [3], the model takes [1]; dimension 0 must be the rows: x is float32 [2, 3]");
  expect_error<ValueError>([&] { batcher.submit(rows(1), {.priority = 1001}); },
                           "Batcher::submit: priority 1001; expected a number from -1000 to 1000");
  Batcher pairs([](const Tensors& x) { return x; });
  expect_error<ShapeError>([&] { pairs.submit({rows(2), rows(3)}); },
                           "Batcher::submit: input 1 has 3 rows and input 0 has 2");
}

TEST(Batcher, RefusesOptions) {
  const auto expect = [](const BatcherOptions& options, const std::string& text) {
    expect_error<ValueError>([&] { const Batcher batcher(times_ten, options); }, "Batcher: " + text);
  };
  expect({.max_batch = 0}, "max_batch must be at least 1, got 0");
  expect({.max_batch = 64, .max_queue = 8}, "max_queue must be at least max_batch, 64, got 8");
  expect({.workers = 0}, "workers must be from 1 to 1024, got 0");
  expect({.max_delay = -1}, "max_delay must be at least 0 seconds, got -1");
  expect({.submit_timeout = -1}, "submit_timeout must be at least 0 seconds, got -1");
  expect({.aging = 4000}, "aging must be from 0 to 3600 seconds, got 4000");
}

TEST(Batcher, StatisticsAreReset) {
  Batcher batcher(times_ten, {.max_delay = 0});
  batcher.submit(rows(2)).get();
  EXPECT_EQ(batcher.stats().rows, 2);
  batcher.reset_stats();
  EXPECT_EQ(batcher.stats().batches, 0);
  EXPECT_EQ(batcher.stats().service.max, 0);
}

}  // namespace
}  // namespace minima::inference::batcher_test
