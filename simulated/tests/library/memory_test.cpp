#include "simulated/tests/library/library.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>

#include <cstdlib>
#include <thread>

namespace minima::memory_test {
namespace {

class SimulatedLibraryMemory : public LibraryOnSimulatedGpus {};

constexpr std::int64_t mib = std::int64_t{1} << 18;  // of float32

/// The driver may have no memory for its own tables, or fail in the middle of a block.
TEST_F(SimulatedLibraryMemory, AFailedMappingIsUndone) {
  {
    const Tensor x = empty({1}, {.dtype = DType::int32, .device = first_gpu});
    launch_on(first_gpu, store_kernel, static_cast<int*>(x.raw_data()), 1);  // loads the kernel's code
    synchronize(first_gpu);
  }
  empty_cache(first_gpu);
  const std::size_t before = simulated::alive().bytes;
  for (const char* call : {"cuMemCreate", "cuMemMap", "cuMemSetAccess"})
    for (const int error : {2, 999})
      for (const int n : {1, 3}) {
        empty_cache(first_gpu);
        simulated::fail_call(call, n, error);
        try {
          const Tensor x = empty({8 * mib}, {.device = first_gpu});
          const Tensor y = empty({40 * mib}, {.device = first_gpu});
          const Tensor z = empty({200 * mib}, {.device = first_gpu});
          EXPECT_EQ(error, 2) << call << ": one refusal, and the allocator tries again";
        } catch (const OutOfMemoryError& thrown) {
          ADD_FAILURE() << thrown.what();
        } catch (const Error& thrown) {
          EXPECT_EQ(error, 999);
          EXPECT_NE(std::string(thrown.what()).find(call), std::string::npos) << thrown.what();
        }
        const Tensor again = empty({250 * mib}, {.device = first_gpu});
        launch_on(first_gpu, store_kernel, static_cast<int*>(again.raw_data()), 1);
        synchronize(first_gpu);
      }
  empty_cache(first_gpu);
  EXPECT_EQ(simulated::alive().bytes, before);
}

/// Works with memory whose driver refuses something, says how, and exits with 0 if all is well.
[[noreturn]] void exit_after_work(const char* refuses, bool has_pages) {
  setenv("MINIMA_SIMULATED_VMM", refuses, 1);
  bool is_right = true;
  for (int i = 0; i < 2; ++i) {
    const Tensor x = empty({40 * mib}, {.dtype = DType::int32, .device = first_gpu});
    launch_on(first_gpu, store_kernel, static_cast<int*>(x.raw_data()), 5);
    is_right = is_right && x[0].item<std::int32_t>() == 5;
  }
  is_right = is_right && simulated::alive().exportable == 0;
  is_right = is_right && (simulated::calls("cuMemMap") > 2) == has_pages;
  empty_cache(first_gpu);
  is_right = is_right && memory_stats(first_gpu).reserved == 0;
  std::exit(is_right ? 0 : 1);
}

TEST_F(SimulatedLibraryMemory, ADriverThatRefusesWhatItPromisesGivesPlainPages) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_work("plain", true), ::testing::ExitedWithCode(0),
              "minima: cuda:0: the driver refuses memory that other processes and network cards can open .CUDA driver: "
              "cuMemSetAccess.*NCCL will copy");
}

TEST_F(SimulatedLibraryMemory, ADriverThatCreatesNoPagesGivesWholeSegments) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_work("none", false), ::testing::ExitedWithCode(0),
              "minima: cuda:0: the driver refuses virtual memory .CUDA driver: cuMemCreate.*MINIMA_NO_VMM=1");
}

/// Each page is a handle to create and one to map, which take the driver tens of microseconds: a large GPU has larger
/// pages.
TEST_F(SimulatedLibraryMemory, AGibibyteOfAnH100IsAFewHundredPages) {
  empty({1}, {.device = first_gpu});
  empty_cache(first_gpu);
  for (const char* call : {"cuMemCreate", "cuMemMap"}) {
    const std::int64_t before = simulated::calls(call);
    empty({1024 * mib}, {.device = first_gpu});
    EXPECT_EQ(simulated::calls(call) - before, 256) << call;
    empty_cache(first_gpu);
  }
}

/// NCCL registers only memory that others can open, and copies the rest through buffers.
TEST_F(SimulatedLibraryMemory, OtherProcessesAndNetworkCardsCanOpenIt) {
  const Tensor x = empty({64 * mib}, {.device = first_gpu});
  EXPECT_EQ(simulated::alive().exportable,
            static_cast<std::size_t>(memory_stats(first_gpu).reserved + memory_stats(second_gpu).reserved));
}

/// A thread that only allocates, such as the loader's.
TEST_F(SimulatedLibraryMemory, AThreadThatOnlyAllocatesHasAContext) {
  empty({1}, {.device = first_gpu});  // makes the allocator
  empty_cache(first_gpu);
  std::thread([] { EXPECT_NO_THROW(empty({64 * mib}, {.device = first_gpu})); }).join();
}

TEST_F(SimulatedLibraryMemory, AValueIsReadThroughPinnedMemory) {
  const Tensor x = empty({4}, {.dtype = DType::int32, .device = first_gpu});
  const std::int64_t before = simulated::host_costs().pageable_copies;
  int value = 0;
  EXPECT_EQ(failures([&] {
              launch_on(first_gpu, store_kernel, static_cast<int*>(x.raw_data()), ++value);
              return x.to_vector<std::int32_t>()[0] == value;
            }),
            0);
  EXPECT_EQ(simulated::host_costs().pageable_copies, before);
}

}  // namespace
}  // namespace minima::memory_test
