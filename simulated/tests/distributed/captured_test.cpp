#include "simulated/tests/distributed/ranks.h"
#include "tests/support/expect_error.h"

#include <minima/minima.h>
#include <minima/tensor/base/format.h>
#include <minima/train/captured_step/captured_step.h>
#include <nccl.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

// Captured steps whose graphs communicate. The simulated NCCL reports a call that one rank makes in a graph and another
// by itself.

namespace minima::captured_test {
namespace {

using distributed::DistributedError;
using distributed::ProcessGroup;
using test::require;
using train::CapturedStep;

class SimulatedCaptured : public DistributedOnSimulatedGpus {};

std::int64_t nccl_calls() {
  std::int64_t sum = 0;
  for (const char* const name : {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclBroadcast"})
    sum += simulated::calls(name);
  return sum;
}

TEST_F(SimulatedCaptured, CollectivesAreInTheGraphAndNotCalledByReplays) {
  std::int64_t calls[2] = {}, launches[2] = {};
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    const Tensor x = tensor<float>({1}).to(device);
    CapturedStep step([&](const Tensor& y) {
      const Tensor z = y * 1;
      group.all_reduce(z).wait();
      const Tensor rows = group.all_gather(z).result();
      group.all_to_all(rows).wait();
      return sum(rows);
    });
    const auto run = [&](int times) {
      for (int i = 0; i < times; ++i) require(step(x * i).item<float>() == static_cast<float>(4 * i), str("call ", i));
    };
    run(4);
    group.barrier();
    if (group.is_first()) {
      calls[0] = nccl_calls() + simulated::calls("ncclSend");
      launches[0] = simulated::calls("cudaGraphLaunch");
    }
    group.barrier();
    const std::int64_t barriers = 6;  // of three on two ranks, of which some may not be counted
    run(10);
    group.barrier();
    if (group.is_first()) {
      calls[1] = nccl_calls() + simulated::calls("ncclSend");
      launches[1] = simulated::calls("cudaGraphLaunch");
      require(calls[1] - calls[0] <= barriers, str("replays called NCCL ", calls[1] - calls[0], " times"));
      require(launches[1] - launches[0] == 20, str(launches[1] - launches[0], " launches of ten replays on two ranks"));
    }
    group.barrier();
    require(step.counts().eager == 3 && step.counts().captured == 1 && step.counts().replayed == 11, step.reason());
  }));
}

// A rank with another shape, as of a last batch, takes all ranks to the eager step, and back to the graph.
TEST_F(SimulatedCaptured, ARankWithAnotherShapeMakesAllRunEagerly) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep step(
        [&](const Tensor& x) {
          const Tensor y = sum(x);
          group.all_reduce(y).wait();
          return y;
        },
        {.graphs = 1});
    for (int i = 0; i < 12; ++i) {
      const std::int64_t rows = i == 8 && group.rank() == 1 ? 2 : 3;
      const float sum = step(ones({rows}, {.device = device})).item<float>();
      require(sum == (i == 8 ? 5 : 6), str("step ", i, ": ", sum));
      require(step.reason().empty() == (i > 2 && i != 8), str("step ", i, ": ", step.reason()));
    }
    require(step.counts().captured == 1 && step.counts().replayed == 8, "back to the same graph");
  }));
}

TEST_F(SimulatedCaptured, ARankThatIsCalledEagerlyMakesAllRunEagerly) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep step([&](const Tensor& x) {
      const Tensor y = sum(x);
      group.all_reduce(y).wait();
      return y;
    });
    for (int i = 0; i < 10; ++i) {
      const Tensor x = ones({3}, {.device = device});
      const Tensor y = i == 6 && group.is_first() ? step.call_eagerly({x})[0] : step(x);
      require(y.item<float>() == 6, str("step ", i));
    }
    require(step.counts().captured == 1 && step.counts().replayed == 6, "back to the same graph: " + step.reason());
  }));
}

// Ranks of the same shapes have as many graphs as there are shapes, whichever rank has which.
TEST_F(SimulatedCaptured, GraphsBelongToTheShapesOfAllRanks) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep step([&](const Tensor& x) {
      const Tensor y = sum(x);
      group.all_reduce(y).wait();
      return y;
    });
    for (int i = 0; i < 16; ++i) {
      const std::int64_t rows = 2 + (i + group.rank()) % 2;
      require(step(ones({rows}, {.device = device})).item<float>() == 5, str("step ", i));
    }
    require(step.counts().captured == 2, str(step.counts().captured, " graphs of two pairs of shapes"));
  }));
}

