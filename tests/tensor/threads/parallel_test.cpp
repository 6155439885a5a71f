#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/settings.h>

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace minima::parallel_test {
namespace {

/// Sets the number of threads for a test and restores it.
class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The ranges of one call, in order.
Ranges ranges_of(std::int64_t begin, std::int64_t end, std::int64_t grain) {
  std::mutex mutex;
  Ranges ranges;
  parallel_for(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(first, last);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(ParallelFor, CoversEveryIndexOnceInRangesOfWholeGrains) {
  for (const int threads : {1, 2, 3, 8}) {
    const Threads scope(threads);
    for (const std::int64_t begin : {0, 5, -17}) {
      for (const std::int64_t length : {0, 1, 2, 7, 64, 100, 1000, 12345}) {
        for (const std::int64_t grain : {1, 2, 7, 64, 5000, 100000}) {
          const Ranges ranges = ranges_of(begin, begin + length, grain);
          std::int64_t expected = begin;
          for (const auto& [first, last] : ranges) {
            ASSERT_EQ(first, expected);
            ASSERT_LT(first, last);
            ASSERT_EQ((first - begin) % grain, 0) << "length " << length << ", grain " << grain;
            expected = last;
          }
          ASSERT_EQ(expected, begin + length);
          for (std::size_t i = 0; i + 1 < ranges.size(); ++i)
            ASSERT_GE(ranges[i].second - ranges[i].first, grain) << "length " << length << ", grain " << grain;
          ASSERT_LE(ranges.size(), static_cast<std::size_t>(4 * threads));
        }
      }
    }
  }
}

TEST(ParallelFor, AnEmptyRangeCallsNothing) {
  int calls = 0;
  parallel_for(3, 3, 1, [&](std::int64_t, std::int64_t) { ++calls; });
  parallel_for(5, 3, 1, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST(ParallelFor, UsesTheThreadsThatWereAskedFor) {
  const Threads scope(3);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> inside{0}, most{0};
  // Every range waits until three threads are in, so this ends only if three take part.
  parallel_for(0, 12, 1, [&](std::int64_t, std::int64_t) {
    const int now = ++inside;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
    while (most < 3) std::this_thread::yield();
    {
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    }
    --inside;
  });
  EXPECT_EQ(most, 3);
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_TRUE(ids.contains(std::this_thread::get_id())) << "the caller takes part";
}

TEST(ParallelFor, NeverUsesMoreThreadsThanAllowed) {
  {  // Four workers exist from now on.
    const Threads scope(5);
    ranges_of(0, 100, 1);
  }
  const Threads scope(2);
  std::atomic<int> inside{0}, most{0};
  for (int i = 0; i < 200; ++i)
    parallel_for(0, 16, 1, [&](std::int64_t, std::int64_t) {
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
      for (int k = 0; k < 100; ++k) std::atomic_signal_fence(std::memory_order_seq_cst);
      --inside;
    });
  EXPECT_LE(most, 2);
}

TEST(ParallelFor, RethrowsTheFirstExceptionAfterTheOthersEnded) {
  const Threads scope(4);
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> inside{0};
    try {
      parallel_for(0, 1000, 10, [&](std::int64_t first, std::int64_t last) {
        ++inside;
        const bool bad = first <= 500 && 500 < last;
        --inside;
        if (bad) throw std::runtime_error("at " + std::to_string(first));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 3), "at ");
    }
    EXPECT_EQ(inside, 0);
  }
  // The pool still works.
  EXPECT_EQ(ranges_of(0, 100, 1).back().second, 100);
}

TEST(ParallelFor, ManyExceptionsAreOne) {
  const Threads scope(4);
  for (int i = 0; i < 200; ++i)
    EXPECT_THROW(parallel_for(0, 16, 1, [](std::int64_t first, std::int64_t) { throw first; }), std::int64_t);
}

TEST(ParallelFor, NestedCallsRunOnTheirThread) {
  const Threads scope(4);
  std::atomic<int> elsewhere{0}, inner_ranges{0};
  std::atomic<std::int64_t> sum{0};
  parallel_for(0, 16, 1, [&](std::int64_t, std::int64_t) {
    EXPECT_EQ(num_threads(), 1);
    const auto thread = std::this_thread::get_id();
    parallel_for(0, 100, 1, [&](std::int64_t first, std::int64_t last) {
      if (std::this_thread::get_id() != thread) ++elsewhere;
      ++inner_ranges;
      for (std::int64_t i = first; i < last; ++i) sum += i;
    });
  });
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(sum, static_cast<std::int64_t>(inner_ranges) * 4950);
  EXPECT_EQ(num_threads(), 4) << "the caller still counts as inside a parallel_for";
}

TEST(ParallelFor, TheCallerIsOutsideAgainAfterAnException) {
  const Threads scope(4);
  EXPECT_THROW(parallel_for(0, 16, 1, [](std::int64_t, std::int64_t) { throw 1; }), int);
  EXPECT_EQ(num_threads(), 4);
}

TEST(ParallelFor, SeveralThreadsMayCallAtOnce) {
  const Threads scope(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  // More callers than the pool has slots for jobs.
  for (int c = 0; c < 12; ++c)
    callers.emplace_back([&, c] {
      for (int i = 0; i < 300; ++i) {
        std::vector<std::int64_t> values(1000);
        const std::int64_t factor = c * 1000 + i;
        parallel_for(0, 1000, 10, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t k = first; k < last; ++k) values[static_cast<std::size_t>(k)] += k * factor;
        });
        for (std::int64_t k = 0; k < 1000; ++k)
          if (values[static_cast<std::size_t>(k)] != k * factor) ++wrong;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, ResultsAreVisibleToTheCaller) {
  const Threads scope(4);
  std::vector<int> values(4096);
  for (int round = 1; round <= 2000; ++round) {
    parallel_for(0, 4096, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) ++values[static_cast<std::size_t>(i)];
    });
    if (round % 100 == 0) {
      ASSERT_EQ(std::accumulate(values.begin(), values.end(), 0), 4096 * round);
    }
  }
}

TEST(ParallelFor, WorkersWakeAfterTheySlept) {
  const Threads scope(4);
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_EQ(ranges_of(0, 1000, 1).back().second, 1000);
  }
}

TEST(ParallelFor, ASleepingWorkerHoldsUpOnlyItsOwnRange) {
  const Threads scope(2);
  // One worker is stuck in a range; meanwhile the caller runs all the others.
  const auto caller = std::this_thread::get_id();
  std::atomic<int> by_worker{0}, by_caller{0};
  parallel_for(0, 8, 1, [&](std::int64_t, std::int64_t) {
    if (std::this_thread::get_id() == caller) {
      ++by_caller;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } else {
      ++by_worker;
      while (by_caller < 7) std::this_thread::yield();
    }
  });
  EXPECT_GE(by_caller, 7);
  EXPECT_LE(by_worker, 1);
}

TEST(ParallelFor, TheWholeRangeOfInt64IsNoTrap) {
  const Threads scope(4);
  const std::int64_t end = INT64_MAX;
  std::atomic<std::int64_t> last_end{0};
  std::atomic<int> calls{0};
  parallel_for(0, end, 1, [&](std::int64_t first, std::int64_t last) {
    ++calls;
    EXPECT_LT(first, last);
    for (std::int64_t seen = last_end; last > seen && !last_end.compare_exchange_weak(seen, last);) {}
  });
  EXPECT_EQ(last_end, end);
  EXPECT_LE(calls, 16);
}

TEST(Threads, CountIsCheckedAndKept) {
  const Threads scope(7);
  EXPECT_EQ(num_threads(), 7);
  EXPECT_THROW(set_num_threads(0), ValueError);
  EXPECT_THROW(set_num_threads(-3), ValueError);
  EXPECT_THROW(set_num_threads(1'000'000), ValueError);
  EXPECT_EQ(num_threads(), 7);
}

TEST(Threads, LimitConcernsOneThread) {
  const Threads scope(4);
  std::thread([] {
    set_thread_limit(1);
    EXPECT_EQ(num_threads(), 1);
    EXPECT_EQ(ranges_of(0, 1000, 1).size(), 1u);
    set_thread_limit(2);
    EXPECT_EQ(num_threads(), 2);
    set_thread_limit(100);
    EXPECT_EQ(num_threads(), 4);
    set_thread_limit(0);
    EXPECT_EQ(num_threads(), 4);
    EXPECT_THROW(set_thread_limit(-1), ValueError);
  }).join();
  EXPECT_EQ(num_threads(), 4);
}

TEST(Threads, DeterministicIsOneSwitchForAllThreads) {
  EXPECT_FALSE(is_deterministic());
  deterministic(true);
  std::thread([] { EXPECT_TRUE(is_deterministic()); }).join();
  deterministic(false);
  EXPECT_FALSE(is_deterministic());
}

TEST(Threads, AChildOfAForkHasItsOwnWorkers) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support threads in a child of a program with threads";
#endif
  const Threads scope(3);
  ranges_of(0, 100, 1);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> inside{0};
    parallel_for(0, 12, 1, [&](std::int64_t, std::int64_t) {
      ++inside;
      while (inside < 3) std::this_thread::yield();
    });
    _exit(ranges_of(0, 1000, 1).back().second == 1000 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

class ThreadEnvironment : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ThreadEnvironment, ChoosesTheCount) {
  EXPECT_EXIT(
      {
        setenv("MINIMA_THREADS", "5", 1);
        std::exit(num_threads() == 5 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ThreadEnvironment, DefaultsToTheCoresOfTheProcess) {
  EXPECT_EXIT(
      {
        unsetenv("MINIMA_THREADS");
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(0, &one);
        const bool pinned = sched_setaffinity(0, sizeof one, &one) == 0;
        std::exit(!pinned || num_threads() == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ThreadEnvironment, NonsenseIsAnError) {
  EXPECT_EXIT(
      {
        setenv("MINIMA_THREADS", "many", 1);
        try {
          num_threads();
        } catch (const ValueError& error) {
          std::exit(error.what() == std::string("MINIMA_THREADS=many: expected a number from 1 to 1024") ? 0 : 1);
        }
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ThreadEnvironment, ExitIsSafeWhileJobsRun) {
  EXPECT_EXIT(
      {
        set_num_threads(4);
        std::thread([] {
          for (;;) ranges_of(0, 1000, 1);
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Grain, IsTenMicrosecondsOfWork) {
  static_assert(grain_for(1.0) == 10'000);
  static_assert(grain_for(0.5) == 20'000);
  static_assert(grain_for(1e9) == 1);
}

}  // namespace
}  // namespace minima::parallel_test
