#include <minima/distributed/board.h>
#include <minima/distributed/in_process.h>
#include <minima/io/states/state_folder.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/names/named_state.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/storage/allocator.h>

#include "tests/support/gpu_test.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <thread>

namespace minima::board_test {
namespace {

using distributed::ProcessGroup;
using test::TemporaryFolder;

TEST(Board, IsSharedByTheRanksOfAGroupAndNoOtherGroup) {
  const std::vector<ProcessGroup> groups = distributed::in_process_groups(3);
  const auto first = distributed::detail::board(groups[0]), last = distributed::detail::board(groups[2]);
  EXPECT_EQ(last->rank(), 2);
  EXPECT_EQ(last->size(), 3);
  EXPECT_FALSE(last->get("key"));
  first->set("key", "one");
  EXPECT_EQ(last->get("key"), "one");
  last->set("key", "two");
  EXPECT_EQ(distributed::detail::board(groups[1])->get("key"), "two") << "every board of the group is the same";
  EXPECT_FALSE(distributed::detail::board(distributed::in_process_groups(3)[0])->get("key"));
  std::vector<std::thread> threads;
  for (const int rank : {0, 2})
    threads.emplace_back([&, rank] {
      const ProcessGroup part = groups[static_cast<std::size_t>(rank)].subgroup({0, 2});
      const auto board = distributed::detail::board(part);
      EXPECT_EQ(board->size(), 2);
      EXPECT_FALSE(board->get("key"));
    });
  for (std::thread& thread : threads) thread.join();
  const auto alone = distributed::detail::board(ProcessGroup());
  EXPECT_EQ(alone->size(), 1);
  alone->set("key", "mine");
  EXPECT_EQ(alone->get("key"), "mine");
}

class GpuStates : public test::GpuTest {};

/// A parameter on the GPU with Adam's state.
struct OnGpu {
  OnGpu() : weight(full({300, 1001}, 2, {.device = Device::cuda(0)}).requires_grad(true)), adam({weight}, {.lr = 0.1}) {
    adam.name_parameters(std::vector<State::NamedTensor>{{"weight", weight}});
  }
  void step() {
    sum(weight * weight).backward();
    adam.step();
    adam.zero_grad();
  }
  StateParts parts() const {
    const optim::BorrowState guard;
    StateParts parts;
    parts.replicated.add("model.weight", weight.detach());
    parts.replicated.add("optimizer", optim::named_state(adam));
    return parts;
  }
  Tensor weight;
  optim::Adam adam;
};

TEST_F(GpuStates, AreSavedWithoutMemoryOfTheDeviceAndFromPinnedMemory) {
  const TemporaryFolder folder;
  OnGpu training;
  training.step();
  const std::vector<float> before = training.weight.to_vector<float>();
  StateFolder states(folder.path());
  for (const bool synchronous : {false, true}) {
    const StateParts parts = training.parts();
    const std::int64_t pinned = pinned_memory_stats().allocations;
    const std::int64_t allocations = memory_stats(Device::cuda(0)).allocations;
    states.save(synchronous ? 2 : 1, parts, {.synchronous = synchronous});
    EXPECT_TRUE(states.wait().saved) << states.poll().error;
    EXPECT_EQ(memory_stats(Device::cuda(0)).allocations, allocations) << "synchronous: " << synchronous;
    EXPECT_GT(pinned_memory_stats().allocations, pinned);
  }
  training.step();
  for (const int step : {1, 2}) {
    const SavedState saved = states.load(step);
    EXPECT_EQ(saved.replicated("model").tensor("weight").to_vector<float>(), before);
    OnGpu resumed;
    const std::int64_t allocations = memory_stats(Device::cuda(0)).allocations;
    saved.read("model.weight", resumed.weight);
    EXPECT_EQ(memory_stats(Device::cuda(0)).allocations, allocations);
    optim::load_named_state(resumed.adam, saved.replicated("optimizer"));
    resumed.step();
    EXPECT_EQ(resumed.weight.to_vector<float>(), training.weight.to_vector<float>());
  }
}

}  // namespace
}  // namespace minima::board_test
