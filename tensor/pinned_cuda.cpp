#include <minima/tensor/pinned.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/device/caching_memory.h>
#include <minima/tensor/memory/device/device_allocator.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/memory/device/memory_driver.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace minima {

namespace {

using namespace device_memory;

/// Pinned memory for the caching allocator. It is not used in stream order, so a block handed to a stream is kept alive
/// until the stream has passed its last use.
class PinnedDriver final : public MemoryDriver {
 public:
  Memory memory() override {
    constexpr std::size_t plenty = std::numeric_limits<std::int64_t>::max() / 2;
    return {plenty, plenty};
  }
  std::size_t page_bytes() override { return 0; }
  char* reserve(std::size_t) override { return nullptr; }
  void unreserve(char*, std::size_t) override {}
  Page create_page() override { return 0; }
  void destroy_page(Page) override {}
  bool map(char*, const Page*, std::size_t) override { return false; }
  void unmap(char*, std::size_t) override {}
  char* allocate(std::size_t bytes) override {
    const cuda::DeviceGuard guard(detail::used_device());  // needs a context, but not one on a GPU that is not used
    const cuda::RelaxedCapture relaxed;
    void* memory = nullptr;
    const cudaError_t status = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return nullptr;
    }
    cuda::check(status, "cudaHostAlloc");
    return static_cast<char*>(memory);
  }
  void free(char* address) override {
    const cuda::RelaxedCapture relaxed;
    MINIMA_CUDA_CHECK(cudaFreeHost(address));
  }
  Mark record(StreamToken) override { return 1; }
  bool reached(Mark) override { return true; }
  void synchronize() override {}
  bool is_lost() noexcept override { return cuda::is_broken(); }
  void fill(StreamToken, char* address, std::size_t bytes, unsigned char value) override {
    std::memset(address, value, bytes);
  }
  std::int64_t find_foreign(StreamToken, const char* address, std::size_t bytes, unsigned char value) override {
    for (std::size_t i = 0; i < bytes; ++i)
      if (static_cast<unsigned char>(address[i]) != value) return static_cast<std::int64_t>(i);
    return -1;
  }
};

StreamMemory& only_stream(DeviceAllocator& allocator) {
  static StreamMemory& stream = allocator.memory().stream(nullptr);
  return stream;
}

constinit std::atomic<bool> is_pinned_used = false;

DeviceAllocator& pinned_allocator() {
  static DeviceAllocator* const allocator = [] {
    is_pinned_used.store(true, std::memory_order_relaxed);
    return new DeviceAllocator(Device::cpu(), *new PinnedDriver, only_stream);
  }();
  return *allocator;
}

}  // namespace

Tensor empty_pinned(Layout layout, DType dtype) {
  if (cuda::device_count() == 0) return empty(std::move(layout), {.dtype = dtype});
  StoragePtr storage(pinned_allocator().allocate(detail::bytes_for(layout, dtype)));
  return Tensor(new TensorImpl(std::move(storage), std::move(layout), dtype));
}

bool is_pinned(const Tensor& x) {
  if (!x.defined() || !x.device().is_cpu() || cuda::device_count() == 0) return false;
  cudaPointerAttributes attributes{};
  MINIMA_CUDA_CHECK(cudaPointerGetAttributes(&attributes, x.raw_data()));
  return attributes.type == cudaMemoryTypeHost;
}

MemoryStats pinned_memory_stats() {
  return cuda::device_count() == 0 ? MemoryStats{} : pinned_allocator().memory().stats();
}

void empty_pinned_cache() {
  if (cuda::device_count() > 0) pinned_allocator().memory().empty();
}

void detail::check_pinned_memory() {
  if (is_pinned_used.load(std::memory_order_relaxed)) pinned_allocator().throw_damage();
}

void detail::fetch_into(const Tensor& x, const Tensor& host, Event& done) {
  detail::refuse_captured(x.device(), "fetch_async()");
  const Stream stream = current_stream(x.device());
  const std::size_t bytes = static_cast<std::size_t>(x.numel()) * x.itemsize();
  if (bytes > 0) {
    const cuda::DeviceGuard guard(x.device().index);
    const auto handle = static_cast<cudaStream_t>(stream.handle());
    MINIMA_CUDA_CHECK(cudaMemcpyAsync(host.raw_data(), x.raw_data(), bytes, cudaMemcpyDeviceToHost, handle));
    keep_until_reached(x.device(), host.impl()->storage.get(), stream);
  }
  done.record(stream);
}

}  // namespace minima
