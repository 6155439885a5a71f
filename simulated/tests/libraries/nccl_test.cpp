#include "simulated/tests/libraries/nccl.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace simulated::nccl_test {
namespace {

class SimulatedNccl : public ::testing::Test {
 protected:
  void SetUp() override { restart("4xH100", 1); }
};

TEST_F(SimulatedNccl, EveryCollective) {
  for (const int size : {1, 2, 4})
    run_rank_threads(size, [](const NcclRank& self) {
      const int n = self.size, r = self.rank;
      const auto sum = static_cast<float>(n * (n - 1) / 2);
      float* const x = device_values<float>({static_cast<float>(r), 1});
      EXPECT_NCCL(ncclAllReduce(x, x, 2, ncclFloat32, ncclSum, self.comm, self.stream));
      EXPECT_EQ(values_of(x, 2, self.stream), (std::vector<float>{sum, static_cast<float>(n)}));

      int* const rows = device_ints(static_cast<std::size_t>(n));
      int* const mine = device_values<int>({r + 10});
      EXPECT_NCCL(ncclAllGather(mine, rows, 1, ncclInt32, self.comm, self.stream));
      std::vector<int> all;
      for (int i = 0; i < n; ++i) all.push_back(i + 10);
      EXPECT_EQ(values_of(rows, all.size(), self.stream), all);

      EXPECT_NCCL(ncclReduceScatter(rows, mine, 1, ncclInt32, ncclMax, self.comm, self.stream));
      EXPECT_EQ(values_of(mine, 1, self.stream)[0], r + 10);
      EXPECT_NCCL(ncclBroadcast(mine, mine, 1, ncclInt32, n - 1, self.comm, self.stream));
      EXPECT_EQ(values_of(mine, 1, self.stream)[0], n + 9);
    });
}

// User guide, "Point-to-point communication": sends and receives of a group run together; here each rank sends to all.
TEST_F(SimulatedNccl, GroupedSendsAndReceives) {
  run_rank_threads(4, [](const NcclRank& self) {
    std::vector<int> mine;
    for (int i = 0; i < 4; ++i) mine.push_back(10 * self.rank + i);
    int *const from = device_values(mine), *const to = device_ints(4);
    EXPECT_NCCL(ncclGroupStart());
    for (int peer = 0; peer < 4; ++peer) {
      EXPECT_NCCL(ncclSend(from + peer, 1, ncclInt32, peer, self.comm, self.stream));
      EXPECT_NCCL(ncclRecv(to + peer, 1, ncclInt32, peer, self.comm, self.stream));
    }
    EXPECT_NCCL(ncclGroupEnd());
    const int r = self.rank;
    EXPECT_EQ(values_of(to, 4, self.stream), (std::vector<int>{r, 10 + r, 20 + r, 30 + r}));
  });
}

template <class T> std::vector<T> reduced(const NcclRank& self, ncclDataType_t type, ncclRedOp_t operation, T value) {
  T* const x = device_values<T>({value});
  EXPECT_NCCL(ncclAllReduce(x, x, 1, type, operation, self.comm, self.stream));
  return values_of(x, 1, self.stream);
}

TEST_F(SimulatedNccl, ReductionsOfEveryKind) {
  run_rank_threads(2, [](const NcclRank& self) {
    const bool first = self.rank == 0;
    EXPECT_EQ(reduced<std::int8_t>(self, ncclInt8, ncclSum, 100)[0], -56) << "wraps around";
    EXPECT_EQ(reduced<std::uint8_t>(self, ncclUint8, ncclProd, 20)[0], 144);
    EXPECT_EQ(reduced<std::int32_t>(self, ncclInt32, ncclAvg, first ? 4 : 7)[0], 5);
    EXPECT_EQ(reduced<std::uint32_t>(self, ncclUint32, ncclMax, first ? 1 : 4000000000)[0], 4000000000);
    EXPECT_EQ(reduced<std::int64_t>(self, ncclInt64, ncclMin, first ? -5 : 5)[0], -5);
    EXPECT_EQ(reduced<std::uint64_t>(self, ncclUint64, ncclSum, 1)[0], 2u);
    EXPECT_EQ(reduced<std::uint16_t>(self, ncclFloat16, ncclAvg, first ? 0x3c00 : 0x4000)[0], 0x3e00) << "1 and 2";
    EXPECT_EQ(reduced<std::uint16_t>(self, ncclBfloat16, ncclSum, first ? 0x3f80 : 0x4000)[0], 0x4040) << "1 and 2";
    EXPECT_EQ(reduced<float>(self, ncclFloat32, ncclAvg, first ? 1 : 2)[0], 1.5f);
    EXPECT_EQ(reduced<double>(self, ncclFloat64, ncclProd, first ? 3 : 2)[0], 6);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(reduced<float>(self, ncclFloat32, ncclMax, first ? nan : 2)[0], 2) << "the kernels use fmaxf";
    EXPECT_TRUE(std::isnan(reduced<float>(self, ncclFloat32, ncclSum, first ? nan : 2)[0]));
  });
}

// User guide, "Streams": the call returns when the operation is enqueued. Who does not wait reads what was there or
// what is being written.
TEST_F(SimulatedNccl, AReaderThatDoesNotWaitIsSeen) {
  std::atomic<int> early{0};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    reseed(seed);
    run_rank_threads(2, [&](const NcclRank& self) {
      int* const x = device_values<int>({1});
      int* const seen = pinned_ints(1);
      const cudaStream_t other = new_stream();
      EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
      EXPECT_CUDA(cudaMemcpyAsync(seen, x, sizeof(int), cudaMemcpyDeviceToHost, other));
      EXPECT_CUDA(cudaStreamSynchronize(other));
      early += *seen != 2;
      EXPECT_EQ(values_of(x, 1, self.stream)[0], 2);
    });
  }
  EXPECT_GT(early, 0);
}

