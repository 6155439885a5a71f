#include "tests/distributed/collectives.h"
#include "tests/distributed/processes.h"
#include "tests/support/temporary_folder.h"

#include <minima/distributed/group.h>
#include <minima/distributed/in_process.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace minima::distributed::process_group_test {
namespace {

using test::message_of;
using test::require;

TEST(Threads, EveryCollectiveInEveryDtype) {
  for (const int size : {1, 2, 3, 8})
    test::run_threads(size, [](ProcessGroup& group) { test::check_collectives(group); });
}

TEST(Threads, MessagesAndSubgroups) {
  for (const int size : {1, 2, 5})
    test::run_threads(size, [](ProcessGroup& group) { test::check_messages_and_subgroups(group); });
}

TEST(Gloo, EveryCollectiveInEveryDtype) {
  SKIP_WITHOUT_PROCESSES;
  for (const int size : {1, 2, 4})
    test::run_processes(size, [](ProcessGroup& group) { test::check_collectives(group); });
}

TEST(Gloo, MessagesAndSubgroups) {
  SKIP_WITHOUT_PROCESSES;
  for (const int size : {2, 3})
    test::run_processes(size, [](ProcessGroup& group) { test::check_messages_and_subgroups(group); });
}

TEST(Gloo, ASubgroupNamesTheMemberThatDoesNotCome) {
  SKIP_WITHOUT_PROCESSES;
  test::run_processes(
      3,
      [](ProcessGroup& group) {
        if (group.rank() == 2) return std::this_thread::sleep_for(std::chrono::seconds(4));
        try {
          (void)group.subgroup({0, 1, 2});
        } catch (const DistributedError& error) {
          const std::string text = error.what();
          require(error.missing() == std::vector<int>{2}, "missing: " + text);
          require(text.find("could not connect to the others of group world/0+1+2: ") != text.npos, text);
          return require(text.find("rank 2 is alive but has not reached this group") != text.npos, text);
        }
        require(false, "a subgroup without rank 2");
      },
      {.timeout = 1});
}

// Only the last group of a process takes it out of the job.
TEST(Gloo, ASubgroupOfAllRanksMayGoBeforeTheOthers) {
  SKIP_WITHOUT_PROCESSES;
  test::run_processes(2, [](ProcessGroup& group) {
    ProcessGroup all = group.subgroup({0, 1});
    if (group.is_first()) {
      all = ProcessGroup();
      std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // others wait a while for one that has left
    }
    const Tensor x = ones({1});
    group.all_reduce(x).wait();
    require(x.item<float>() == 2, "the sum of both ranks");
    group.barrier();
  });
}

TEST(Gloo, GroupsThatAreGoneAreForgotten) {
  SKIP_WITHOUT_PROCESSES;
  test::run_processes(
      3,
      [](ProcessGroup& group) {
        for (int i = 0; i < 100 && group.rank() < 2; ++i) group.subgroup({1, 0}).barrier();
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // until the next heartbeat
        for (const detail::Member& member : detail::GroupAccess::of(group)->watchdog()->store().status())
          require(member.progress.size() < 80, str(member.progress.size(), " groups in a heartbeat"));
        group.barrier();
      },
      {.timeout = 20});
}

TEST(Gloo, DebugModeNamesWhoDoesWhat) {
  SKIP_WITHOUT_PROCESSES;
  const test::TemporaryFolder folder;
  test::run_processes(3,
                      [](ProcessGroup& group) {
                        group.all_reduce(ones({4})).wait();
                        const Tensor x = group.rank() == 1 ? ones({5}) : ones({4});
                        const std::string text = message_of<DistributedError>(
                            [&] { group.all_reduce(x, Reduce::sum, {.label = "bucket 7"}).wait(); });
                        require(text.find("all_reduce sum float32") != text.npos &&
                                    text.find("'bucket 7' (#2 of group world") != text.npos,
                                text);
                        require(text.find(group.rank() == 1 ? "rank 0 does all_reduce sum float32 [4]"
                                                            : "rank 1 does all_reduce sum float32 [5]") != text.npos,
                                text);
                        const std::string again = message_of<DistributedError>([&] { group.barrier(); });
                        require(again == text, "a failed group stays so: " + again);
                      },
                      {.timeout = 10, .debug = true, .flight_folder = folder.path()});
}

TEST(Threads, AMismatchIsNamedOnEveryRank) {
  test::run_threads(4, [](ProcessGroup& group) {
    const std::string text = message_of<DistributedError>([&] {
      if (group.rank() == 2) group.broadcast(ones({3})).wait();
      else group.all_reduce(ones({3})).wait();
    });
    require(text.find("rank 2 does broadcast float32 [3] root 0") != text.npos, text);
  });
}

TEST(Threads, ReducingToAnotherRootIsNamed) {
  test::run_threads(3, [](ProcessGroup& group) {
    const int root = group.rank() == 1 ? 2 : 0;
    const std::string text = message_of<DistributedError>([&] { group.reduce(ones({3}), root).wait(); });
    require(text.find("rank 1 does reduce sum float32 [3] root 2") != text.npos, text);
  });
}

// Rank by rank, as an all_reduce: the sum depends on the order of these numbers.
TEST(Threads, ReduceAddsInTheOrderOfAnAllReduce) {
  test::run_threads(3, [](ProcessGroup& group) {
    const float summands[] = {1e8f, -1e8f, 1.0f};
    const Tensor x = full({1}, summands[group.rank()]), y = full({1}, summands[group.rank()]);
    group.all_reduce(x).wait();
    const Tensor sum = group.reduce(y, 2).result();
    if (group.rank() == 2) require(sum.to_vector<float>() == x.to_vector<float>(), "the two sums are the same");
    require(x.to_vector<float>()[0] == 1, "rank 0's number comes first");
  });
}

TEST(Threads, ALateRankIsNamedAfterTheTimeout) {
  std::vector<ProcessGroup> groups = in_process_groups(3, 0.2);
  std::vector<std::string> said(3);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < 2; ++r)
    threads.emplace_back(
        [&, r] { said[r] = message_of<DistributedError>([&] { groups[r].all_reduce(ones({2})).wait(); }); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t r = 0; r < 2; ++r) EXPECT_CONTAINS(said[r], "rank 2 did not join");
}

TEST(ProcessGroup, WhatOneRankCanSeeIsRefusedAtOnce) {
  const ProcessGroup group = in_process_groups(1)[0];
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)group.all_reduce(transpose(ones({2, 3}), 0, 1)); }),
                  "not contiguous");
  EXPECT_CONTAINS(message_of<DTypeError>([&] { (void)group.all_reduce(ones({2}, {.dtype = int32}), Reduce::mean); }),
                  "floating dtype");
  EXPECT_CONTAINS(message_of<DTypeError>([&] { (void)group.reduce(ones({2}, {.dtype = int64}), 0, Reduce::mean); }),
                  "reduce: a mean needs a floating dtype");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)group.reduce(ones({3}), -1); }), "reduce: rank -1 is not a rank");
  EXPECT_CONTAINS(message_of<ShapeError>([&] { (void)group.reduce_scatter(ones({3})); }),
                  "must be the number of ranks, 1");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)group.broadcast(ones({3}), 1); }), "rank 1");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)ProcessGroup().all_reduce(ones({3})); }), "init()");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)group.subgroup({0, 0}); }), "distinct");
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)group.exchange({send_to(ones({1}), 0)}); }), "another rank");
  EXPECT_CONTAINS(message_of<ShapeError>([&] { (void)group.all_gather_into(ones({3}), ones({2})); }),
                  "does not hold 1 times");
  EXPECT_CONTAINS(message_of<DTypeError>([&] { (void)group.all_gather_into(ones({2}), ones({2}, {.dtype = int32})); }),
                  "differ in dtype");
  EXPECT_CONTAINS(message_of<ShapeError>([&] { (void)group.all_gather_into(ones({3}), ones({3}), {2, 1}); }),
                  "the ranks' rows are 2, 1; pass one number for each of the 1 ranks, which add up to 3");
  const Tensor x = ones({4});
  EXPECT_CONTAINS(message_of<ValueError>([&] { (void)group.reduce_scatter_into(x, x); }), "share memory");
}