// A change on one rank, here of a learning rate's group by a momentum, makes all capture again.
TEST_F(SimulatedCaptured, AChangeOnOneRankMakesAllCaptureAgain) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    const Tensor weight = ones({2}, {.device = device}).requires_grad(true);
    optim::SGD optimizer({weight}, {.lr = 0.5});
    CapturedStep step(
        [&](const Tensor& x) {
          optimizer.zero_grad();
          const Tensor loss = sum(weight * x);
          loss.backward();
          group.all_reduce(weight.grad()).wait();
          optimizer.step();
          return loss;
        },
        {.warmup = 2});
    step.watch(optimizer);
    for (int i = 0; i < 10; ++i) {
      if (i == 5 && group.rank() == 1) weight.set_data(weight.detach() + 0.0);
      step(ones({2}, {.device = device}));
    }
    require(step.counts().captured == 2 && step.counts().eager == 3,
            str(step.counts().captured, " captures, ", step.counts().eager, " eager: ", step.reason()));
    require(weight.detach().to_vector<float>() == std::vector<float>{-9, -9}, "ten steps of two ranks");
  }));
}

// The others drop their graphs, too: NCCL wants an operation of all ranks in graphs, or of none.
TEST_F(SimulatedCaptured, AStepThatOneRankInvalidatesIsCapturedAgainByAll) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep step([&](const Tensor& x) {
      const Tensor y = x * 1;
      group.all_reduce(y).wait();
      return y;
    });
    for (int i = 0; i < 12; ++i) {
      if (i == 6 && group.rank() == 1) step.invalidate();
      require(step(full({1}, i, {.device = device})).item<float>() == static_cast<float>(2 * i), str("call ", i));
    }
    require(step.counts().captured == 2 && step.counts().eager == 4,
            str(step.counts().captured, " captures, ", step.counts().eager, " eager: ", step.reason()));
  }));
}

TEST_F(SimulatedCaptured, AStepInAStepIsPartOfItsGraph) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep inner([&](const Tensor& x) {
      const Tensor y = x * 1;
      group.all_reduce(y).wait();
      return y;
    });
    CapturedStep outer([&](const Tensor& x) {
      const Tensor y = inner(x + 1);
      group.all_reduce(y).wait();
      return y + 3;
    });
    for (int i = 0; i < 8; ++i)
      require(outer(full({1}, i, {.device = device})).item<float>() == static_cast<float>(4 * i + 7), str("call ", i));
    require(outer.counts().replayed == 5 && inner.counts().replayed == 0, outer.reason());
  }));
}

// Without eager calls before it, the first capture finds out that ranks have to agree.
TEST_F(SimulatedCaptured, AStepWithoutWarmupIsCapturedAtTheSecondCall) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep step(
        [&](const Tensor& x) {
          const Tensor y = x + 1;
          group.all_reduce(y).wait();
          return y;
        },
        {.warmup = 0});
    for (int i = 0; i < 4; ++i)
      require(step(ones({1}, {.device = device}) * i).item<float>() == static_cast<float>(2 * i + 2), str("call ", i));
    require(step.counts().eager == 1 && step.counts().captured == 1 && step.counts().replayed == 3, step.reason());
  }));
}

TEST_F(SimulatedCaptured, RanksThatCaptureDifferentOperationsRunEagerly) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    int runs = 0;
    CapturedStep step([&](const Tensor& x) {
      const Tensor y = x * 1;
      const std::string label = ++runs == 4 && group.rank() == 1 ? "b" : "a";
      group.all_reduce(y, distributed::Reduce::sum, {.label = label}).wait();
      return y;
    });
    for (int i = 0; i < 6; ++i) require(step(ones({1}, {.device = device})).item<float>() == 2, str("call ", i));
    require(step.counts().replayed == 0, "no replay");
    require(step.reason().find("captured different operations of group world") != std::string::npos, step.reason());
  }));
}

