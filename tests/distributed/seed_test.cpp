#include "tests/distributed/processes.h"

#include <minima/data/datasets/combine.h>
#include <minima/data/loader/loader.h>
#include <minima/distributed/functional.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

// Ranks shuffle and split alike, whatever their seeds.

namespace minima::distributed::seed_test {
namespace {

using test::require;

/// Throws unless an epoch of all ranks together has every sample once, and their splits are equal.
void require_one_epoch(const ProcessGroup& group) {
  const Tensor numbers = arange(0, 24, 1, {.dtype = float64});
  const data::TensorDataset set(numbers);
  data::DataLoader loader(set, {.batch_size = 2, .shuffle = true, .rank = group.rank(), .world_size = group.size()});
  std::vector<double> seen(24, 0);
  for (auto& [batch] : loader)
    for (const double number : batch.to_vector<double>()) seen.at(static_cast<std::size_t>(number)) += 1;
  require(sum_over_ranks(seen, group) == std::vector<double>(24, 1), "every sample once");

  const std::vector<std::int64_t> split = data::random_split(set, {0.5, 0.5})[0].indices();
  const std::vector<double> own(split.begin(), split.end());
  std::vector<double> all = sum_over_ranks(own, group);
  for (double& number : all) number /= group.size();
  require(all == own, "the same split");
}

TEST(Seeds, OfTheFirstRankShufflesForAll) {
  SKIP_WITHOUT_PROCESSES;
  test::Processes processes(3, [](const test::Rank& rank) {
    manual_seed(100 + static_cast<std::uint64_t>(rank.environment.rank));
    const ProcessGroup group = init(rank.environment, {.backend = "gloo", .timeout = 20});
    require(data::default_seed() == 100, "rank 0's seed");
    require(initial_seed() == 100 + static_cast<std::uint64_t>(group.rank()), "the generator keeps its own");
    require_one_epoch(group);
    manual_seed(7);
    require(data::default_seed() == 7, "a later seed counts");
    require_one_epoch(group);
  });
  for (const test::Outcome& outcome : processes.wait(60)) EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

/// In a process without a seed; see below.
TEST(Seeds, DISABLED_OfRanksWithoutOnes) {
  SKIP_WITHOUT_PROCESSES;
  test::Processes processes(2, [](const test::Rank& rank) {
    rank.say("seed " + std::to_string(initial_seed()) + "\n");
    const ProcessGroup group = init(rank.environment, {.backend = "gloo", .timeout = 20});
    const auto low = static_cast<double>(initial_seed() & 0xffffffffU);
    require(sum_over_ranks({low}, group)[0] == 2 * low, "all have rank 0's seed");
    require_one_epoch(group);
  });
  std::set<std::string> seeds;
  for (const test::Outcome& outcome : processes.wait(60)) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    seeds.insert(outcome.text);
  }
  EXPECT_EQ(seeds.size(), 2u) << "before they joined";
}

TEST(Seeds, RanksWithoutOnesTakeTheFirstRanks) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "MINIMA_SEED= MINIMA_TEST_UNSEEDED=1 " + program +
                              " --gtest_also_run_disabled_tests --gtest_filter=Seeds.DISABLED_OfRanksWithoutOnes";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace minima::distributed::seed_test
