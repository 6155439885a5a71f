#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/used_devices.h>
#include <minima/tensor/memory/memory_snapshot.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace minima::profiler {

namespace {

/// Blocks by address. No lock but its own is taken while it is locked, since simulated GPUs ask under theirs.
struct Blocks {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> bytes;

  void add(std::uintptr_t start, std::size_t size) {
    const std::lock_guard lock(mutex);
    bytes.erase(bytes.lower_bound(start), bytes.lower_bound(start + size));  // freed ones that it covers
    bytes[start] = size;
  }
};
Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

int find(const void* address, const void** start, std::size_t* bytes) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(blocks().mutex);
  const auto after = blocks().bytes.upper_bound(wanted);
  if (after == blocks().bytes.begin()) return 0;
  const auto& [first, size] = *std::prev(after);
  if (wanted >= first + size) return 0;
  *start = reinterpret_cast<const void*>(first);
  *bytes = size;
  return 1;
}

using Tell = int (*)(int (*find)(const void* address, const void** start, std::size_t* bytes));

class Sizes final : public BlockSizes {
 public:
  explicit Sizes(Tell tell) : tell_(tell) {
    for (const int device : minima::detail::used_devices())
      for (const MemorySnapshot::Segment& segment : memory_snapshot(Device::cuda(device)).segments)
        for (const MemorySnapshot::Block& block : segment.blocks)
          if (block.state == MemorySnapshot::Block::State::used)
            blocks().add(block.address, static_cast<std::size_t>(block.requested));
  }
  ~Sizes() override {
    tell_(nullptr);
    const std::lock_guard lock(blocks().mutex);
    blocks().bytes.clear();
  }

  void change(const Storage& storage, std::int64_t bytes) noexcept override {
    if (bytes <= 0 || !storage.device().is_cuda()) return;
    try {
      blocks().add(reinterpret_cast<std::uintptr_t>(storage.data()), storage.bytes());
    } catch (const std::bad_alloc&) {  // its kernels are priced by the driver's allocation
    }
  }

 private:
  Tell tell_;
};

}  // namespace

std::unique_ptr<BlockSizes> tell_block_sizes() {
  if (!simulated_clock()) return nullptr;
  // Only the driver of simulated GPUs has it (simulated/driver/prediction.h).
  static const auto tell = reinterpret_cast<Tell>(cuda::driver_library.find_or_null("simulatedExtents"));
  if (!tell || !tell(find)) return nullptr;
  return std::make_unique<Sizes>(tell);
}

}  // namespace minima::profiler
