#include <minima/tensor/random/generator.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/system_seed.h>

#include "tests/support/run_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
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

TEST(DefaultGenerator, ReseedingChoosesASeedAndStartsAgain) {
  default_generator().reserve(2);
  const std::uint64_t seed = reseed();
  EXPECT_EQ(initial_seed(), seed);
  EXPECT_EQ(default_generator().state().offset, 0u);
  EXPECT_NE(reseed(), seed);
  EXPECT_EQ(detail::has_system_seed(), false);
}

/// The test below runs this one in a process of its own and reads its output.
std::string seed_of_process(const std::string& variables) {
  const test::Outcome outcome = test::run_program(
      "MINIMA_TEST_UNSEEDED=1 " + variables + " " + std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_also_run_disabled_tests --gtest_filter=DefaultGenerator.DISABLED_PrintsItsSeed");
  const auto from = outcome.output.find("seed ");
  return from == std::string::npos ? outcome.output
                                   : outcome.output.substr(from, outcome.output.find('\n', from) - from);
}

TEST(DefaultGenerator, DISABLED_PrintsItsSeed) {
  try {
    std::printf("seed %llu, system's %d\n", static_cast<unsigned long long>(initial_seed()), detail::has_system_seed());
  } catch (const Error& error) {
    std::printf("seed not known: %s\n", error.what());
  }
}

TEST(DefaultGenerator, EveryProcessHasItsOwnSeed) {
  std::set<std::string> seeds;
  for (int i = 0; i < 3; ++i) seeds.insert(seed_of_process("MINIMA_SEED="));
  EXPECT_EQ(seeds.size(), 3u);
  for (const std::string& seed : seeds) EXPECT_NE(seed.find(", system's 1"), std::string::npos) << seed;
}

TEST(DefaultGenerator, TheEnvironmentCanChooseTheSeed) {
  EXPECT_EQ(seed_of_process("MINIMA_SEED=18446744073709551615"), "seed 18446744073709551615, system's 0");
  for (const char* const wrong : {"-1", "many", "1.5", "18446744073709551616"})
    EXPECT_NE(seed_of_process(std::string("MINIMA_SEED=") + wrong).find("expected a number from 0 to "),
              std::string::npos)
        << wrong;
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