// User guide, "Streams": buffers are in use until the stream has passed the operation.
TEST_F(SimulatedNccl, MemoryThatIsFreedTooEarlyIsReported) {
  int reports = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    restart("1xH100", seed);
    const NcclRank alone(0, 1, unique_id(), 0);
    const cudaStream_t other = new_stream();
    void* x = nullptr;
    EXPECT_CUDA(cudaMallocAsync(&x, 64, alone.stream));
    reports += report_of([&] {
                 EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, alone.comm, alone.stream));
                 cudaFreeAsync(x, other);
                 cudaStreamSynchronize(other);
               }) == "cudaFreeAsync: ncclAllReduce on cuda:0 has not run yet and may use the memory";
    EXPECT_NCCL(ncclCommAbort(alone.comm));
  }
  EXPECT_GT(reports, 0);
}

// User guide, "Using NCCL with CUDA Graphs": captured calls communicate at each launch.
TEST_F(SimulatedNccl, CapturedCallsCommunicateAtEachReplay) {
  run_rank_threads(2, [](const NcclRank& self) {
    int* const x = device_values<int>({1});
    EXPECT_CUDA(cudaStreamBeginCapture(self.stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
    cudaGraph_t graph = nullptr;
    EXPECT_CUDA(cudaStreamEndCapture(self.stream, &graph));
    cudaGraphExec_t executable = nullptr;
    EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_EQ(values_of(x, 1, self.stream)[0], 1);
    for (int i = 0; i < 3; ++i) EXPECT_CUDA(cudaGraphLaunch(executable, self.stream));
    EXPECT_EQ(values_of(x, 1, self.stream)[0], 8);
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
  });
}

// User guide, "Creating a communicator with options": a call of a blocking communicator returns when it is done, and
// the first one connects, which takes the peers.
TEST_F(SimulatedNccl, TheFirstCallBlocksUntilThePeersCome) {
  std::atomic<bool> has_returned{false};
  run_rank_threads(2, [&](const NcclRank& self) {
    int* const x = device_values<int>({1});
    if (self.rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_FALSE(has_returned);
    }
    EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
    has_returned = true;
    EXPECT_EQ(values_of(x, 1, self.stream)[0], 2);
  });
}

// A GPU works while its program waits for something else.
TEST_F(SimulatedNccl, ARankMakesNoCallsWhileOthersWaitForIt) {
  std::atomic<bool> has_synchronised{false};
  run_rank_threads(2, [&](const NcclRank& self) {
    int* const x = device_values<int>({1});
    EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
    if (self.rank == 1) return has_synchronised.wait(false);
    EXPECT_CUDA(cudaStreamSynchronize(self.stream));
    has_synchronised = true;
    has_synchronised.notify_all();
  });
}

}  // namespace
}  // namespace simulated::nccl_test
