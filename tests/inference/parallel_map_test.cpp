#include <minima/inference/parallel_map.h>
#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/mode.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/threads/parallel.h>

#include "tests/support/expect_error.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace minima::inference::parallel_map_test {
namespace {

using minima::test::expect_error;

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The process has this many threads for the test.
class Cores {
 public:
  explicit Cores(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Cores() { set_num_threads(before_); }

 private:
  int before_;
};

TEST(ParallelMap, ResultsAreInOrder) {
  const Cores cores(4);
  const std::vector<int> squares = parallel_map(numbers(100), [](int x) { return x * x; });
  ASSERT_EQ(squares.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(squares[static_cast<std::size_t>(i)], i * i);
}

TEST(ParallelMap, AnyResult) {
  const Cores cores(2);
  const std::vector<bool> odd = parallel_map(numbers(3), [](int x) { return x % 2 == 1; });
  EXPECT_EQ(odd, (std::vector<bool>{false, true, false}));
  std::vector<int> changed = numbers(3);
  parallel_map(changed, [](int& x) { x += 10; });
  EXPECT_EQ(changed, (std::vector<int>{10, 11, 12}));
  EXPECT_TRUE(parallel_map(std::vector<int>(), [](int x) { return x; }).empty());
}

TEST(ParallelMap, ElementsRunAtOnceAndShareTheCores) {
  const Cores cores(8);
  std::barrier all(4);
  const std::vector<int> shares = parallel_map(numbers(4), [&](int) {
    all.arrive_and_wait();  // returns only if all four run
    return num_threads();
  });
  EXPECT_EQ(shares, std::vector<int>(4, 2));
  EXPECT_EQ(num_threads(), 8);
}

TEST(ParallelMap, StreamsLimitTheThreads) {
  const Cores cores(8);
  std::barrier two(2);
  std::atomic<int> running = 0, most = 0;
  parallel_map(numbers(6),
               [&](int) {
                 const int now = ++running;
                 int seen = most;
                 while (seen < now && !most.compare_exchange_weak(seen, now)) {}
                 two.arrive_and_wait();
                 --running;
               },
               {.streams = 2});
  EXPECT_EQ(most, 2);
  expect_error<ValueError>([] { parallel_map(numbers(1), [](int) {}, {.streams = -1}); },
                           "parallel_map: streams must not be negative, got -1");
}

TEST(ParallelMap, OneThreadRunsOnTheCaller) {
  const Cores cores(1);
  const auto ids = parallel_map(numbers(3), [](int) { return std::this_thread::get_id(); });
  EXPECT_EQ(ids, std::vector(3, std::this_thread::get_id()));
}

TEST(ParallelMap, NestedCallKeepsToItsShare) {
  const Cores cores(4);
  std::barrier two(2);
  const auto sums = parallel_map(numbers(2), [&](int x) {
    two.arrive_and_wait();
    const auto shares = parallel_map(numbers(2), [&](int) { return num_threads(); });
    EXPECT_EQ(shares, (std::vector<int>{1, 1}));
    const auto inner = parallel_map(numbers(50), [&](int y) { return x * 1000 + y; });
    return std::accumulate(inner.begin(), inner.end(), 0);
  });
  EXPECT_EQ(sums, (std::vector<int>{1225, 51225}));
}

TEST(ParallelMap, RethrowsTheFirstFailureInOrder) {
  const Cores cores(4);
  std::barrier four(4);
  std::atomic<int> ended = 0;
  const auto fail = [&](int x) {
    if (x >= 4) return;
    four.arrive_and_wait();
    if (x == 1 || x == 3) throw std::runtime_error("element " + std::to_string(x));
    ++ended;
  };
  for (int run = 1; run <= 20; ++run) {
    expect_error<std::runtime_error>([&] { parallel_map(numbers(1000), fail); }, "element 1");
    EXPECT_EQ(ended, 2 * run);
  }
}

TEST(ParallelMap, StartsNoElementAfterAFailure) {
  const Cores cores(1);
  int begun = 0;
  EXPECT_THROW(parallel_map(numbers(10),
                            [&](int x) {
                              ++begun;
                              if (x == 3) throw std::runtime_error("three");
                            }),
               std::runtime_error);
  EXPECT_EQ(begun, 4);
}

TEST(ParallelMap, ThreadsHaveTheCallersMode) {
  const Cores cores(2);
  const auto modes = [] {
    return parallel_map(numbers(2), [](int) {
      return std::array{is_grad_enabled(), minima::detail::mode().inference, amp::is_autocast_enabled(DeviceType::cpu)};
    });
  };
  EXPECT_EQ(modes(), std::vector(2, std::array{true, false, false}));
  const Inference guard;
  const amp::Autocast region(DeviceType::cpu);
  EXPECT_EQ(modes(), std::vector(2, std::array{false, true, true}));
}

TEST(ParallelMap, AutocastCastsOneModelOnManyThreads) {
  const Cores cores(4);
  const NoGrad guard;
  const amp::Autocast region(DeviceType::cpu);
  nn::Linear layer({.in = 8, .out = 8});
  const std::vector<Tensor> inputs(16, ones({4, 8}));
  const auto results = parallel_map(inputs, [&](const Tensor& x) { return layer(x); });
  for (const Tensor& y : results) {
    EXPECT_EQ(y.dtype(), DType::bfloat16);
    EXPECT_EQ(y.to_vector<float>(), results[0].to_vector<float>());
  }
}

TEST(ParallelMap, ResultsAreDifferentiable) {
  const Cores cores(2);
  const Tensor w = ones({2, 2}).requires_grad(true);
  const std::vector<Tensor> inputs{full({2}, 1.0f), full({2}, 2.0f)};
  const auto results = parallel_map(inputs, [&](const Tensor& x) { return sum(w * x); });
  (results[0] + results[1]).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), std::vector<float>(4, 3));
}

TEST(ParallelMap, InACheckpointedFunctionStaysOnItsThread) {
  const Cores cores(4);
  const Tensor x = ones({3}).requires_grad(true);
  std::set<std::thread::id> threads;
  const Tensor y = checkpoint(
      [&](const Tensor& input) {
        const auto parts = parallel_map(numbers(3), [&](int factor) {
          threads.insert(std::this_thread::get_id());
          return input * input * factor;
        });
        return parts[0] + parts[1] + parts[2];
      },
      x);
  sum(y).backward();
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
  EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(3, 6));
}

}  // namespace
}  // namespace minima::inference::parallel_map_test
