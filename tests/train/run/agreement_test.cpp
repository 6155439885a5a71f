#include <minima/train/run/agreement.h>
#include <minima/distributed/store/error.h>
#include <minima/io/states/board.h>

#include "tests/support/expect_error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace minima::train::agreement_test {
namespace {

using detail::Agreement;
using detail::Due;
using i64 = std::int64_t;

/// A rank was told to do `due` after `step`.
struct Event {
  i64 step;
  Due due;
  bool operator==(const Event&) const = default;
};

struct Plan {
  int ranks = 3;
  i64 steps = 1000000;  ///< unless it is told to stop before
  /// Tells what a rank wants after a step; it keeps wanting it until it is done.
  std::function<Due(int rank, i64 step)> want;
  std::function<int(int rank)> microseconds = [](int) { return 100; };
};

/// Runs ranks as threads that take steps at their own pace, without any other contact.
std::vector<std::vector<Event>> run(const Plan& plan) {
  std::vector<Ref<minima::detail::Board>> boards = minima::detail::in_memory_boards(plan.ranks);
  std::vector<std::vector<Event>> events(static_cast<std::size_t>(plan.ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < plan.ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::atomic<i64> done = 0;
      std::atomic<Due> wanted = Due::nothing;
      Agreement agreement(boards[static_cast<std::size_t>(rank)], 0, 20, [&] { return wanted.load(); });
      for (i64 step = 1; step <= plan.steps; ++step) {
        std::this_thread::sleep_for(std::chrono::microseconds(plan.microseconds(rank)));
        if (const Due want = plan.want(rank, step); want != Due::nothing) wanted = want;
        const Due due = agreement.after_step(step);
        if (due == Due::nothing) continue;
        wanted = Due::nothing;
        events[static_cast<std::size_t>(rank)].push_back({step, due});
        if (due != Due::save) break;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return events;
}

TEST(Agreement, AllRanksStopAfterTheSameStepHoweverFarApart) {
  // Rank 2 takes ten times as long as the others, and no operation keeps them together.
  for (int asking = 0; asking < 3; ++asking) {
    const auto events =
        run({.want = [&](int rank, i64 step) { return rank == asking && step >= 20 ? Due::terminated : Due::nothing; },
             .microseconds = [](int rank) { return rank == 2 ? 1000 : 100; }});
    ASSERT_EQ(events[0].size(), 1u) << "asked by rank " << asking;
    EXPECT_EQ(events[0][0].due, Due::terminated);
    EXPECT_GE(events[0][0].step, 20);
    EXPECT_EQ(events[1], events[0]);
    EXPECT_EQ(events[2], events[0]);
  }
}

TEST(Agreement, SavesSeveralTimesAndThenStops) {
  const auto events = run({.ranks = 4, .want = [](int rank, i64 step) {
                             if (rank == 3 && step >= 3000) return Due::interrupted;
                             return rank == 0 && step % 300 == 0 ? Due::save : Due::nothing;
                           }});
  ASSERT_GE(events[0].size(), 2u);
  EXPECT_EQ(events[0].back().due, Due::interrupted);
  EXPECT_EQ(events[0].front().due, Due::save);
  for (int rank = 1; rank < 4; ++rank) EXPECT_EQ(events[static_cast<std::size_t>(rank)], events[0]) << "rank " << rank;
}

TEST(Agreement, TheLargestOfSeveralWishesIsDone) {
  const auto events = run({.ranks = 2, .want = [](int rank, i64 step) {
                             return step < 5 ? Due::nothing : rank == 0 ? Due::time_is_up : Due::interrupted;
                           }});
  ASSERT_EQ(events[0].size(), 1u);
  EXPECT_EQ(events[0], events[1]);
}

TEST(Agreement, ARankThatHasTakenItsLastStepIsNotWaitedFor) {
  const auto begin = std::chrono::steady_clock::now();
  // The slow one asks when the others have ended.
  const auto events = run({.ranks = 3,
                           .steps = 10,
                           .want = [](int rank, i64 step) { return rank == 1 && step > 4 ? Due::save : Due::nothing; },
                           .microseconds = [](int rank) { return rank == 1 ? 20000 : 100; }});
  for (const auto& of_rank : events) EXPECT_TRUE(of_rank.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << "the timeout is 20 s";
}

TEST(Agreement, ARunAfterAnotherOnTheSameBoardStartsAfresh) {
  std::vector<Ref<minima::detail::Board>> boards = minima::detail::in_memory_boards(2);
  for (int run = 0; run < 3; ++run) {
    std::atomic<bool> wants = false;
    const auto wish = [&] { return wants ? Due::warned : Due::nothing; };
    Agreement first(boards[0], 0, 20, wish), second(boards[1], 0, 20, [] { return Due::nothing; });
    i64 step = 0;
    for (; step < 5; ++step) {
      EXPECT_EQ(first.after_step(step + 1), Due::nothing) << "run " << run;
      EXPECT_EQ(second.after_step(step + 1), Due::nothing) << "run " << run;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    wants = true;
    Due of_first = Due::nothing, of_second = Due::nothing;
    while (of_first == Due::nothing && ++step < 1000) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::thread other([&] { of_second = second.after_step(step); });
      of_first = first.after_step(step);
      other.join();
      ASSERT_EQ(of_first, of_second);
    }
    EXPECT_EQ(of_first, Due::warned);
  }
}

TEST(Agreement, NamesTheRankThatDoesNotAnswer) {
  std::vector<Ref<minima::detail::Board>> boards = minima::detail::in_memory_boards(3);
  Agreement first(boards[0], 0, 0.3, [] { return Due::save; });
  Agreement second(boards[1], 0, 0.3, [] { return Due::nothing; });  // there is no third
  const std::string said = test::message_of<distributed::DistributedError>([&] {
    for (i64 step = 1; step < 1000; ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      first.after_step(step);
    }
  });
  EXPECT_CONTAINS(said, "did not agree within 0.3 s");
  EXPECT_CONTAINS(said, "no answer from rank 2");
}

}  // namespace
}  // namespace minima::train::agreement_test
