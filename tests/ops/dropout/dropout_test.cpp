#include "tests/ops/checks/op_cases.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/ops.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace minima::dropout_test {
namespace {

using namespace test;

Tensor dropped(const Tensor& x, double p) {
  RandomGenerator generator(7);
  return dropout(x, p, true, &generator);
}

/// By the layout of counters that the header promises, one Philox block per element.
auto reference(double p) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y = in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const double u = uniform_float(Philox::at(7, i / 4).word[i % 4]);
      y.values[i] = u < 1 - p ? y.values[i] / (1 - p) : 0;
    }
    return y;
  };
}

[[maybe_unused]] const bool dropout_cases =
    OpCases("dropout")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return dropped(in[0], 0.3); }, reference(0.3), "p 0.3")
        .inputs(normal({}))
        .inputs(normal({4, 7}))
        .inputs(normal({2, 3, 2, 3}))
        .inputs(normal({0, 3}))
        .inputs(normal({300, 501}))
        .inputs(specials())
        .on([](In in) { return dropped(in[0], 0.99); }, reference(0.99), "p 0.99")
        .inputs(normal({5, 5}))
        .error<ValueError>([] { dropout(zeros({2}), 1.5); }, "dropout: p must be from 0 to 1, got 1.5")
        .error<ValueError>([] { dropout(zeros({2}), NAN); }, "dropout: p must be from 0 to 1, got nan")
        .error<DTypeError>([] { dropout(zeros({2}, {.dtype = DType::int64}), 0.5); },
                           "dropout: needs a floating tensor, got int64 [2]; convert it with to()")
        .error<ValueError>([] { dropout(empty({2}), -0.5); }, "dropout: p must be from 0 to 1, got -0.5")
        .check();

/// Dropped elements become selu's limit; mean 0 and variance 1 stay.
auto alpha_reference(double p) {
  return [=](const std::vector<Doubles>& in) {
    constexpr double limit = -1.7580993408473766;
    const double scale = 1 / std::sqrt((1 - p) * (1 + p * limit * limit));
    Doubles y = in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const double u = uniform_float(Philox::at(7, i / 4).word[i % 4]);
      y.values[i] = (u < 1 - p ? y.values[i] : limit) * scale - scale * limit * p;
    }
    return y;
  };
}

[[maybe_unused]] const bool alpha_dropout_cases =
    OpCases("alpha_dropout")
        .without("hidden", "it is made of other operators")
        .tolerance(8)
        .on(
            [](In in) {
              RandomGenerator generator(7);
              return alpha_dropout(in[0], 0.3, true, &generator);
            },
            alpha_reference(0.3))
        .inputs(normal({9}))
        .inputs(normal({2, 3, 4}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 200}))
        .error<ValueError>([] { alpha_dropout(zeros({2}), 1.5); }, "alpha_dropout: p must be from 0 to 1, got 1.5")
        .error<DTypeError>([] { alpha_dropout(zeros({2}, {.dtype = int64}), 0.5); },
                           "alpha_dropout: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

TEST(AlphaDropout, OfFeaturesDecidesOncePerChannel) {
  RandomGenerator generator(3);
  const std::vector<float> v = feature_alpha_dropout(ones({2, 15, 6}), 0.5, true, &generator).to_vector<float>();
  std::size_t kept = 0;
  for (std::size_t c = 0; c < 30; ++c) {
    kept += v[6 * c] > 0;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(v[6 * c + i], v[6 * c]) << c;
  }
  EXPECT_GT(kept, 3u);
  EXPECT_LT(kept, 27u);
}

TEST(Dropout, IsTheIdentityInEvaluationAndForPZero) {
  const Tensor x = ones({10});
  EXPECT_TRUE(dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(dropout(x, 0).is_same(x));
}

TEST(Dropout, DropsEverythingForPOne) {
  Tensor x = full({5}, NAN).requires_grad(true);
  const Tensor y = dropout(x, 1);
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(5, 0));
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(5, 0));
}

TEST(Dropout, UsesUpAQuarterCounterPerElement) {
  RandomGenerator generator(3);
  dropout(ones({9}, {.dtype = float64}), 0.5, true, &generator);
  EXPECT_EQ(generator.state().offset, 3u);
  dropout(ones({9}), 1, true, &generator);
  dropout(ones({9}), 0.5, false, &generator);
  EXPECT_EQ(generator.state().offset, 3u);
}

TEST(Dropout, KeepsTheExpectedShareAndSum) {
  manual_seed(11);
  const double n = 1 << 20;
  for (const double p : {0.1, 0.5, 0.9}) {
    const Tensor y = dropout(ones({1 << 20}, {.dtype = float64}), p);
    double kept = 0, total = 0;
    for (const double v : y.to_vector<double>()) kept += v != 0, total += v;
    const double deviation = std::sqrt(n * p * (1 - p));
    EXPECT_NEAR(kept, n * (1 - p), 5 * deviation);
    EXPECT_NEAR(total, n, 5 * deviation / (1 - p));
  }
}

TEST(Dropout, MasksTheGradientAsTheValues) {
  Tensor x = ones({1000}).requires_grad(true);
  const Tensor y = dropout(x, 0.4);
  dropout(ones({77}), 0.5);  // the generator has moved on
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), y.to_vector<float>());
}

TEST(FeatureDropout, DropsWholeChannels) {
  Tensor x = ones({6, 5, 3, 2}).requires_grad(true);
  const Tensor y = feature_dropout(x, 0.5);
  const std::vector<float> v = y.to_vector<float>();
  int kept = 0;
  for (std::size_t c = 0; c < 30; ++c) {
    kept += v[6 * c] != 0;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(v[6 * c + i], v[6 * c]) << c;
  }
  EXPECT_GT(kept, 3);
  EXPECT_LT(kept, 27);
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), v);
}

TEST(FeatureDropout, TakesAnyRankWhereItDropsNothing) {
  const Tensor x = ones({3});
  EXPECT_TRUE(feature_dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(feature_alpha_dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(feature_alpha_dropout(x, 0).is_same(x));
  EXPECT_THROW(feature_alpha_dropout(x, 0.5), ShapeError);
}

}  // namespace

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

[[maybe_unused]] const bool drop_block2d_calls = FunctionCases("drop_block2d")
                                                     .huge([](auto v) { drop_block2d(ones({2, 4, 5, 6}), 0.5, v); })
                                                     .undefined([](const Tensor& none) { drop_block2d(none, 0.5, 2); })
                                                     .check();

[[maybe_unused]] const bool drop_block3d_calls = FunctionCases("drop_block3d")
                                                     .huge([](auto v) { drop_block3d(ones({2, 3, 4, 5, 6}), 0.5, v); })
                                                     .undefined([](const Tensor& none) { drop_block3d(none, 0.5, 2); })
                                                     .check();

[[maybe_unused]] const bool feature_dropout_calls =
    FunctionCases("feature_dropout").undefined([](const Tensor& none) { feature_dropout(none, 0.5); }).check();

[[maybe_unused]] const bool feature_alpha_dropout_calls =
    FunctionCases("feature_alpha_dropout")
        .undefined([](const Tensor& none) { feature_alpha_dropout(none, 0.5); })
        .check();

}  // namespace
}  // namespace minima::dropout_test
