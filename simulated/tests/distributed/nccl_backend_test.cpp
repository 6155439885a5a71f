#include "simulated/tests/distributed/ranks.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
#include <minima/train/captured_step/captured_step.h>
#include <nccl.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace minima::nccl_backend_test {
namespace {

using distributed::ProcessGroup;
using distributed::Work;

class SimulatedDistributed : public DistributedOnSimulatedGpus {};

Tensor on(Device device, const std::vector<float>& values) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())}).to(device);
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

TEST_F(SimulatedDistributed, TheComputeStreamOfEachGpuWaitsForItsCollective) {
  expect_all_well(run_ranks(4, [](const ProcessGroup& group, Device device) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      if (group.is_first()) simulated::reseed(seed);
      const Tensor x = on(device, {static_cast<float>(group.rank()), 1});
      group.all_reduce(x).wait();
      test::require(x.to_vector<float>() == std::vector<float>{6, 4}, "the sum over the ranks");
    }
  }));
}

TEST_F(SimulatedDistributed, WaitingForACollectiveIsRefusedInACapturedStep) {
  expect_all_well(run_ranks(2, [](const ProcessGroup& group, Device device) {
    const Tensor x = on(device, {1});
    std::optional<Work> work;
    train::CapturedStep step([&](const Tensor& y) {
      work->wait();
      return y;
    });
    for (int i = 0; i < 6; ++i) {
      work = group.all_reduce(x);
      step(x);
    }
    test::require(step.reason().find("waiting for all_reduce") == 0, step.reason());
    test::require(x.to_vector<float>()[0] == 64, "six steps that each double the value");
  }));
}

// A graph that was captured when the collective happened to be done would not wait in its replays.
TEST_F(SimulatedDistributed, WaitingForACollectiveThatIsDoneIsRefusedToo) {
  expect_all_well(run_ranks(2, [](const ProcessGroup& group, Device device) {
    const Tensor x = on(device, {1});
    std::optional<Work> work;
    train::CapturedStep step([&](const Tensor& y) {
      work->wait();
      return y;
    });
    for (int i = 0; i < 6; ++i) {
      work = group.all_reduce(x);
      while (!work->is_done()) pause(0.001);
      pause(0.01);  // until the thread that polls has seen it
      step(x);
    }
    test::require(step.reason().find("waiting for all_reduce") == 0, step.reason());
  }));
}

// NCCL connects in the first collective, which the caller's thread waits for: the ranks that come must still name the
// one that does not.
TEST_F(SimulatedDistributed, ARankThatDoesNotComeToTheFirstCollectiveIsNamed) {
  const std::vector<std::string> said = run_ranks(
      3,
      [](const ProcessGroup& group, Device device) {
        const Tensor x = on(device, {1});
        if (group.rank() == 2) return pause(6);
        group.all_reduce(x, distributed::Reduce::sum, {.label = "the first"}).wait();
        synchronize(device);
        pause(1);
      },
      2);
  for (const int rank : {0, 1}) {
    const std::string& text = said[static_cast<std::size_t>(rank)];
    EXPECT_NE(text.find("rank 2 "), std::string::npos) << text;
    EXPECT_NE(text.find("'the first'"), std::string::npos) << text;
    EXPECT_EQ(text.find("silent"), std::string::npos) << "heartbeats go on: " << text;
  }
}

// The stream of a communicator waits for peers; a loader's copies must not wait with it.
TEST_F(SimulatedDistributed, NoOtherStreamIsThatOfACommunicator) {
  bool is_over = false;
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const Tensor x = on(device, {1}), one = on(device, {1});
    group.all_reduce(x).wait();
    synchronize(device);
    Work late;
    if (group.rank() == 0) {
      late = group.all_reduce(x);
      for (int i = 0; i < 33; ++i) {
        const StreamGuard guard(Stream::create(device, -1));
        Event event;
        event.record(current_stream(device));
        int tries = 0;
        while (!event.is_done() && ++tries < 2000) pause(0.001);
        test::require(event.is_done(), "stream " + std::to_string(i) + " is not blocked");
      }
      __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    } else {
      for (int i = 0; i < 3000 && !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE); ++i) pause(0.001);
      late = group.all_reduce(x);
    }
    late.wait();
    group.barrier();
  }));
}

