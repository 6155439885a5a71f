#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace minima::generator_test {
namespace {

TEST(RandomGenerator, ReservesCountersOneAfterTheOther) {
  RandomGenerator generator(7);
  EXPECT_EQ(generator.reserve(3).offset, 0u);
  EXPECT_EQ(generator.reserve(0).offset, 3u);
  EXPECT_EQ(generator.reserve(5).offset, 3u);
  EXPECT_EQ(generator.reserve(1).offset, 8u);
  EXPECT_EQ(generator.reserve(1).seed, 7u);
}

TEST(RandomGenerator, ContinuesFromASavedState) {
  RandomGenerator generator(7);
  generator.reserve(10);
  const RandomGenerator::Position saved = generator.state();
  const std::uint64_t next = generator.reserve(4).offset;
  RandomGenerator other;
  other.set_state(saved);
  EXPECT_EQ(other.reserve(4).offset, next);
  EXPECT_EQ(other.state().seed, 7u);
}

TEST(RandomGenerator, StartsAgainWhenSeeded) {
  RandomGenerator generator(7);
  generator.reserve(10);
  generator.manual_seed(9);
  EXPECT_EQ(generator.state().seed, 9u);
  EXPECT_EQ(generator.state().offset, 0u);
}

TEST(RandomGenerator, DefaultOneIsSeededByTheFreeFunction) {
  const RandomGenerator::Position before = default_generator().state();
  manual_seed(123);
  default_generator().reserve(2);
  EXPECT_EQ(default_generator().state().seed, 123u);
  EXPECT_EQ(default_generator().state().offset, 2u);
  default_generator().set_state(before);
}

TEST(RandomGenerator, GivesNoCounterToTwoThreads) {
  constexpr int threads = 4, calls = 5000;
  RandomGenerator generator;
  std::vector<std::vector<std::uint64_t>> offsets(threads);
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      for (int i = 0; i < calls; ++i) offsets[static_cast<std::size_t>(t)].push_back(generator.reserve(2).offset);
    });
  for (std::thread& thread : pool) thread.join();
  std::vector<std::uint64_t> all;
  for (const auto& some : offsets) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 2 * i);
}

}  // namespace
}  // namespace minima::generator_test
