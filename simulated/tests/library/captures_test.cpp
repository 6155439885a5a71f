#include "simulated/tests/library/library.h"

#include "simulated/machine/report.h"

#include <minima/nn/nn.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>
#include <minima/tensor/zero_memory.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/captured_step/graph_driver.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

// These tests are about the surroundings of a capture: its memory and stream, and what may not be in it.

namespace minima::captures_test {
namespace {

class SimulatedLibraryCaptures : public LibraryOnSimulatedGpus {};

/// A captured step, by hand.
template <class Body>
std::unique_ptr<train::GraphDriver::Graph> capture(Device device, int pool, const Body& body) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(device);
  driver.begin(device, pool);
  {
    const detail::CaptureScope scope(device);
    body();
  }
  auto graph = driver.end(device);
  driver.leave(device);
  return graph;
}

int* data_of(const Tensor& x) { return static_cast<int*>(x.raw_data()); }
Tensor ints(std::int64_t count, Device device = first_gpu) {
  return empty({count}, {.dtype = DType::int32, .device = device});
}
Tensor filled(std::int64_t count, int value) {
  const Tensor x = ints(count, Device::cpu());
  std::fill_n(data_of(x), count, value);
  return x;
}
constexpr std::int64_t gib = std::int64_t{1} << 28;  // of int32

/// Its pool takes over the pages that the warm-up has just freed.
TEST_F(SimulatedLibraryCaptures, AStepThatFillsTheDeviceIsCaptured) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(second_gpu);
  const std::int64_t before = memory_stats(second_gpu).reserved;
  {
    const Tensor x = ints(8 * gib, second_gpu);
    launch_on(second_gpu, store_kernel, data_of(x), 1);
  }
  driver.leave(second_gpu);
  const auto graph = capture(second_gpu, 20, [] { ints(8 * gib, second_gpu); });
  EXPECT_LE((memory_stats(second_gpu).reserved - before) >> 30, 9) << "twice as much as one step needs";
  driver.release_pool(second_gpu, 20);
  synchronize(second_gpu);
}

TEST_F(SimulatedLibraryCaptures, RecapturingNeedsNoMoreAddresses) {
  const auto reservations = [] {
    return simulated::calls("cuMemAddressReserve") - simulated::calls("cuMemAddressFree");
  };
  std::int64_t after_second = 0;
  for (int pool = 30; pool < 40; ++pool) {
    capture(first_gpu, pool, [] { ints(1 << 20); });
    train::cuda_graphs().release_pool(first_gpu, pool);
    if (pool == 31) after_second = reservations();
  }
  EXPECT_EQ(reservations(), after_second);
}

/// The graph still writes what a fork inside it allocated.
TEST_F(SimulatedLibraryCaptures, MemoryOfAForkIsPrivate) {
  int* const host = pinned_ints(1);
  const Stream side = Stream::create(first_gpu);
  const auto graph = capture(first_gpu, 50, [&] {
    const Stream origin = current_stream(first_gpu);
    side.wait(origin);
    {
      const StreamGuard guard(side);
      const Tensor x = ints(1 << 20);
      launch_on(first_gpu, store_kernel, data_of(x), 9);
    }
    origin.wait(side);
  });
  EXPECT_EQ(failures([&] {
              const StreamGuard guard(side);
              const Tensor mine = ints(1 << 20);
              launch_on(first_gpu, store_kernel, data_of(mine), 7);
              graph->replay();
              side.synchronize();
              launch_on(first_gpu, load_kernel, host, data_of(mine));
              side.synchronize();
              return *host == 7;
            }),
            0);
}

/// More streams than Stream::create has.
TEST_F(SimulatedLibraryCaptures, NoOtherWorkSharesTheStreamOfACapture) {
  train::GraphDriver& driver = train::cuda_graphs();
  driver.enter(first_gpu);
  const Stream captured = current_stream(first_gpu);
  driver.leave(first_gpu);
  for (int i = 0; i < 64; ++i) EXPECT_FALSE(Stream::create(first_gpu) == captured);
  std::thread([&] {
    driver.enter(first_gpu);
    EXPECT_FALSE(current_stream(first_gpu) == captured);
    driver.leave(first_gpu);
  }).join();
}