// A step that does not wait for what it has started still has all of it in its graph.
TEST_F(SimulatedCaptured, OperationsThatAreNotWaitedForJoinTheGraph) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    const Tensor total = zeros({3}, {.device = device});
    CapturedStep step([&](const Tensor& x) {
      copy_(total, x);
      group.all_reduce(total);
      return x * 2;
    });
    for (int i = 0; i < 8; ++i) {
      step(full({3}, i, {.device = device}));
      synchronize(device);
      require(total.to_vector<float>() == std::vector<float>(3, static_cast<float>(2 * i)), str("call ", i));
    }
    require(step.counts().replayed == 5, step.reason());
  }));
}

TEST_F(SimulatedCaptured, ABarrierInAStepMakesItRunEagerly) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    CapturedStep step([&](const Tensor& x) {
      group.barrier();
      return x * 2;
    });
    for (int i = 0; i < 6; ++i) step(ones({1}, {.device = device}));
    require(step.reason().find("barrier() inside a captured step") == 0, step.reason());
  }));
}

CapturedStep sum_over(const ProcessGroup& group) {
  return CapturedStep([group](const Tensor& x) {
    const Tensor y = x * 1;
    group.all_reduce(y).wait();
    return y;
  });
}

// The host may be many replays ahead; a rank that stops coming is named within the timeout, and nothing hangs. The
// group has failed then, so that its communicator is aborted and does not wait for that rank.
TEST_F(SimulatedCaptured, ARankThatStopsReplayingIsNamed) {
  const std::vector<std::string> said = run_ranks(
      3,
      [](const ProcessGroup& group, Device device) {
        const DeviceGuard guard(device);
        CapturedStep step = sum_over(group);
        std::string found;
        try {
          for (int i = 0; i < 1000; ++i) {
            if (i == 6 && group.rank() == 2) return std::this_thread::sleep_for(std::chrono::seconds(6));
            step(ones({1}, {.device = device}));
          }
        } catch (const DistributedError& error) {
          require(error.missing() == std::vector<int>{2}, str("missing: ", error.what()));
          found = error.what();
        }
        try {
          group.all_reduce(ones({1}, {.device = device}));
        } catch (const DistributedError& error) {
          require(error.what() == found, str("the group: ", error.what()));
          throw;
        }
      },
      2);
  for (const int rank : {0, 1}) {
    const std::string& text = said[static_cast<std::size_t>(rank)];
    EXPECT_EQ(text.find("CapturedStep: ranks could not agree"), 0U) << text;
    EXPECT_NE(text.find("rank 2 "), std::string::npos) << text;
  }
}

// Ranks in a row agree about different groups, so none of their agreements comes about.
TEST_F(SimulatedCaptured, NeighboursWithoutACommonGroupAreNamed) {
  const std::vector<std::string> said = run_ranks(
      3,
      [](const ProcessGroup& world, Device device) {
        const DeviceGuard guard(device);
        std::vector<ProcessGroup> groups;
        if (world.rank() < 2) groups.push_back(world.subgroup({0, 1}));
        if (world.rank() > 0) groups.push_back(world.subgroup({1, 2}));
        CapturedStep step([&](const Tensor& x) {
          const Tensor y = x * 1;
          for (const ProcessGroup& group : groups) group.all_reduce(y).wait();
          return y;
        });
        for (int i = 0; i < 6; ++i) step(ones({1}, {.device = device}));
      },
      2);
  EXPECT_CONTAINS(said[0], "rank 1 has failed before it reached this operation: it was in");
  EXPECT_CONTAINS(said[2], "rank 1 has failed before it reached this operation: it was in");
  EXPECT_CONTAINS(said[1], "let it also communicate over one that contains them all");
}

// A communicator that fails while a graph runs ends on all ranks, although NCCL's abort returns only with the graph.
TEST_F(SimulatedCaptured, AnErrorDuringAReplayEndsItOnAllRanks) {
  const std::vector<std::string> said = run_ranks(
      2,
      [](const ProcessGroup& group, Device device) {
        const DeviceGuard guard(device);
        CapturedStep step = sum_over(group);
        for (int i = 0; i < 200; ++i) {
          if (i == 6 && group.is_first()) simulated::fail_call("ncclCommGetAsyncError.state", 1, ncclRemoteError);
          step(ones({1}, {.device = device}));
        }
      },
      10);
  for (const std::string& text : said) EXPECT_FALSE(text.empty()) << "a rank noticed nothing";
}

}  // namespace
}  // namespace minima::captured_test
