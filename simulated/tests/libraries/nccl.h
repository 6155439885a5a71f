#pragma once

#include "simulated/tests/simulated.h"

#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace simulated {

inline void expect_success(ncclResult_t result, const char* call) {
  EXPECT_EQ(result, ncclSuccess) << call << ": " << ncclGetErrorString(result);
}
#define EXPECT_NCCL(call) expect_success(call, #call)

inline ncclUniqueId unique_id() {
  ncclUniqueId id;
  EXPECT_NCCL(ncclGetUniqueId(&id));
  return id;
}

/// The state of the communicator when nothing is in progress any more; ncclInProgress after ten seconds.
inline ncclResult_t settled(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  for (int i = 0; i < 10000 && state == ncclInProgress; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NCCL(ncclCommGetAsyncError(comm, &state));
  }
  return state;
}

/// One rank: a communicator on the GPU of its number, and a stream.
struct NcclRank {
  int rank = 0, size = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  NcclRank(int rank, int size, const ncclUniqueId& id, int device, bool blocking = true) : rank(rank), size(size) {
    EXPECT_CUDA(cudaSetDevice(device));
    stream = new_stream();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = blocking;
    const ncclResult_t result = ncclCommInitRankConfig(&comm, size, id, rank, &config);
    EXPECT_EQ(result, blocking ? ncclSuccess : ncclInProgress);
  }
  void leave() const {
    EXPECT_NCCL(ncclCommFinalize(comm));
    EXPECT_NCCL(ncclCommDestroy(comm));
  }
};

/// Calls body(rank) in a thread for each rank, on its own GPU, with a blocking communicator.
inline void run_rank_threads(int size, const std::function<void(const NcclRank&)>& body, bool leaves = true) {
  const ncclUniqueId id = unique_id();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      const NcclRank member(rank, size, id, rank);
      body(member);
      if (leaves) member.leave();
    });
  for (std::thread& thread : threads) thread.join();
}

/// Device memory with these values.
template <class T> T* device_values(const std::vector<T>& values) {
  void* pointer = nullptr;
  EXPECT_CUDA(cudaMalloc(&pointer, values.size() * sizeof(T)));
  EXPECT_CUDA(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(pointer);
}
/// The values that the stream leaves there.
template <class T> std::vector<T> values_of(const T* pointer, std::size_t count, cudaStream_t stream) {
  std::vector<T> values(count);
  EXPECT_CUDA(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace simulated
