#include "simulated/tests/libraries/nccl.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace simulated::nccl_processes_test {
namespace {

/// Calls body(rank, unique id) in a process for each rank; each has its own machine. How many ended well.
int run_rank_processes(int size, const std::function<bool(int, const ncclUniqueId&)>& body) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      restart("4xH100", 1 + static_cast<std::uint64_t>(rank));
      ncclUniqueId id;
      if (rank == 0) {
        id = unique_id();
        for (int other = 1; other < size; ++other)
          if (write(pipe_ends[1], &id, sizeof id) != sizeof id) _exit(3);
      } else if (read(pipe_ends[0], &id, sizeof id) != sizeof id) {
        _exit(3);
      }
      const bool is_well = body(rank, id) && !::testing::Test::HasFailure();
      _exit(is_well ? 0 : 1);
    }
    children.push_back(child);
  }
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  int count = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    count += WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return count;
}

TEST(SimulatedNcclProcesses, Communicate) {
  const int well = run_rank_processes(4, [](int rank, const ncclUniqueId& id) {
    const NcclRank self(rank, 4, id, rank);
    const std::size_t count = 1 << 18;
    float* const x = device_values(std::vector<float>(count, static_cast<float>(rank)));
    for (int i = 0; i < 3; ++i) EXPECT_NCCL(ncclAllReduce(x, x, count, ncclFloat32, ncclAvg, self.comm, self.stream));
    EXPECT_EQ(values_of(x, count, self.stream), std::vector<float>(count, 1.5f));
    self.leave();
    return true;
  });
  EXPECT_EQ(well, 4);
}

TEST(SimulatedNcclProcesses, OfOneHostNeedAGpuEach) {
  const int well = run_rank_processes(2, [](int rank, const ncclUniqueId& id) {
    const NcclRank self(rank, 2, id, 0, false);
    EXPECT_EQ(settled(self.comm), ncclInvalidUsage);
    return true;
  });
  EXPECT_EQ(well, 2);
}

TEST(SimulatedNcclProcesses, ADeadProcessIsAnAsynchronousErrorOnAnotherHost) {
  for (const int victim : {0, 1}) {
    const int well = run_rank_processes(2, [victim](int rank, const ncclUniqueId& id) {
      setenv("NCCL_HOSTID", std::to_string(rank).c_str(), 1);
      const NcclRank self(rank, 2, id, 0);
      int* const x = device_values<int>({1});
      EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
      EXPECT_EQ(values_of(x, 1, self.stream)[0], 2);
      if (rank == victim) {
        usleep(100'000);
        raise(SIGKILL);
      }
      EXPECT_NCCL(ncclAllReduce(x, x, 1, ncclInt32, ncclSum, self.comm, self.stream));
      ncclResult_t state = ncclSuccess;
      while (state == ncclSuccess) EXPECT_NCCL(ncclCommGetAsyncError(self.comm, &state));
      EXPECT_EQ(state, ncclRemoteError);
      EXPECT_EQ(cudaStreamQuery(self.stream), cudaErrorNotReady);
      EXPECT_NCCL(ncclCommAbort(self.comm));
      EXPECT_CUDA(cudaStreamSynchronize(self.stream));
      return true;
    });
    EXPECT_EQ(well, 1);
  }
}

}  // namespace
}  // namespace simulated::nccl_processes_test
