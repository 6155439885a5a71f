#include <minima/ops/dropout/drop_block.h>

#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace minima::drop_block_test {
namespace {

using test::message_of;

TEST(DropBlock, DropsAboutTheShareAndKeepsTheMean) {
  RandomGenerator generator(3);
  const Tensor y = drop_block2d(ones({8, 16, 20, 20}), 0.2, 3, true, &generator);
  const double dropped = mean(eq(y, 0).to(float64)).item<double>();
  // Blocks that overlap drop less.
  EXPECT_NEAR(dropped, 0.18, 0.02);
  EXPECT_NEAR(mean(y).item<double>(), 1, 1e-5);
}

TEST(DropBlock, DropsWholeSquares) {
  for (const std::int64_t side : {2, 3}) {
    RandomGenerator generator(side);
    const Tensor y = drop_block2d(ones({1, 4, 9, 8}), 0.1, side, true, &generator);
    const auto values = y.to_vector<double>();
    const auto dropped = [&](std::int64_t c, std::int64_t i, std::int64_t j) {
      return values[static_cast<std::size_t>((c * 9 + i) * 8 + j)] == 0;
    };
    int count = 0;
    for (std::int64_t c = 0; c < 4; ++c)
      for (std::int64_t i = 0; i < 9; ++i)
        for (std::int64_t j = 0; j < 8; ++j) {
          if (!dropped(c, i, j)) continue;
          ++count;
          bool is_in_block = false;
          for (std::int64_t top = std::max<std::int64_t>(0, i - side + 1); top <= std::min(i, 9 - side); ++top)
            for (std::int64_t left = std::max<std::int64_t>(0, j - side + 1); left <= std::min(j, 8 - side); ++left) {
              bool is_whole = true;
              for (std::int64_t a = 0; a < side; ++a)
                for (std::int64_t b = 0; b < side; ++b) is_whole = is_whole && dropped(c, top + a, left + b);
              is_in_block = is_in_block || is_whole;
            }
          EXPECT_TRUE(is_in_block) << c << ", " << i << ", " << j;
        }
    EXPECT_GT(count, 0);
    EXPECT_LT(count, 4 * 9 * 8);
  }
}

TEST(DropBlock, GradientsFollowTheMask) {
  RandomGenerator generator(5);
  const Tensor x = randn({2, 3, 5, 6, 4}).requires_grad(true);
  const Tensor y = drop_block3d(x, 0.3, 2, true, &generator);
  sum(y).backward();
  const auto ratios = (y.detach() / x.detach()).to_vector<double>(), gradients = x.grad().to_vector<double>();
  for (std::size_t i = 0; i < ratios.size(); ++i) ASSERT_NEAR(gradients[i], ratios[i], 1e-5) << i;
}

TEST(DropBlock, ReturnsItsInputOutsideOfTraining) {
  const Tensor x = randn({1, 2, 3, 3});
  EXPECT_TRUE(all(eq(drop_block2d(x, 0.5, 2, false), x)).item<bool>());
  EXPECT_TRUE(all(eq(drop_block2d(x, 0, 2), x)).item<bool>());
  EXPECT_TRUE(all(eq(drop_block2d(x, 1, 9), 0)).item<bool>()) << "a block larger than x is cut to it";
}

TEST(DropBlock, ErrorsSayWhatWasPassed) {
  EXPECT_EQ(message_of<ShapeError>([] { drop_block3d(ones({1, 2, 3, 3}), 0.5, 2); }),
            "drop_block3d: x must be [N, C, D, H, W], got float32 [1, 2, 3, 3]");
  EXPECT_EQ(message_of<ValueError>([] { drop_block2d(ones({1, 2, 3, 3}), 1.5, 2); }),
            "drop_block2d: p must be in [0, 1], got 1.5");
  EXPECT_EQ(message_of<ValueError>([] { drop_block2d(ones({1, 2, 3, 3}), 0.5, 0); }),
            "drop_block2d: the block must be at least 1, got 0");
}

}  // namespace
}  // namespace minima::drop_block_test
