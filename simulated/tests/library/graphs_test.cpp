#include "simulated/tests/library/library.h"

#include "simulated/machine/report.h"

#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/train/captured_step/graph_driver.h>

#include <memory>
#include <thread>

namespace minima::graphs_test {
namespace {

class SimulatedLibraryGraphs : public LibraryOnSimulatedGpus {};

void increment_kernel(int* x) { ++*x; }

/// A captured step that adds 1 to *x.
std::unique_ptr<train::GraphDriver::Graph> captured(Device device, int pool, int* x) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(device);
  driver.begin(device, pool);
  launch_on(device, increment_kernel, x);
  auto graph = driver.end(device);
  driver.leave(device);
  return graph;
}

TEST_F(SimulatedLibraryGraphs, AStepIsReplayed) {
  int* const host = pinned_ints(1);
  const auto graph = captured(first_gpu, 1, host);
  synchronize(first_gpu);
  EXPECT_EQ(*host, 0) << "captured, not run";
  graph->replay();
  graph->replay();
  synchronize(first_gpu);
  EXPECT_EQ(*host, 2);
}

/// One thread that captures on two devices.
TEST_F(SimulatedLibraryGraphs, AStepOfAnotherDeviceIsReplayed) {
  int* const host = pinned_ints(2);
  const auto first = captured(first_gpu, 2, host);
  const auto second = captured(second_gpu, 3, host + 1);
  for (const Device device : {first_gpu, second_gpu}) synchronize(device);
  EXPECT_EQ(host[1], 0) << "captured, not run";
  second->replay();
  for (const Device device : {first_gpu, second_gpu}) synchronize(device);
  EXPECT_EQ(host[1], 1);
}

TEST_F(SimulatedLibraryGraphs, AGraphIsDestroyedAfterItsLastReplay) {
  int* const host = pinned_ints(1);
  const simulated::CaughtReports caught;
  failures([=] {
    captured(first_gpu, 4, host)->replay();
    return true;
  });
  EXPECT_EQ(caught.count(), 0u);
}

TEST_F(SimulatedLibraryGraphs, AGraphIsDestroyedAfterItsLastReplayOnAnotherStream) {
  int* const host = pinned_ints(1);
  const simulated::CaughtReports caught;
  const Stream side = Stream::create(first_gpu);
  failures([=] {
    const auto graph = captured(first_gpu, 4, host);
    const StreamGuard guard(side);  // ends before the graph
    graph->replay();
    return true;
  });
  EXPECT_EQ(caught.count(), 0u);
}

TEST_F(SimulatedLibraryGraphs, AGraphOfAnotherDeviceIsDestroyedAfterItsLastReplay) {
  int* const host = pinned_ints(1);
  const simulated::CaughtReports caught;
  std::thread([=] {  // so that this device's is the thread's first capture
    failures([=] {
      const auto graph = captured(second_gpu, 5, host);
      const DeviceGuard guard(second_gpu);
      graph->replay();
      return true;
    });
  })
      .join();
  EXPECT_EQ(caught.count(), 0u);
}

TEST_F(SimulatedLibraryGraphs, MemoryMayGrowInACapture) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(first_gpu);
  driver.begin(first_gpu, 6);
  EXPECT_NO_THROW(empty({1 << 20}, {.device = first_gpu}));
  EXPECT_NO_THROW(driver.end(first_gpu));
  driver.leave(first_gpu);
}

TEST_F(SimulatedLibraryGraphs, PinnedMemoryMayGrowInACapture) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(first_gpu);
  driver.begin(first_gpu, 7);
  EXPECT_NO_THROW(empty_pinned(Layout::contiguous({1 << 20}), DType::float32));
  EXPECT_NO_THROW(driver.end(first_gpu));
  driver.leave(first_gpu);
}

}  // namespace
}  // namespace minima::graphs_test
