#include "tests/support/expect_error.h"

#include <minima/minima.h>
#include <minima/models/language/sampler.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

// Draws are compared with distributions that transformers 5.24 computes (its LogitsProcessorList with the processors of
// RepetitionPenalty, Temperature, TopK, TopP and MinP in this order), and with cuts by sorting.

namespace minima::sampler_test {
namespace {

using models::GenerateOptions;
using models::Sampler;
using test::expect_error;

const std::vector<double> scores{2.0, -1.0, 0.5, 1.5, 1.4, -3.0, 0.25, 3.0, 0.0, -0.5};
constexpr std::int64_t prompt[]{7, 1, 7, 3};

/// χ² of 10⁵ draws; infinite if a token came that cannot.
double chi_squared(GenerateOptions options, const std::vector<double>& expected) {
  constexpr std::int64_t rows = 20000, rounds = 5;
  RandomGenerator generator(11);
  options.generator = &generator;
  const auto width = static_cast<std::int64_t>(scores.size());
  const Tensor logits = expand(from_vector(scores, {1, width}).to(float32), {rows, width});
  std::vector<double> counts(scores.size());
  for (std::int64_t round = 0; round < rounds; ++round) {
    Sampler sampler(options, rows);
    for (std::int64_t row = 0; row < rows; ++row) sampler.note(row, prompt);
    for (const std::int64_t token : sampler.choose(logits)) counts[static_cast<std::size_t>(token)] += 1;
  }
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double wanted = expected[i] * rows * rounds;
    if (wanted > 0) sum += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
    else if (counts[i] > 0) return std::numeric_limits<double>::infinity();
  }
  return sum;
}

// A χ² of 9 degrees of freedom is above 45 once in a million; draws of a wrong distribution give thousands.
constexpr double likely = 45;

TEST(Sampler, DrawsByTemperatureAsTransformers) {
  EXPECT_LT(chi_squared({.temperature = 0.7}, {0.156589, 0.002155, 0.018371, 0.076657, 0.066452, 0.000124, 0.012854,
                                               0.653403, 0.008993, 0.004403}),
            likely);
}
TEST(Sampler, DrawsByTopKAsTransformers) {
  EXPECT_LT(chi_squared({.temperature = 1, .top_k = 3}, {0.231224, 0, 0, 0.140244, 0, 0, 0, 0.628532, 0, 0}), likely);
}
TEST(Sampler, DrawsByTopPAsTransformers) {
  EXPECT_LT(chi_squared({.temperature = 1, .top_p = 0.6}, {0.268941, 0, 0, 0, 0, 0, 0, 0.731059, 0, 0}), likely);
}
TEST(Sampler, DrawsByMinPAsTransformers) {
  EXPECT_LT(chi_squared({.temperature = 1, .min_p = 0.15}, {0.205186, 0, 0, 0.124452, 0.112609, 0, 0, 0.557754, 0, 0}),
            likely);
}
TEST(Sampler, DrawsByRepetitionPenaltyAsTransformers) {
  EXPECT_LT(
      chi_squared({.temperature = 1, .repetition_penalty = 1.3},
                  {0.250244, 0.00923, 0.055837, 0.10737, 0.137337, 0.001686, 0.043486, 0.340402, 0.033867, 0.020541}),
      likely);
}
TEST(Sampler, DrawsByAllOptionsAsTransformers) {
  EXPECT_LT(chi_squared({.temperature = 0.9, .top_k = 7, .top_p = 0.85, .min_p = 0.08, .repetition_penalty = 1.3},
                        {0.301972, 0, 0, 0.117938, 0.155037, 0, 0, 0.425053, 0, 0}),
            likely);
}

/// The same token as `draw`, found by sorting.
std::int64_t sorted_draw(const std::vector<float>& p, double top_p, double min_p, double u) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  const double all = std::accumulate(p.begin(), p.end(), 0.0);
  std::vector<bool> kept(p.size());
  double before = 0, total = 0;
  for (const std::size_t i : order) {
    kept[i] = (top_p == 1 || before < top_p * all * (1 - 1e-6)) && p[i] >= static_cast<float>(min_p * p[order[0]]);
    before += p[i];
  }
  for (std::size_t i = 0; i < p.size(); ++i) total += kept[i] ? p[i] : 0;
  double reached = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (kept[i] && (reached += p[i]) > u * total) return static_cast<std::int64_t>(i);
  return -1;
}

