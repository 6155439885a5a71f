#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include <unistd.h>

// A program may exit while its threads compute.

namespace minima::exit_test {
namespace {

/// In a child process, trains on a separate thread and exits after the given number of microseconds.
template <class Layer>
[[noreturn]] void exit_while_training(Layer layer, Shape input, int microseconds) {
  static std::atomic<int> steps{0};
  std::thread([layer, input]() mutable {
    optim::AdamW optimizer(layer.parameters(), {.lr = 1e-3});
    for (;;) {
      optimizer.zero_grad();
      sum(layer(randn(input))).backward();
      optimizer.step();
      ++steps;
    }
  }).detach();
  while (steps < 3) usleep(100);
  usleep(static_cast<useconds_t>(microseconds));
  std::exit(7);
}

TEST(ExitWhileAThreadComputes, ProductsIsNoCrash) {
  for (int i = 0; i < 40; ++i)
    EXPECT_EXIT(exit_while_training(nn::Linear({.in = 64, .out = 64}), {32, 64}, 37 * i), testing::ExitedWithCode(7),
                "")
        << i;
}

TEST(ExitWhileAThreadComputes, ConvolutionsIsNoCrash) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EXIT(exit_while_training(nn::Conv2d({.in = 3, .out = 8, .kernel = 3}), {4, 3, 16, 16}, 37 * i),
                testing::ExitedWithCode(7), "")
        << i;
}

/// Destructors and atexit functions can still compute.
TEST(ExitWhileAThreadComputes, LeavesTheExitingThreadItsOwn) {
  EXPECT_EXIT(
      {
        std::atexit([] {
          if (sum(matmul(ones({300, 300}), ones({300, 300}))).item<float>() != 300.0f * 300 * 300) _exit(1);
        });
        exit_while_training(nn::Linear({.in = 64, .out = 64}), {32, 64}, 100);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace minima::exit_test
