#include <minima/distributed/in_process.h>
#include <minima/io/states/board.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>
#include <minima/train/run/loss_guard.h>
#include <minima/train/run/pace.h>
#include <minima/train/run/replica_check.h>
#include <minima/train/run/run_facts.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace minima::train::parts_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

detail::LossGuard warm_guard(const LossRules& rules) {
  detail::LossGuard guard(rules);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(guard.judge(1 + 0.01 * (i % 5)), BadLoss::ignore);
  return guard;
}

TEST(LossGuard, FollowsTheRuleOfEachKindAndCounts) {
  detail::LossGuard guard = warm_guard({.non_finite = BadLoss::skip, .spike = BadLoss::lower_rate, .factor = 0.5});
  EXPECT_EQ(guard.judge(nan), BadLoss::skip);
  EXPECT_EQ(guard.judge(50), BadLoss::lower_rate);
  EXPECT_CONTAINS(guard.reason(), "loss 50, ");
  EXPECT_EQ(guard.judge(1.02), BadLoss::ignore);
  EXPECT_EQ(guard.judge(60), BadLoss::lower_rate);
  EXPECT_EQ(guard.rate(), 0.25);
  EXPECT_EQ(guard.counts().non_finite, 1);
  EXPECT_EQ(guard.counts().spikes, 2);
  EXPECT_EQ(guard.counts().skipped, 3);
  EXPECT_EQ(guard.counts().lowered, 2);
}

TEST(LossGuard, WithoutRulesEveryLossIsGood) {
  detail::LossGuard guard = warm_guard({});
  EXPECT_EQ(guard.judge(nan), BadLoss::ignore);
  EXPECT_EQ(guard.judge(1e9), BadLoss::ignore);
  EXPECT_EQ(guard.counts().non_finite, 0);
}

TEST(LossGuard, StopsWhenPatienceIsAtItsEnd) {
  detail::LossGuard guard = warm_guard({.non_finite = BadLoss::rewind, .patience = 2});
  EXPECT_EQ(guard.judge(nan), BadLoss::rewind);
  EXPECT_EQ(guard.judge(nan), BadLoss::rewind);
  EXPECT_EQ(guard.judge(nan), BadLoss::stop);
  EXPECT_CONTAINS(guard.reason(), "number 3 of the bad ones in a row");
  EXPECT_EQ(guard.judge(1), BadLoss::ignore);
  EXPECT_EQ(guard.judge(nan), BadLoss::rewind) << "a good one in between starts the count again";
}

TEST(LossGuard, StateContinuesTheCountsAndTheStatistics) {
  const LossRules rules{.non_finite = BadLoss::skip, .spike = BadLoss::lower_rate};
  detail::LossGuard guard = warm_guard(rules);
  guard.judge(nan), guard.judge(50);
  detail::LossGuard resumed(rules);
  resumed.load_state_dict(guard.state_dict());
  EXPECT_EQ(resumed.counts().skipped, 2);
  EXPECT_EQ(resumed.rate(), 0.5);
  EXPECT_EQ(resumed.judge(50), BadLoss::lower_rate) << "without the statistics it would be the first of a warm-up";
}

TEST(ReplicaCheck, NamesTheRankAndTheTensorOfAFlippedBit) {
  for (const int ranks : {2, 3, 5}) {
    std::vector<distributed::ProcessGroup> groups = distributed::in_process_groups(ranks, 20);
    std::vector<std::vector<std::string>> found(groups.size());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        const Tensor weight = full({3, 5}, 0.5), bias = zeros({5});
        if (rank == 1) reinterpret_cast<unsigned char*>(bias.raw_data())[6] ^= 1;
        const auto r = static_cast<std::size_t>(rank);
        found[r] = detail::differing_replicas({{"net.weight", weight}, {"net.bias", bias}}, groups[r]);
      });
    for (std::thread& thread : threads) thread.join();
    const std::vector<std::string> expected =
        ranks == 2 ? std::vector<std::string>{"rank 0: net.bias", "rank 1: net.bias"}  // there is no majority
                   : std::vector<std::string>{"rank 1: net.bias"};
    for (const auto& lines : found) EXPECT_EQ(lines, expected) << ranks << " ranks";
  }
}