TEST_F(SimulatedLibraryCaptures, AnAsynchronousFetchIsRefused) {
  const Tensor x = ints(1);
  EXPECT_NO_THROW(capture(first_gpu, 51, [&] {
    Event done;
    EXPECT_THROW(fetch_async(x, done), CaptureError);
  }));
}

void capture_and_exit() {
  const Tensor x = ints(1);
  int* const host = pinned_ints(1);
  try {
    const auto graph = capture(first_gpu, 52, [&] {
      const Tensor inside = ints(100);
      launch_on(first_gpu, store_kernel, data_of(x), 7);
    });
    graph->replay();
    launch_on(first_gpu, load_kernel, host, data_of(x));
    synchronize(first_gpu);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
  }
  std::exit(*host);
}

TEST_F(SimulatedLibraryCaptures, BlockingLaunchesDoNotBlockACapture) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("MINIMA_LAUNCH_BLOCKING", "1", 1);
        capture_and_exit();
      },
      ::testing::ExitedWithCode(7), "");
}

struct Counter : nn::Module {
  nn::Buffer count = buffer("count", detail::zeroed({1}, {.dtype = DType::int32, .device = first_gpu}));
  Tensor forward(const Tensor& x) override { return x; }
};

/// A step that adds the first int of its input to module.count, which replays do too.
std::unique_ptr<train::CapturedStep> counting_step(Counter& module) {
  auto step = std::make_unique<train::CapturedStep>(
      [&module](const std::vector<Tensor>& inputs) {
        const auto add = [](int* to, const int* from) { *to += *from; };
        const Tensor x = inputs[0].device().is_cpu() ? detail::on_device(inputs[0], first_gpu) : inputs[0];
        launch_on(first_gpu, static_cast<void (*)(int*, const int*)>(add), data_of(module.count), data_of(x));
        return std::vector<Tensor>();
      },
      train::CaptureOptions{.warmup = 1});
  step->watch(module);
  return step;
}
int count_of(const Counter& module) { return module.count.to_vector<std::int32_t>()[0]; }

TEST_F(SimulatedLibraryCaptures, AStepThatCannotBeginIsTriedAgain) {
  Counter module;
  const auto step = counting_step(module);
  const Tensor one = filled(1, 1);
  step->call({one});
  for (const char* call : {"cudaStreamBeginCapture", "cudaMemcpyAsync", "cudaStreamWaitEvent"}) {
    simulated::fail_call(call, 1, cudaErrorUnknown);
    EXPECT_THROW(step->call({one}), Error) << call;
  }
  EXPECT_NO_THROW(step->call({one}));
  EXPECT_EQ(step->counts().captured, 1) << step->reason();
  EXPECT_EQ(count_of(module), 2);
}

/// From memory that is not pinned CUDA would copy only after all earlier work: host and GPU would take turns.
TEST_F(SimulatedLibraryCaptures, ABatchFromTheCpuIsCopiedWithoutAWait) {
  Counter module;
  const auto step = counting_step(module);
  int expected = 0;
  const auto run = [&](int value) {
    step->call({filled(1 << 16, value)});
    expected += value;
  };
  for (int i = 0; i < 3; ++i) run(i);
  const std::int64_t before = simulated::host_costs().pageable_copies;
  int unfinished = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    simulated::reseed(seed);
    for (int i = 0; i < 4; ++i) run(static_cast<int>(seed) + i);
    unfinished += simulated::pending() > 6;
    ASSERT_EQ(count_of(module), expected) << "seed " << seed;
  }
  EXPECT_EQ(simulated::host_costs().pageable_copies, before);
  EXPECT_GT(unfinished, 10);
}

}  // namespace
}  // namespace minima::captures_test
