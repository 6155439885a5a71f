#include <minima/distributed/watchdog.h>

#include <minima/distributed/store/error.h>
#include <minima/tensor/base/format.h>

#include "tests/distributed/processes.h"
#include "tests/support/temporary_folder.h"

#include <thread>

// Monitors of several ranks in one process, so that the thread sanitizer can check them.

namespace minima::distributed::watchdog_test {
namespace {

using detail::Diagnosis;
using detail::Watchdog;

/// Runs `body` with each rank's watchdog on its own thread.
void run_watchdogs(int ranks, const Function<void(int rank, Watchdog&)>& body) {
  Environment environment{
      .world_size = ranks, .local_world_size = ranks, .port = test::free_port(), .secret = "0123456789abcdef"};
  const test::TemporaryFolder folder;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    environment.rank = environment.local_rank = rank;
    threads.emplace_back([&, environment, rank] {
      try {
        Watchdog watchdog(environment, 10, folder.path());
        body(rank, watchdog);
      } catch (const Error& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Rank 0, which runs the store, waits for the last of `count` ranks to be done with it.
void wait_for_others(int rank, int count, Watchdog& watchdog) {
  watchdog.store().add("done", 1);
  while (rank == 0 && watchdog.store().add("done", 0) < count)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(Watchdog, RanksMeetAndUseTheStore) {
  run_watchdogs(4, [](int rank, Watchdog& watchdog) {
    for (int i = 0; i < 20; ++i) {
      watchdog.begin("world", i, "barrier");
      watchdog.store().set(std::to_string(rank) + "/" + std::to_string(i), "here");
      for (int other = 0; other < 4; ++other)
        EXPECT_EQ(watchdog.store().wait(std::to_string(other) + "/" + std::to_string(i), detail::after(10)), "here");
      watchdog.end("world");
    }
    wait_for_others(rank, 4, watchdog);
  });
}

TEST(Watchdog, SurvivorsAgreeOnWhoLeft) {
  run_watchdogs(3, [](int rank, Watchdog& watchdog) {
    if (rank == 2) return watchdog.leave(true);
    watchdog.begin("world", 1, "all_reduce");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const Diagnosis found = watchdog.diagnose("world", {0, 1, 2}, 1, "all_reduce");
    EXPECT_EQ(found.missing, std::vector<int>{2}) << found.text;
    EXPECT_CONTAINS(found.text, "rank 2 left");
    wait_for_others(rank, 2, watchdog);
  });
}

// A process in which two threads wait for operations ends with the error of the one that hears of the failure first.
TEST(Watchdog, TheStoreStaysUntilAllKnowWhatAThreadOfRank0Knows) {
  run_watchdogs(3, [](int rank, Watchdog& watchdog) {
    if (rank == 2) return watchdog.leave(true);
    const std::vector<int> members{0, 1, 2};
    if (rank == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      watchdog.begin("world", 1, "all_reduce");
      std::thread other([&] { watchdog.diagnose("world", members, 1, "all_reduce"); });
      while (!watchdog.known_failure(members)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_TRUE(watchdog.store().status()[1].has_read);
      other.join();
    } else {
      while (!watchdog.known_failure(members)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    wait_for_others(rank, 2, watchdog);
  });
}

// Where each rank has given up in another group, none has done anything wrong but to be elsewhere.
TEST(Watchdog, RanksThatFailedElsewhereAreNamed) {
  run_watchdogs(3, [](int rank, Watchdog& watchdog) {
    const std::string group = str("group ", rank);
    const int next = (rank + 1) % 3;
    watchdog.begin(group, 7, "all_gather");
    const Diagnosis found = watchdog.diagnose(group, {rank, next}, 7, "all_gather");
    EXPECT_EQ(found.missing, std::vector<int>{next}) << found.text;
    EXPECT_CONTAINS(found.text, str("rank ", next));
    wait_for_others(rank, 3, watchdog);
  });
}

}  // namespace
}  // namespace minima::distributed::watchdog_test