/// A group's thread may hold it a moment longer than its handles do, in which reads are refused if one had waited for
/// what was aborted.
float read_soon(const Tensor& x) {
  for (int i = 0;; ++i) try {
      return x.to_vector<float>()[0];
    } catch (const distributed::DistributedError&) {
      if (i == 2000) throw;
      pause(1e-3);
    }
}

// When an operation is aborted, the GPU continues without the result: a loss or a checkpoint would be wrong.
TEST_F(SimulatedDistributed, AValueThatWaitedForAnAbortedOperationIsAnError) {
  const std::vector<std::string> said = run_ranks(
      2,
      [](const ProcessGroup& group, Device device) {
        const DeviceGuard guard(device);
        const Tensor x = ones({3}, {.device = device});
        group.all_reduce(x).wait();
        test::require(x.to_vector<float>() == std::vector<float>(3, 2), "a sum before");
        if (group.rank() == 1) return pause(4);
        group.all_reduce(x).wait();  // waits on the GPU
        x.to_vector<float>();
      },
      2);
  EXPECT_EQ(said[0].find("a value of cuda:0 was read that waited for an operation which was aborted"), 0U) << said[0];
  EXPECT_NE(said[0].find("(#2 of group world, rank 0 of 2) failed after"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find(": rank 1 "), std::string::npos) << said[0];
  EXPECT_EQ(read_soon(ones({3}, {.device = Device::cuda(0)})), 1) << "the group is gone";
}

TEST_F(SimulatedDistributed, ACommunicatorThatCannotStartIsAborted) {
  const std::int64_t before = simulated::calls("ncclCommAbort");
  simulated::fail_call("ncclCommGetAsyncError", 1, ncclSystemError);
  const std::string said = run_ranks(1, [](const ProcessGroup&, Device) {})[0];
  EXPECT_NE(said.find("unhandled system error"), std::string::npos) << said;
  EXPECT_EQ(simulated::calls("ncclCommAbort") - before, 1);
}

// On the stream that both threads would share, each rank's groups would wait for one another in the order in which its
// threads came.
TEST_F(SimulatedDistributed, ThreadsWithStreamsOfTheirOwnUseGroupsAtTheSameTime) {
  expect_all_well(run_ranks(4, [](const ProcessGroup& world, Device device) {
    const ProcessGroup pair = world.subgroup(world.rank() < 2 ? std::vector<int>{0, 1} : std::vector<int>{2, 3});
    const ProcessGroup other = world.subgroup(world.rank() % 2 == 0 ? std::vector<int>{0, 2} : std::vector<int>{1, 3});
    const auto add_up = [&](const std::vector<ProcessGroup>& groups, double sum) {
      const StreamGuard guard(Stream::create(device));
      Tensor x;
      for (int i = 0; i < 30; ++i)
        for (const ProcessGroup& group : groups) {
          x = on(device, {1});
          group.all_reduce(x).wait();
          if (i % 5 == world.rank()) current_stream(device).synchronize();
        }
      test::require(x.to_vector<float>()[0] == sum, "the sum over the last group");
    };
    std::future<void> second = std::async(std::launch::async, [&] { add_up({other}, 2); });
    add_up({pair, world}, 4);
    second.get();
  }));
}

// A group that stays open takes all later calls of the thread and never runs them.
TEST_F(SimulatedDistributed, AFailedSendClosesItsGroup) {
  const std::int64_t started = simulated::calls("ncclGroupStart"), ended = simulated::calls("ncclGroupEnd");
  simulated::fail_call("ncclSend", 1, ncclSystemError);
  const std::vector<std::string> said = run_ranks(
      1, [](const ProcessGroup& group, Device device) { group.all_to_all(empty({1, 4}, {.device = device})).wait(); });
  EXPECT_NE(said[0].find("unhandled system error"), std::string::npos) << said[0];
  EXPECT_EQ(simulated::calls("ncclGroupStart") - started, 1);
  EXPECT_EQ(simulated::calls("ncclGroupEnd") - ended, 1);
}

// An error that NCCL finds while a collective runs ends it on this rank: the other learns of it instead of waiting.
TEST_F(SimulatedDistributed, AnAsynchronousErrorEndsACollectiveOnAllRanks) {
  const std::vector<std::string> said = run_ranks(
      2,
      [](const ProcessGroup& group, Device device) {
        const Tensor x = on(device, {1});
        group.all_reduce(x).wait();
        group.barrier();
        if (group.is_first()) simulated::fail_call("ncclCommGetAsyncError.state", 1, ncclRemoteError);
        for (int i = 0; i < 100; ++i) {
          group.all_reduce(x).wait();
          group.barrier();
        }
      },
      10);
  int remote = 0;
  for (const std::string& text : said) {
    EXPECT_FALSE(text.empty()) << "a rank noticed nothing";
    remote += text.find("remote process exited or there was a network error") != std::string::npos;
  }
  EXPECT_GE(remote, 1) << said[0] << "\n" << said[1];
}

// The others wait on their GPUs for a rank that has aborted its communicator: each learns which it is, long before the
// timeout, and its streams are free again.
TEST_F(SimulatedDistributed, AnAbortInTheMiddleOfACollectiveEndsItOnAllRanks) {
  const std::int64_t before = simulated::calls("ncclAllReduce"), aborts = simulated::calls("ncclCommAbort");
  const std::vector<std::string> said = run_ranks(
      3,
      [&](const ProcessGroup& group, Device device) {
        const Tensor x = on(device, {1});
        group.all_reduce(x).wait();
        group.barrier();
        if (group.rank() == 2) {
          while (simulated::calls("ncclAllReduce") < before + 8) pause(0.001);  // the others are in the second
          simulated::fail_call("ncclAllReduce", 1, ncclSystemError);
        }
        try {
          group.all_reduce(x, distributed::Reduce::sum, {.label = "the second"}).wait();
          synchronize(device);
          group.barrier();
        } catch (const distributed::DistributedError&) {
          synchronize(device);  // does not hang
          throw;
        }
      },
      120);
  EXPECT_EQ(simulated::calls("ncclCommAbort") - aborts, 3);
  EXPECT_NE(said[2].find("unhandled system error"), std::string::npos) << said[2];
  for (const int rank : {0, 1}) {
    const std::string& text = said[static_cast<std::size_t>(rank)];
    EXPECT_NE(text.find("rank 2 "), std::string::npos) << text;
    EXPECT_NE(text.find("'the second'"), std::string::npos) << text;
    EXPECT_EQ(text.find("no answer within"), std::string::npos) << text;
  }
}

// Every call of NCCL fails in turn: the error names the call's result, and the program can go on without NCCL.
TEST_F(SimulatedDistributed, EveryCallOfNcclMayFail) {
  for (const char* const function :
       {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommGetAsyncError", "ncclAllReduce", "ncclBroadcast",
        "ncclAllGather", "ncclReduceScatter", "ncclReduce", "ncclGroupStart", "ncclSend", "ncclRecv", "ncclGroupEnd"}) {
    simulated::fail_call(function, 1, ncclInternalError);
    const std::vector<std::string> said = run_ranks(1, [](const ProcessGroup& group, Device device) {
      const Tensor x = on(device, {1, 2});
      group.all_reduce(x).wait();
      group.broadcast(x).wait();
      group.reduce(x).wait();
      group.all_gather(x).wait();
      group.reduce_scatter(group.all_gather(x).result()).wait();
      group.all_to_all(group.all_gather(x).result()).wait();
      group.barrier();
    });
    EXPECT_NE(said[0].find("internal error"), std::string::npos) << function << ": " << said[0];
    EXPECT_EQ(read_soon(on(first_gpu, {7})), 7) << function;
  }
}

}  // namespace
}  // namespace minima::nccl_backend_test
