#include <minima/nn/attention/positions.h>

#include "tests/support/expect_error.h"

#include <minima/ops/attention/attention.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::nn::positions_test {
namespace {

using test::expect_error;

TEST(Positions, SinusoidalCodesFollowThePaper) {
  const std::vector<double> codes = sinusoidal_positions(7, 6, {.dtype = float64}).to_vector<double>();
  for (std::size_t t = 0; t < 7; ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(t) / std::pow(10000.0, 2 * static_cast<double>(i) / 6);
      EXPECT_NEAR(codes[t * 6 + 2 * i], std::sin(angle), 1e-14);
      EXPECT_NEAR(codes[t * 6 + 2 * i + 1], std::cos(angle), 1e-14);
    }
  EXPECT_EQ(sinusoidal_positions(0, 4).shape(), Shape({0, 4}));
  expect_error<ValueError>([] { sinusoidal_positions(3, 5); },
                           "sinusoidal_positions: length must be at least 0 and dim positive and even, got 3 and 5");
}

/// The slopes that the authors' code gives for 8 and for 12 heads.
TEST(Positions, AlibiHasTheAuthorsSlopes) {
  const auto slopes = [](std::int64_t heads) {
    return (select(select(alibi_mask(heads, 2, 2, {.tensor = {.dtype = float64}}), 1, 1), 1, 0)).to_vector<double>();
  };
  const std::vector<double> eight{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625};
  const std::vector<double> of_eight = slopes(8), of_twelve = slopes(12);
  ASSERT_EQ(of_eight.size(), 8u);
  ASSERT_EQ(of_twelve.size(), 12u);
  const std::vector<double> more{0.7071067811865476, 0.35355339059327379, 0.17677669529663689, 0.088388347648318447};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(of_eight[i], -eight[i], 1e-15);
    EXPECT_NEAR(of_twelve[i], -eight[i], 1e-15);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(of_twelve[8 + i], -more[i], 1e-15);
}

TEST(Positions, AlibiGrowsWithTheDistanceAndContinuesAfterACache) {
  const Tensor whole = alibi_mask(4, 5, 5);
  EXPECT_EQ(whole.shape(), Shape({4, 5, 5}));
  EXPECT_EQ(select(select(whole, 0, 0), 0, 3).to_vector<float>(), (std::vector<float>{-0.75, -0.5, -0.25, 0, -0.25}));
  EXPECT_TRUE(identical(narrow(whole, 1, 3, 2), alibi_mask(4, 2, 5, {.first = 3})));
  const Tensor q = randn({2, 4, 5, 8});
  EXPECT_EQ(scaled_dot_product_attention(q, q, q, {.causal = true, .mask = whole}).shape(), q.shape());
  expect_error<ValueError>([] { alibi_mask(0, 1, 1); },
                           "alibi_mask: heads must be at least 1 and lengths at least 0, got 0, 1 and 1");
}

}  // namespace
}  // namespace minima::nn::positions_test
