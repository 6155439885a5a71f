#include "simulated/tests/library/library.h"

#include <minima/data/loader/loader.h>
#include <minima/data/loader/transfer.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/tensor.h>
#include <minima/train/captured_step/graph_driver.h>

#include <array>
#include <vector>

namespace minima::loader_test {
namespace {

class SimulatedLibraryLoader : public LibraryOnSimulatedGpus {};

int* data_of(const Tensor& x) { return static_cast<int*>(x.raw_data()); }

/// Batches of one tensor of 1 to 7 times 1,000 ints, all equal to the batch's first index.
struct Ragged {
  std::int64_t size() const { return 64; }
  std::array<Tensor, 1> fetch(std::span<const std::int64_t> indices, const data::FetchContext& context) const {
    const std::int64_t count = 1000 * (1 + indices[0] * 5 % 7);
    const Layout layout = Layout::contiguous({count});
    std::array<Tensor, 1> batch{context.pinned ? empty_pinned(layout, DType::int32)
                                               : empty(layout, {.dtype = DType::int32})};
    for (std::int64_t i = 0; i < count; ++i) data_of(batch[0])[i] = static_cast<int>(indices[0]);
    return batch;
  }
};

/// Copies what it reads to the host, so that wrong orders show.
template <class Loader>
bool epoch_is_right(Loader& loader, int* host) {
  bool right = true;
  int expected = 0;
  for (auto& [x] : loader) {
    const int last = static_cast<int>(x.numel()) - 1;
    launch_on(first_gpu, load_kernel, host + expected, data_of(x) + last);
    launch_on(first_gpu, store_kernel, data_of(x) + last, -1);
    ++expected;
  }
  synchronize(first_gpu);
  for (int i = 0; i < expected; ++i) right &= host[i] == i;
  return right && expected == 64;
}

TEST_F(SimulatedLibraryLoader, BatchesOfAllShapesUseTheSameMemory) {
  int* const host = pinned_ints(64);
  data::DataLoader loader(Ragged{}, {.workers = 2, .device = first_gpu});
  EXPECT_TRUE(epoch_is_right(loader, host));
  EXPECT_TRUE(epoch_is_right(loader, host));
  const std::int64_t before = memory_stats(first_gpu).allocations;
  const simulated::HostCosts costs = simulated::host_costs();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    simulated::reseed(seed);
    EXPECT_TRUE(epoch_is_right(loader, host)) << "seed " << seed;
  }
  EXPECT_EQ(memory_stats(first_gpu).allocations, before) << "each would make the copies wait for all computation";
  EXPECT_EQ(simulated::host_costs().spinning_waits, costs.spinning_waits) << "a core is lost";
  EXPECT_EQ(simulated::host_costs().pageable_copies, costs.pageable_copies);
}

TEST_F(SimulatedLibraryLoader, LoadersGiveTheirStreamsBack) {
  { data::make_transfer(first_gpu, 2); }
  const std::int64_t before = simulated::calls("cudaStreamCreateWithPriority");
  for (int i = 0; i < 100; ++i) data::make_transfer(first_gpu, 2);
  EXPECT_EQ(simulated::calls("cudaStreamCreateWithPriority"), before);
}

/// A step that warms up on the capture stream drops a tensor of the default stream; the loader's thread may get its
/// memory, and must not copy into it before the step has read it.
TEST_F(SimulatedLibraryLoader, CopiesWaitForAStepThatWarmsUp) {
  int* const host = pinned_ints(1);
  const Tensor nines = empty_pinned(Layout::contiguous({1 << 20}), DType::int32);
  for (int i = 0; i < 1 << 20; ++i) data_of(nines)[i] = 9;
  train::GraphDriver& driver = train::cuda_graphs();
  const Ref<data::Transfer> transfer = data::make_transfer(first_gpu, 1);
  transfer->acquire_slot(0);
  EXPECT_EQ(failures([&] {
              Tensor x = empty({1 << 20}, {.dtype = DType::int32, .device = first_gpu});
              launch_on(first_gpu, store_kernel, data_of(x), 7);
              driver.enter(first_gpu);
              launch_on(first_gpu, load_kernel, host, data_of(x));
              x = Tensor();
              const Tensor y = transfer->allocate({1 << 20}, DType::int32);
              transfer->copy(nines, y);
              transfer->finish(0);
              transfer->wait_copied(0);
              driver.leave(first_gpu);
              synchronize(first_gpu);
              return *host == 7;
            }),
            0);
}

}  // namespace
}  // namespace minima::loader_test