TEST(ReplicaCheck, EqualReplicasAndASingleRankAreFine) {
  std::vector<distributed::ProcessGroup> groups = distributed::in_process_groups(2, 20);
  std::thread other(
      [&] { EXPECT_TRUE(detail::differing_replicas({{"x", ones({7})}, {"e", ones({0})}}, groups[1]).empty()); });
  EXPECT_TRUE(detail::differing_replicas({{"x", ones({7})}, {"e", ones({0})}}, groups[0]).empty());
  other.join();
  EXPECT_TRUE(detail::differing_replicas({{"x", ones({7})}}, distributed::ProcessGroup()).empty());
}

TEST(SaveInterval, IsYoungs) {
  EXPECT_DOUBLE_EQ(save_interval(2, 86400), std::sqrt(2 * 2 * 86400.0));
  EXPECT_EQ(save_interval(0, 86400), 0);
  EXPECT_EQ(save_interval(1000, 10), 10);
  EXPECT_CONTAINS(test::message_of<ValueError>([] { save_interval(-1, 10); }), "cost must not be negative, got -1");
}

TEST(Pace, SlowRanksAreThoseBeyondTheFactor) {
  EXPECT_EQ(detail::slow_ranks({0.1, 0.1, 0.16, 0.1}, 1.5), std::vector<int>{2});
  EXPECT_EQ(detail::slow_ranks({0.1, 0.1, 0.14, 0.1}, 1.5), std::vector<int>{});
  EXPECT_EQ(detail::slow_ranks({0.2, 0.1}, 1.5), std::vector<int>{0});
  EXPECT_EQ(detail::slow_ranks({0.0001, 0.0009}, 1.5), std::vector<int>{}) << "below a millisecond it is noise";
  EXPECT_EQ(detail::slow_ranks({1}, 1.5), std::vector<int>{});
}

TEST(Pace, WaitingForOtherRanksDoesNotCount) {
  std::vector<distributed::ProcessGroup> groups = distributed::in_process_groups(2, 20);
  const auto boards = minima::detail::in_memory_boards(2);
  std::vector<std::string> lines;
  const auto rank = [&](std::size_t r) {
    detail::Pace pace(boards[r], 1.5);
    for (int step = 0; step < 104; ++step) {
      if (r == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      groups[r].all_reduce(ones({4})).wait();                             // so that both take as long
      for (const std::string& line : pace.step()) lines.push_back(line);  // of rank 0 alone
    }
  };
  std::thread other([&] { rank(1); });
  rank(0);
  other.join();
  ASSERT_FALSE(lines.empty());
  EXPECT_CONTAINS(lines[0], "rank 1 takes ");
}

TEST(RunFacts, FindsTheCommitOfAFolderAboveInItsThreeForms) {
  const std::string commit(40, 'a');
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "project/.git/refs/heads");
  std::filesystem::create_directories(folder / "project/src/deep");
  EXPECT_EQ(detail::git_commit(folder / "project/src/deep"), "");
  folder.file("project/.git/HEAD", commit + "\n");
  EXPECT_EQ(detail::git_commit(folder / "project/src/deep"), commit) << "a detached head";
  folder.file("project/.git/HEAD", "ref: refs/heads/main\n");
  folder.file("project/.git/packed-refs", "# pack-refs\n" + std::string(40, 'c') + " refs/heads/other\n" +
                                              std::string(40, 'b') + " refs/heads/main\n");
  EXPECT_EQ(detail::git_commit(folder / "project/src/deep"), std::string(40, 'b'));
  folder.file("project/.git/refs/heads/main", commit + "\n");
  EXPECT_EQ(detail::git_commit(folder / "project/src/deep"), commit);
}

TEST(RunFacts, DifferencesNameBothSides) {
  State before, now;
  before.set_text("lr", "0.1"), before.set_text("gone", "x"), before.set_text("same", "1");
  now.set_text("lr", "0.2"), now.set_text("new", "y"), now.set_text("same", "1");
  EXPECT_EQ(detail::differences(before, now),
            (std::vector<std::string>{"lr: 0.1, now 0.2", "gone: x, now none", "new: none, now y"}));
}

TEST(RunFacts, TellsNoSecret) {
  ::setenv("MINIMA_DISTRIBUTED_SECRET", "do not tell", 1);
  ::setenv("MINIMA_TEST_VARIABLE", "tell", 1);
  const State facts = detail::run_facts();
  ::unsetenv("MINIMA_DISTRIBUTED_SECRET");
  EXPECT_CONTAINS(facts.text("variables"), "MINIMA_TEST_VARIABLE=tell");
  EXPECT_EQ(facts.text("variables").find("do not tell"), std::string::npos);
  EXPECT_FALSE(facts.text("command").empty());
}

}  // namespace
}  // namespace minima::train::parts_test
