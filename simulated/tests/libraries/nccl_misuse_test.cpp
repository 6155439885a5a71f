#include "simulated/tests/libraries/nccl.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace simulated::nccl_misuse_test {
namespace {

class SimulatedNcclMisuse : public ::testing::Test {
 protected:
  void SetUp() override { restart("4xH100", 1); }
};

// User guide, "Creating a communicator with options": a nonblocking communicator is there at once and in progress until
// all ranks have come; "attempt to use communicator before the previous operation returned ncclSuccess" (comm.cc).
TEST_F(SimulatedNcclMisuse, IsRefusedWhileInProgress) {
  const ncclUniqueId id = unique_id();
  const NcclRank first(0, 2, id, 0, false);
  int* const x = device_values<int>({1});
  ncclResult_t state = ncclSuccess;
  EXPECT_NCCL(ncclCommGetAsyncError(first.comm, &state));
  EXPECT_EQ(state, ncclInProgress);
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, first.comm, first.stream), ncclInvalidArgument);
  EXPECT_EQ(ncclCommFinalize(first.comm), ncclInvalidArgument);
  const NcclRank second(1, 2, id, 1, false);
  EXPECT_EQ(settled(first.comm), ncclSuccess);
  EXPECT_EQ(settled(second.comm), ncclSuccess);

  // The first collective connects, which waits for the peer; nothing is enqueued before.
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, first.comm, first.stream), ncclInProgress);
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, first.comm, first.stream), ncclInvalidArgument);
  EXPECT_CUDA(cudaStreamSynchronize(first.stream));
  int* const y = device_values<int>({2});
  EXPECT_EQ(ncclAllReduce(y, y, 1, ncclInt32, ncclSum, second.comm, second.stream), ncclInProgress);
  EXPECT_EQ(settled(first.comm), ncclSuccess);
  EXPECT_EQ(settled(second.comm), ncclSuccess);
  EXPECT_EQ(values_of(x, 1, first.stream)[0], 3);

  // "ncclCommFinalize … synchronize with other ranks"
  EXPECT_EQ(ncclCommFinalize(first.comm), ncclInProgress);
  EXPECT_NCCL(ncclCommGetAsyncError(first.comm, &state));
  EXPECT_EQ(state, ncclInProgress);
  EXPECT_EQ(ncclCommFinalize(second.comm), ncclInProgress);
  EXPECT_EQ(settled(first.comm), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, first.comm, first.stream), ncclInvalidArgument);
  EXPECT_EQ(settled(second.comm), ncclSuccess);
  EXPECT_NCCL(ncclCommDestroy(first.comm));
  EXPECT_NCCL(ncclCommDestroy(second.comm));
}

TEST_F(SimulatedNcclMisuse, ACommunicatorIsDestroyedOnce) {
  const NcclRank alone(0, 1, unique_id(), 0);
  alone.leave();
  const std::string text = report_of([&] { EXPECT_EQ(ncclCommDestroy(alone.comm), ncclInvalidArgument); });
  EXPECT_EQ(text, "ncclCommDestroy of a communicator that was destroyed");
}

TEST_F(SimulatedNcclMisuse, InvalidArgumentsAreRefused) {
  ncclComm_t comm = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, unique_id(), 2, &config), ncclInvalidArgument);
  config.magic = 0;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, unique_id(), 0, &config), ncclInvalidArgument);
  const NcclRank alone(0, 1, unique_id(), 0);
  int* const x = device_values<int>({1});
  EXPECT_EQ(ncclBroadcast(x, x, 1, ncclInt32, 1, alone.comm, alone.stream), ncclInvalidArgument);
  EXPECT_EQ(ncclSend(x, 1, ncclInt32, -1, alone.comm, alone.stream), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, nullptr, alone.stream), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  alone.leave();
}

// A stream of another GPU: CUDA refuses the launch.
TEST_F(SimulatedNcclMisuse, AStreamOfAnotherGpuIsRefused) {
  const NcclRank alone(0, 1, unique_id(), 0);
  int* const x = device_values<int>({1});
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, alone.comm, new_stream()), ncclUnhandledCudaError);
  EXPECT_NCCL(ncclCommAbort(alone.comm));
}

// "Duplicate GPU detected" (init.cc): two ranks of a host need two GPUs, where NCCL_HOSTID says what a host is.
TEST_F(SimulatedNcclMisuse, TwoRanksOfAHostNeedTwoGpus) {
  for (const bool is_apart : {false, true}) {
    const ncclUniqueId id = unique_id();
    std::vector<NcclRank> ranks;
    for (const char* const host : {"a", "b"}) {
      setenv("NCCL_HOSTID", is_apart ? host : "same", 1);
      ranks.emplace_back(static_cast<int>(ranks.size()), 2, id, 0, false);
    }
    unsetenv("NCCL_HOSTID");
    for (const NcclRank& rank : ranks) {
      EXPECT_EQ(settled(rank.comm), is_apart ? ncclSuccess : ncclInvalidUsage);
      if (is_apart) continue;
      EXPECT_EQ(ncclGetLastError(rank.comm),
                std::string("Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 0"));
    }
    for (const NcclRank& rank : ranks) EXPECT_NCCL(ncclCommAbort(rank.comm));
  }
}

