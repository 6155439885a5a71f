#include <minima/distributed/in_process.h>
#include <minima/io/states/board.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>
#include <minima/train/run/batch_share.h>
#include <minima/train/run/loss_guard.h>
#include <minima/train/run/pace.h>
#include <minima/train/run/replica_check.h>
#include <minima/train/run/run_facts.h>
#include <minima/train/run/run_options.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
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

TEST(Goodput, IsThatOfASimulatedRun) {
  std::mt19937_64 random(1);
  for (const RunCosts& costs : {RunCosts{.save = 1, .interval = 20, .between_failures = 100, .recovery = 5},
                                RunCosts{.save = 0.1, .interval = 50, .between_failures = 60, .recovery = 30},
                                RunCosts{.save = 2, .interval = 10, .between_failures = 500, .recovery = 4},
                                RunCosts{.interval = 20, .between_failures = 200, .recovery = 3, .durable = 6}}) {
    std::exponential_distribution<double> draw(1 / costs.between_failures);
    double time = 0, failure = draw(random), done = 0;
    // Passes the time; false if a failure comes first, after which it recovers until there is none meanwhile.
    const auto pass = [&](double seconds) {
      if (time + seconds < failure) return time += seconds, true;
      do time = failure, failure = time + draw(random);
      while (time + costs.recovery >= failure);
      time += costs.recovery;
      return false;
    };
    for (double durable = 0; done < 3000 * costs.between_failures;) {  // what a failure leaves
      if (!pass(std::min(costs.durable, costs.interval))) {
        done = durable;
        continue;
      }
      durable = done;  // the state of the last save is on disk now
      if (pass(costs.interval - std::min(costs.durable, costs.interval) + costs.save)) done += costs.interval;
    }
    EXPECT_NEAR(goodput(costs), done / time, 0.02) << costs.interval << " of " << costs.between_failures;
  }
}

TEST(Goodput, OfExtremes) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(goodput({.save = 1, .interval = 9, .between_failures = infinity, .recovery = 5}), 0.9);
  EXPECT_EQ(goodput({.interval = 1e6, .between_failures = 1, .recovery = 1e6}), 0);
  // Young's interval is the best one, to the second order in the cost.
  const RunCosts day{.save = 2, .interval = save_interval(2, 86400), .between_failures = 86400, .recovery = 60};
  for (const double factor : {0.7, 1.4}) {
    RunCosts other = day;
    other.interval *= factor;
    EXPECT_LT(goodput(other), goodput(day));
  }
  EXPECT_CONTAINS(test::message_of<ValueError>([] { goodput({.interval = 0, .between_failures = 1}); }), "interval");
  EXPECT_CONTAINS(test::message_of<ValueError>([] { goodput({.between_failures = nan}); }), "between_failures");
}

TEST(BatchShare, CoversTheBatchOnceAndWeighsEachSampleEqually) {
  for (std::int64_t batch = 1; batch < 40; ++batch)
    for (int ranks = 1; ranks <= 7 && ranks <= batch; ++ranks)
      for (std::int64_t most = 0; most < 6; ++most) {
        std::int64_t next = 0;
        const std::int64_t parts = share_of_batch({batch, most}, 0, ranks).parts;
        for (int rank = 0; rank < ranks; ++rank) {
          const BatchShare share = share_of_batch({batch, most}, rank, ranks);
          ASSERT_EQ(share.parts, parts) << "collectives must match";
          ASSERT_EQ(share.first, next);
          for (std::int64_t part = 0; part < parts; ++part) {
            ASSERT_EQ(share.begin(part), next);
            ASSERT_TRUE(most == 0 || share.size(part) <= most) << batch << " " << ranks << " " << most;
            ASSERT_TRUE(share.size(part) > 0 || most == 1) << batch << " " << ranks << " " << most;
            // The mean over the ranks of weight · (sum / size): each sample counts 1 / batch.
            ASSERT_NEAR(share.weight(part) / ranks, static_cast<double>(share.size(part)) / static_cast<double>(batch),
                        1e-15);
            next += share.size(part);
          }
        }
        ASSERT_EQ(next, batch);
      }
  EXPECT_EQ(share_of_batch({.batch = 64, .most = 8}, 3, 4).weight(1), 0.5);
  EXPECT_CONTAINS(test::message_of<ValueError>([] { share_of_batch({.batch = 3}, 0, 4); }),
                  "a batch of 3 samples is too small for 4 ranks");
}

TEST(BatchShare, KeepsTheBatchOrScalesIt) {
  EXPECT_EQ(share_of_batch({.batch = 64}, 1, 3).count, 21);
  EXPECT_EQ(share_of_batch({.batch = 64}, 1, 3).growth, 1);
  const BatchShare scaled = share_of_batch({.batch = 64, .scaled_from = 4}, 0, 6);
  EXPECT_EQ(scaled.batch, 96);
  EXPECT_EQ(scaled.growth, 1.5);
  const LoaderBatch kept = loader_batch({.batch = 96, .most = 10}, 3);
  EXPECT_EQ(kept.size, 8);
  EXPECT_EQ(kept.parts, 4);
  EXPECT_EQ(loader_batch({.batch = 32, .scaled_from = 4}, 3).size, 8);
  EXPECT_CONTAINS(test::message_of<ValueError>([] { loader_batch({.batch = 1, .scaled_from = 4}, 1); }), "too small");
  EXPECT_CONTAINS(test::message_of<ValueError>([] { loader_batch({.batch = 32}, 3); }),
                  "32 samples cannot be divided by 3 ranks; choose one that can, or 1, 2, 4 ranks");
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
