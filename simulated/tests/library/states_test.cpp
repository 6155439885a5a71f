#include "simulated/tests/library/library.h"
#include "tests/support/temporary_folder.h"

#include <minima/nn/layers/linear.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/run/run.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::states_test {
namespace {

class SimulatedLibraryStates : public LibraryOnSimulatedGpus {
 protected:
  void TearDown() override { empty_cache(first_gpu); }
};

std::vector<float> values(const nn::Linear& net) { return net.weight.detach().to(Device::cpu()).to_vector<float>(); }

// States go through the host: no device memory is allocated for them, however little of it is left.
TEST_F(SimulatedLibraryStates, AreSavedAndResumedOnAGpuThatIsNearlyFull) {
  const test::TemporaryFolder folder;
  manual_seed(1);
  nn::Linear net({.in = 256, .out = 256});
  net.to(first_gpu);
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-2});
  const Tensor x = randn({8, 256}, {.device = first_gpu});
  const auto train = [&] {
    optimizer.zero_grad();
    const Tensor loss = mean(square(net(x)));
    loss.backward();
    optimizer.step();
  };
  train();
  const auto begin = [&](train::Run& run) { run.add("net", net), run.add("optimizer", optimizer); };
  train::Run run(folder / "run", {.every = 0});
  begin(run);
  run.resume();

  const std::int64_t gib = std::int64_t{1} << 28;  // of float32; the GPU has 80 GiB
  const Tensor most = empty({76 * gib}, {.device = first_gpu});
  EXPECT_THROW(empty({5 * gib}, {.device = first_gpu}), OutOfMemoryError);
  synchronize(first_gpu);

  std::int64_t before = memory_stats(first_gpu).allocations;
  run.save();
  run.step();
  const std::vector<float> saved = values(net);
  EXPECT_EQ(memory_stats(first_gpu).allocations, before) << "while saving";
  EXPECT_EQ(run.finish(), 0);

  train();
  EXPECT_NE(values(net), saved);
  train::Run again(folder / "run", {.every = 0});
  begin(again);
  before = memory_stats(first_gpu).allocations;
  EXPECT_TRUE(again.resume());
  EXPECT_EQ(memory_stats(first_gpu).allocations, before) << "while resuming";
  EXPECT_EQ(values(net), saved);
}

}  // namespace
}  // namespace minima::states_test