/// The report of each of two ranks that make different calls. They hang, until they are aborted.
template <class Body> std::string report_of_ranks(const Body& body) {
  CaughtReports caught;
  run_rank_threads(
      2,
      [&](const NcclRank& self) {
        void* x = nullptr;
        EXPECT_CUDA(cudaMalloc(&x, 64));
        EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
        EXPECT_CUDA(cudaStreamSynchronize(self.stream));
        body(self, x);
        std::thread impatient([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          EXPECT_NCCL(ncclCommAbort(self.comm));
        });
        EXPECT_CUDA(cudaStreamSynchronize(self.stream));
        impatient.join();
      },
      false);
  const std::vector<std::string> reports = caught.take();
  EXPECT_EQ(reports.size(), 2u);
  return reports.empty() ? "" : reports[0];
}

// User guide, "Collective operations": "all ranks must call the same operation with the same count and datatype".
TEST_F(SimulatedNcclMisuse, RanksThatMakeDifferentCallsAreNamed) {
  const std::string count = report_of_ranks([](const NcclRank& self, void* x) {
    EXPECT_NCCL(
        ncclAllReduce(x, x, 2u + static_cast<unsigned>(self.rank), ncclFloat32, ncclAvg, self.comm, self.stream));
  });
  EXPECT_NE(count.find("rank 0 calls ncclAllReduce of 2 float32 (avg)"), std::string::npos) << count;
  EXPECT_NE(count.find("rank 1 calls ncclAllReduce of 3 float32 (avg)"), std::string::npos) << count;
  EXPECT_NE(count.find("collective 2"), std::string::npos) << count;
}

TEST_F(SimulatedNcclMisuse, RanksThatCallInAnotherOrderAreNamed) {
  const std::string order = report_of_ranks([](const NcclRank& self, void* x) {
    if (self.rank == 0) ncclAllGather(x, x, 1, ncclInt32, self.comm, self.stream);
    else ncclBroadcast(x, x, 1, ncclInt32, 1, self.comm, self.stream);
  });
  EXPECT_NE(order.find("rank 0 calls ncclAllGather of 1 int32"), std::string::npos) << order;
  EXPECT_NE(order.find("rank 1 calls ncclBroadcast of 1 int32 from root 1"), std::string::npos) << order;
}

// User guide, "Point-to-point communication": "any point-to-point communication needs two NCCL calls"; both ranks that
// send first wait for ever, since a send ends when it was received. Abort frees their streams.
TEST_F(SimulatedNcclMisuse, TwoRanksThatBothSendFirstHangUntilTheyAreAborted) {
  std::vector<int> received(2);
  run_rank_threads(
      2,
      [&](const NcclRank& self) {
        const int peer = 1 - self.rank;
        int *const from = device_values<int>({7}), *const to = device_values<int>({0});
        EXPECT_NCCL(ncclGroupStart());
        EXPECT_NCCL(ncclSend(from, 1, ncclInt32, peer, self.comm, self.stream));
        EXPECT_NCCL(ncclRecv(to, 1, ncclInt32, peer, self.comm, self.stream));
        EXPECT_NCCL(ncclGroupEnd());
        EXPECT_EQ(values_of(to, 1, self.stream)[0], 7);
        EXPECT_CUDA(cudaMemset(to, 0, sizeof(int)));
        EXPECT_NCCL(ncclSend(from, 1, ncclInt32, peer, self.comm, self.stream));
        EXPECT_NCCL(ncclRecv(to, 1, ncclInt32, peer, self.comm, self.stream));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_EQ(cudaStreamQuery(self.stream), cudaErrorNotReady);
        EXPECT_NCCL(ncclCommAbort(self.comm));
        EXPECT_EQ(values_of(to, 1, self.stream)[0], 0);
      },
      false);
}

TEST_F(SimulatedNcclMisuse, CallsFailAsPlanned) {
  fail_call("ncclAllReduce", 2, ncclSystemError);
  const NcclRank alone(0, 1, unique_id(), 0);
  int* const x = device_values<int>({1});
  EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, alone.comm, alone.stream));
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, alone.comm, alone.stream), ncclSystemError);
  EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, alone.comm, alone.stream));
  EXPECT_EQ(calls("ncclAllReduce"), 3);
  alone.leave();
}

TEST_F(SimulatedNcclMisuse, AMissingRankIsAnAsynchronousErrorOnAnotherHost) {
  for (const bool is_apart : {true, false}) {
    const ncclUniqueId id = unique_id();
    std::vector<NcclRank> ranks;
    for (const char* const host : {"a", "b"}) {
      setenv("NCCL_HOSTID", is_apart ? host : "same", 1);
      ranks.emplace_back(static_cast<int>(ranks.size()), 2, id, static_cast<int>(ranks.size()), false);
    }
    unsetenv("NCCL_HOSTID");
    for (const NcclRank& rank : ranks) EXPECT_NCCL(settled(rank.comm));
    EXPECT_NCCL(ncclCommAbort(ranks[1].comm));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(settled(ranks[0].comm), is_apart ? ncclRemoteError : ncclSuccess) << "ranks of one host share memory";
    EXPECT_NCCL(ncclCommAbort(ranks[0].comm));
  }
}

}  // namespace
}  // namespace simulated::nccl_misuse_test
