#include <minima/data/sampling/random.h>
#include <minima/data/dataset.h>
#include <minima/data/sampling/sampler.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace minima::data::random_test {
namespace {

TEST(RandomStream, IsAFunctionOfItsKey) {
  RandomStream a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t word = a.word();
    EXPECT_EQ(word, b.word());
    differs |= word != c.word();
  }
  EXPECT_TRUE(differs);
}

TEST(RandomStream, StartsWithThePublishedVector) {
  RandomStream zero(0);  // Random123's known answers for Philox4x32-10, counter and key 0
  EXPECT_EQ(zero.word(), 0x6627e8d5u);
  EXPECT_EQ(zero.word(), 0xe169c58du);
  EXPECT_EQ(zero.word(), 0xbc57ac4cu);
  EXPECT_EQ(zero.word(), 0x9b00dbd8u);
}

TEST(RandomStream, BelowIsUniformAndInRange) {
  RandomStream random(1);
  constexpr int draws = 70'000;
  std::vector<int> counts(7);
  for (int i = 0; i < draws; ++i) ++counts.at(static_cast<std::size_t>(random.below(7)));
  double chi2 = 0;
  for (const int count : counts) chi2 += (count - draws / 7.0) * (count - draws / 7.0) / (draws / 7.0);
  EXPECT_LT(chi2, 22.46) << "chi-squared with 6 degrees of freedom, p = 0.001";
  EXPECT_EQ(random.below(1), 0);
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  double mean = 0;
  for (int i = 0; i < 10'000; ++i)
    mean += static_cast<double>(random.below(large)) / static_cast<double>(large) / 10'000;
  EXPECT_NEAR(mean, 0.5, 0.02);
}

TEST(Permutation, HoldsEveryIndexOnceAndDependsOnSeedAndEpoch) {
  const auto a = permutation(1000, 1, 0);
  auto sorted = a;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(a, permutation(1000, 1, 0));
  EXPECT_NE(a, permutation(1000, 1, 1));
  EXPECT_NE(a, permutation(1000, 2, 0));
  EXPECT_TRUE(permutation(0, 1, 0).empty());
}

TEST(Permutation, DoesNotChangeBetweenVersions) {
  EXPECT_EQ(permutation(8, 42, 3), (std::vector<std::int64_t>{0, 7, 1, 3, 2, 6, 5, 4}));
}

TEST(Permutation, IsUniform) {
  std::vector<int> counts(24);
  constexpr int draws = 24'000;
  for (int seed = 0; seed < draws; ++seed) {
    const auto p = permutation(4, static_cast<std::uint64_t>(seed), 0);
    std::size_t rank = 0;
    for (std::size_t i = 0; i < 4; ++i)
      rank = rank * (4 - i) + static_cast<std::size_t>(std::count_if(p.begin() + static_cast<std::ptrdiff_t>(i),
                                                                     p.end(), [&](auto v) { return v < p[i]; }));
    ++counts.at(rank);
  }
  double chi2 = 0;
  for (const int count : counts) chi2 += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi2, 49.73) << "chi-squared with 23 degrees of freedom, p = 0.001";
}

TEST(FetchContext, GivesEverySampleAndEpochItsOwnStream) {
  std::set<std::uint32_t> first;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch)
      for (std::int64_t index = 0; index < 100; ++index) first.insert(FetchContext{seed, epoch}.random(index).word());
  EXPECT_EQ(first.size(), 900u);
}

TEST(Sampler, IsAnyFunctionOfTheEpoch) {
  Sampler sampler = [](std::uint64_t epoch) { return std::vector<std::int64_t>{static_cast<std::int64_t>(epoch), 5}; };
  const Sampler copy = sampler;
  sampler = sequential_sampler(3);
  EXPECT_EQ(copy.order(4), (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(sampler.order(4), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(shuffling_sampler(50, 9).order(2), permutation(50, 9, 2));
  EXPECT_FALSE(Sampler());
}

}  // namespace
}  // namespace minima::data::random_test
