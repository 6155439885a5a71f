#pragma once

#include "simulated/tests/library/library.h"
#include "tests/distributed/processes.h"

#include <minima/distributed/distributed.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace minima {

/// Four ranks of one process, each with its own GPU, and NCCL between them.
class DistributedOnSimulatedGpus : public LibraryOnSimulatedGpus {
 protected:
  static void SetUpTestSuite() { setenv("MINIMA_SIMULATED_GPUS", "4xH100", 1); }

  using Body = std::function<void(const distributed::ProcessGroup& group, Device device)>;

  /// Calls body in a thread for each rank. What each threw; empty for those that returned.
  static std::vector<std::string> run_ranks(int count, const Body& body, double timeout = 20) {
    const int port = test::free_port();
    std::vector<std::string> said(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] {
        const Device device = Device::cuda(rank);
        try {
          body(distributed::init({.rank = rank,
                                  .world_size = count,
                                  .local_rank = rank,
                                  .local_world_size = count,
                                  .port = port,
                                  .token = "test"},
                                 {.backend = "nccl", .device = device, .timeout = timeout}),
               device);
        } catch (const std::exception& error) {
          said[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
    return said;
  }

  static void expect_all_well(const std::vector<std::string>& said) {
    for (std::size_t rank = 0; rank < said.size(); ++rank) EXPECT_EQ(said[rank], "") << "rank " << rank;
  }
};

}  // namespace minima