TEST(Threads, UnevenPartsThatDoNotMatchAreNamedOnEveryRank) {
  test::run_threads(2, [](ProcessGroup& group) {
    const std::int64_t rank = group.rank();
    const std::string text = message_of<DistributedError>(
        [&] { group.all_to_all_into(ones({3 - rank}), ones({3}), {1, 2}, {1, 2 - rank}).wait(); });
    require(text.find("rank 1 sends 1 elements to rank 0, which expects 2") != text.npos, text);
  });
  test::run_threads(2, [](ProcessGroup& group) {
    const std::vector<std::int64_t> rows =
        group.rank() == 0 ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{2, 1};
    const std::string text =
        message_of<DistributedError>([&] { group.all_gather_into(ones({3}), ones({1}), rows).wait(); });
    require(text.find("in uneven parts of 1 2") != text.npos && text.find("in uneven parts of 2 1") != text.npos, text);
  });
}

/// A child that a rank forks, and that ends as programs do, destroys its copies of the group and of rank 0's store.
TEST(Gloo, ForkedChildrenLeaveTheirParentsConnectionsAlone) {
  SKIP_WITHOUT_PROCESSES;
  test::run_processes(2, [](ProcessGroup& group) {
    const auto sum = [&] { return group.all_reduce(ones({1})).result().item<float>(); };
    require(sum() == 2, "the sum before");
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      const std::string message = message_of<Error>(sum);
      group = {};
      ::_exit(message.find("belong to the parent of this forked process") == std::string::npos ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child hung or used the group");
    require(sum() == 2, "the sum after");
    group.barrier();
  });
}

}  // namespace
}  // namespace minima::distributed::process_group_test