TEST(Sampler, SelectionIsSorting) {
  RandomGenerator generator(5);
  for (const double sharpness : {0.5, 3.0, 12.0})
    for (const std::int64_t levels : {4, 1000000}) {  // with ties, and nearly without
      const Tensor noise = floor(rand({300}, {.dtype = float32}, &generator) * levels) / levels;
      const std::vector<float> p = softmax(noise * sharpness, 0).to_vector<float>();
      for (const double top_p : {0.001, 0.3, 0.9, 0.999, 1.0})
        for (const double min_p : {0.0, 0.2})
          for (double u = 0; u < 1; u += 0.13)
            ASSERT_EQ(models::detail::draw(p, top_p, min_p, u), sorted_draw(p, top_p, min_p, u))
                << "top_p " << top_p << ", min_p " << min_p << ", u " << u;
    }
}

TEST(Sampler, CutsAtExactShares) {
  const std::vector<float> p{0.1f, 0.4f, 0.2f, 0.3f};
  EXPECT_EQ(models::detail::draw(p, 0.7, 0, 0), 1);  // 0.4 and 0.3 suffice
  EXPECT_EQ(models::detail::draw(p, 0.7, 0, 0.999), 3);
  EXPECT_EQ(models::detail::draw(p, 0.71, 0, 0.6), 2);
  const std::vector<float> equal(8, 0.125f);
  EXPECT_EQ(models::detail::draw(equal, 0.5, 0, 0.999), 3);  // the first four
  EXPECT_EQ(models::detail::draw(std::vector<float>{1.0f}, 0.5, 1, 0.5), 0);
}

TEST(Sampler, DrawsOfARowDependOnItsSeedAlone) {
  RandomGenerator generator(3);
  const Tensor logits = randn({3, 50}, {}, &generator);
  const auto draws = [&](const std::vector<std::uint64_t>& seeds, const Tensor& rows, std::size_t row) {
    Sampler sampler({.temperature = 1, .seeds = seeds}, rows.size(0));
    std::vector<std::int64_t> result;
    for (int i = 0; i < 20; ++i) result.push_back(sampler.choose(rows)[row]);
    return result;
  };
  const auto beside = draws({1, 2, 3}, logits, 1), alone = draws({2}, narrow(logits, 0, 1, 1), 0);
  EXPECT_EQ(beside, alone);
  EXPECT_NE(alone, draws({4}, narrow(logits, 0, 1, 1), 0));
}

TEST(Sampler, SkippedRowsDrawNothing) {
  const Tensor logits = tensor({{0.0f, NAN}, {0.0f, 9.0f}});
  Sampler sampler({}, 2);
  EXPECT_EQ(sampler.choose(logits, {true, false}), (std::vector<std::int64_t>{-1, 1}));
}

TEST(Sampler, TakesTemperaturesNearZero) {
  Sampler sampler({.temperature = 1e-300, .top_p = 1e-300}, 1);
  EXPECT_EQ(sampler.choose(tensor({{1.0f, 3.0f, 2.0f}})), (std::vector<std::int64_t>{1}));
}

TEST(Sampler, RefusesLogitsWithoutADistribution) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const GenerateOptions& options :
       {GenerateOptions{}, GenerateOptions{.temperature = 1}, GenerateOptions{.temperature = 1, .top_k = 1}}) {
    for (const float bad : {NAN, inf}) {
      Sampler sampler(options, 2);
      sampler.choose(zeros({2, 3}));
      expect_error<ValueError>([&] { sampler.choose(tensor({{0.0f, 1.0f, 2.0f}, {0.0f, bad, 1.0f}})); },
                               "generate: the logits of row 1 hold NaN or infinity at new token 2; look for NaN in the "
                               "weights, or compute in "
                               "float32 or bfloat16 if float16 overflowed");
    }
    Sampler sampler(options, 1);
    EXPECT_EQ(sampler.choose(tensor({{-inf, 1.0f, -inf}})), (std::vector<std::int64_t>{1}));
    EXPECT_NE(test::message_of<ValueError>([&] { sampler.choose(full({1, 3}, -inf)); }).find("row 0 allow no token"),
              std::string::npos);
  }
  Sampler sampler({}, 1);
  EXPECT_THROW(sampler.choose(zeros({2, 3})), ShapeError);
  EXPECT_THROW(sampler.choose(zeros({1, 0})), ShapeError);
  EXPECT_THROW(sampler.choose(zeros({1, 3}, {.dtype = int64})), ShapeError);
  EXPECT_THROW(Sampler({.seeds = {1, 2}}, 3), ValueError);
}

}  // namespace
}  // namespace minima::sampler_test
