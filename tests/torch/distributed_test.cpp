#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>

#include <thread>
#include <vector>

namespace minima::distributed_test {
namespace {

TEST(TorchStore, IsSharedThroughAFile) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "store";
  c10d::FileStore one(path, 2), two(path, 2);
  one.set("key", "value");
  EXPECT_EQ(two.get_to_str("key"), "value");
  EXPECT_EQ(one.add("count", 2), 2);
  EXPECT_EQ(two.add("count", 3), 5);
  EXPECT_FALSE(one.check({"key", "other"}));
  EXPECT_THROW(one.wait({"other"}, std::chrono::milliseconds(20)), c10::DistError);
}

/// Calls f(group) for each rank of a group of threads.
template <class F>
void on_all(int size, const F& f) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      c10d::ProcessGroupGloo group(store, rank, size);
      f(group);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(TorchProcessGroup, ReducesGathersAndBroadcasts) {
  on_all(3, [](c10d::ProcessGroup& group) {
    const int rank = group.getRank();
    std::vector<torch::Tensor> sum{torch::full({2, 3}, rank + 1.0).t()};  // not row-major
    group.allreduce(sum)->wait();
    EXPECT_TRUE(torch::equal(sum[0], torch::full({3, 2}, 6.0)));

    std::vector<torch::Tensor> first{torch::full({2}, double(rank))};
    group.broadcast(first, {.rootRank = 2})->wait();
    EXPECT_TRUE(torch::equal(first[0], torch::full({2}, 2.0)));

    std::vector<torch::Tensor> mine{torch::full({2}, double(rank))};
    std::vector<std::vector<torch::Tensor>> all{{torch::zeros(2), torch::zeros(2), torch::zeros(2)}};
    group.allgather(all, mine)->wait();
    EXPECT_TRUE(torch::equal(all[0][1], torch::full({2}, 1.0)));

    std::vector<torch::Tensor> reduced{torch::full({1}, double(rank))};
    group.reduce(reduced, {.reduceOp = c10d::ReduceOp::MAX, .rootRank = 1})->wait();
    EXPECT_EQ(reduced[0].item<float>(), rank == 1 ? 2 : rank);
    group.barrier()->wait();
  });
}

TEST(TorchProcessGroup, OfMpiIsAGroupOfOneWithoutALauncher) {
  const auto group = c10d::ProcessGroupMPI::createProcessGroupMPI();
  EXPECT_EQ(group->getSize(), 1);
  std::vector<torch::Tensor> values{torch::ones({2})};
  EXPECT_TRUE(group->allreduce(values)->wait());
}

}  // namespace
}  // namespace minima::distributed_test
