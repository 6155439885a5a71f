#include "examples/fashion_mnist/network.h"
#include "examples/resnet/network.h"

#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>
#include <time.h>

// The ledger of training steps compared with a clock that the profiler does not use.

namespace minima::profiler::ledger_test {
namespace {

constexpr Roof roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

double raw_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Network, class Loss>
void expect_the_sum_is_the_time(Network& network, const Loss& loss) {
  optim::SGD optimizer(network.parameters(), {.lr = 1e-3});
  const auto train = [&] {
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  };
  train();
  constexpr int steps = 4;
  // The recorded time is between these two, wherever another process takes the core.
  const double outer_start = raw_seconds();
  Profile profile;
  const double inner_start = raw_seconds();
  profile.watch(network);
  double inner = 0;
  for (int i = 0; i < steps; ++i) {
    train();
    inner = (raw_seconds() - inner_start) / steps;
    profile.step();
  }
  const double outer = (raw_seconds() - outer_start) / steps;
  const Report report = profile.report(roof);
  EXPECT_GE(report.ledger.total(), 0.98 * inner) << report.text();
  EXPECT_LE(report.ledger.total(), 1.02 * outer) << report.text();
  // `host` is what the others leave, so they must not have overdrawn: operators, gradients and waits are inside the
  // step.
  EXPECT_GE(report.ledger.host, 0);
  EXPECT_LE(report.ledger.total() - report.ledger.host, outer) << report.text();
  EXPECT_GT(report.ledger.compute + report.ledger.memory, 0.3 * inner) << report.text();
}

TEST(Ledger, OfAFashionMnistStepAddsUp) {
  Network network;
  const Tensor x = randn({32, 1, 28, 28}), y = randint(0, 10, {32}, {.dtype = int64});
  expect_the_sum_is_the_time(network, [&] { return cross_entropy(network(x), y); });
}

TEST(Ledger, OfAGptStepAddsUp) {
  models::GPT2 network({.vocabulary = 128, .positions = 64, .width = 64, .layers = 2, .heads = 2, .dropout = 0.1});
  const Tensor text = randint(0, 128, {8, 64}, {.dtype = int64});
  expect_the_sum_is_the_time(network, [&] { return network.loss(text, text).mean(); });
}

TEST(Ledger, OfAResNetStepAddsUp) {
  ResNet network(18);
  const Tensor x = randn({4, 3, 64, 64}), y = randint(0, 10, {4}, {.dtype = int64});
  expect_the_sum_is_the_time(network, [&] { return cross_entropy(network(x), y); });
}

}  // namespace
}  // namespace minima::profiler::ledger_test
