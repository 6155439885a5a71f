#include "simulated/tests/library/library.h"

#include <minima/ops/creation/random.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>
#include <minima/tensor/transfer.h>

#include <vector>

namespace minima::streams_test {
namespace {

class SimulatedLibrary : public LibraryOnSimulatedGpus {};

TEST_F(SimulatedLibrary, AStreamIsSynchronised) {
  int* const host = pinned_ints(1);
  EXPECT_EQ(failures([=] {
              *host = 0;
              launch_on(first_gpu, store_kernel, host, 7);
              current_stream(first_gpu).synchronize();
              return *host == 7;
            }),
            0);
}

TEST_F(SimulatedLibrary, AStreamOfAnotherDeviceIsSynchronised) {
  int* const host = pinned_ints(1);
  EXPECT_EQ(failures([=] {
              *host = 0;
              launch_on(second_gpu, store_kernel, host, 7);
              current_stream(second_gpu).synchronize();
              return *host == 7;
            }),
            0);
}

TEST_F(SimulatedLibrary, AStreamOfAnotherDeviceIsIdleOnlyAfterItsWork) {
  int* const host = pinned_ints(1);
  EXPECT_EQ(failures([=] {
              *host = 0;
              launch_on(second_gpu, store_kernel, host, 7);
              while (!current_stream(second_gpu).is_idle()) {}
              return *host == 7;
            }),
            0);
}

/// A rank's compute stream does this with a collective, and the loader with a batch.
TEST_F(SimulatedLibrary, AStreamOfAnotherDeviceWaitsForAnEvent) {
  int* const host = pinned_ints(2);
  const Stream side = Stream::create(second_gpu);
  EXPECT_EQ(failures([=] {
              host[0] = host[1] = 0;
              Event done;
              {
                const StreamGuard guard(side);
                launch_on(second_gpu, store_kernel, host, 7);
                done.record(side);
              }
              current_stream(second_gpu).wait(done);
              launch_on(second_gpu, load_kernel, host + 1, host);
              synchronize(second_gpu);
              return host[1] == 7;
            }),
            0);
}

Tensor ints_on(Device device) { return empty({1}, {.dtype = DType::int32, .device = device}); }
int* data_of(const Tensor& x) { return static_cast<int*>(x.raw_data()); }

TEST_F(SimulatedLibrary, ACopyBetweenDevicesIsInTheOrderOfBothStreams) {
  const Tensor x = ints_on(first_gpu), y = ints_on(second_gpu);
  int* const host = pinned_ints(1);
  int value = 0;
  EXPECT_EQ(failures([&] {
              ++value;
              launch_on(first_gpu, store_kernel, data_of(x), value);
              detail::gpu_copy(data_of(y), second_gpu, data_of(x), first_gpu, 4, x.impl()->storage.get());
              launch_on(first_gpu, store_kernel, data_of(x), -1);  // only after it has been copied
              launch_on(second_gpu, load_kernel, host, data_of(y));
              synchronize(second_gpu);
              return *host == value;
            }),
            0);
}

/// The memory of a tensor that another stream reads goes to other tensors only after that, if it was handed over.
TEST_F(SimulatedLibrary, HandedOverMemoryOutlivesItsReader) {
  int* const host = pinned_ints(1);
  const Stream side = Stream::create(first_gpu);
  const auto failures_with = [&](bool hands_over) {
    return failures([=] {
      {
        const Tensor x = ints_on(first_gpu);
        launch_on(first_gpu, store_kernel, data_of(x), 7);
        Event made;
        made.record(current_stream(first_gpu));
        side.wait(made);
        const StreamGuard guard(side);
        launch_on(first_gpu, load_kernel, host, data_of(x));
        if (hands_over) hand_over(x, side);
      }
      const Tensor next = ints_on(first_gpu);
      launch_on(first_gpu, store_kernel, data_of(next), 9);
      side.synchronize();
      return *host == 7;
    });
  };
  EXPECT_EQ(failures_with(true), 0);
  EXPECT_GT(failures_with(false), 0) << "the missing hand_over shows";
}

TEST_F(SimulatedLibrary, AnAsynchronousFetchIsThereWhenItsEventIs) {
  const Tensor x = ints_on(second_gpu);
  const Tensor host = empty_pinned(Layout::contiguous({1}), DType::int32);
  int value = 0;
  EXPECT_EQ(failures([&] {
              launch_on(second_gpu, store_kernel, data_of(x), ++value);
              Event done;
              detail::fetch_into(x, host, done);
              done.synchronize();
              return *data_of(host) == value;
            }),
            0);
}

/// A process that computes on one GPU has a context there only: each takes half a gigabyte.
TEST_F(SimulatedLibrary, AProcessOnOneGpuHasOneContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Tensor x = ints_on(second_gpu);
        launch_on(second_gpu, store_kernel, data_of(x), 1);
        synchronize(second_gpu);
        std::exit(simulated::contexts());
      },
      ::testing::ExitedWithCode(1), "");
}

/// Whichever GPU the thread uses.
TEST_F(SimulatedLibrary, RandomNumbersAreDrawnOnTheirTensorsGpu) {
  const DeviceGuard guard(first_gpu);
  const auto drawn = [](Device device) {
    RandomGenerator generator(7);
    return randn({300}, {.device = device}, &generator).to_vector<float>();
  };
  EXPECT_EQ(drawn(second_gpu), drawn(first_gpu));
}

}  // namespace
}  // namespace minima::streams_test
