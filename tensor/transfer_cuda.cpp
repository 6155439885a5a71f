#include <minima/tensor/transfer.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/read_guard.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/device/wait_observer.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace minima {

namespace {

void copy_to_gpu(void* to, Device device, const void* from, std::size_t bytes, Storage* source) {
  detail::refuse_captured(device, "a copy from CPU memory");
  const cuda::DeviceGuard guard(device.index);
  const Stream stream = current_stream(device);
  {
    const detail::Waiting waiting(Wait::to_device, static_cast<double>(bytes));
    MINIMA_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.state()->handle));
  }
  detail::keep_until_reached(device, source, stream);
}

constexpr std::size_t most_staged = 4096;

/// Pinned memory for what this thread reads back. CUDA copies to pageable memory through its own buffers, in two steps.
void* staging() {
  thread_local const Tensor memory =
      empty_pinned(Layout::contiguous({static_cast<std::int64_t>(most_staged)}), DType::uint8);
  return memory.raw_data();
}

void copy_to_cpu(void* to, const void* from, Device device, std::size_t bytes) {
  detail::refuse_captured(device, "a copy to CPU memory");
  const cuda::DeviceGuard guard(device.index);
  const cudaStream_t stream = detail::current_stream_state(device.index)->handle;
  void* const target = bytes <= most_staged ? staging() : to;
  const detail::Waiting waiting(bytes <= most_staged ? Wait::device : Wait::from_device, static_cast<double>(bytes));
  MINIMA_CUDA_CHECK(cudaMemcpyAsync(target, from, bytes, cudaMemcpyDeviceToHost, stream));
  MINIMA_CUDA_CHECK(cudaStreamSynchronize(stream));
  if (target != to) std::memcpy(to, target, bytes);
  cuda::throw_kept_failure();
  if (void (*const guard)(Device) = detail::read_guard.load(std::memory_order_acquire)) [[unlikely]]
    guard(device);
}

/// Runs on the target's stream after the source's stream has produced the values. The source's stream then waits for
/// the copy before it may overwrite them.
void copy_to_peer(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
                  Storage* source) {
  const Stream reader = current_stream(to_device), writer = current_stream(from_device);
  Event made, copied;
  made.record(writer);
  reader.wait(made);
  const cuda::DeviceGuard guard(to_device.index);  // whose default stream a null handle is
  MINIMA_CUDA_CHECK(cudaMemcpyPeerAsync(to, to_device.index, from, from_device.index, bytes, reader.state()->handle));
  copied.record(reader);
  writer.wait(copied);
  detail::keep_until_reached(from_device, source, reader);
}

}  // namespace

void detail::gpu_copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
                      Storage* source) {
  if (from_device.is_cpu()) return copy_to_gpu(to, to_device, from, bytes, source);
  if (to_device.is_cpu()) return copy_to_cpu(to, from, from_device, bytes);
  if (to_device != from_device) return copy_to_peer(to, to_device, from, from_device, bytes, source);
  const cuda::DeviceGuard guard(to_device.index);
  MINIMA_CUDA_CHECK(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, current_stream_state(to_device.index)->handle));
}

void detail::gpu_zero(void* to, Device device, std::size_t bytes) {
  const cuda::DeviceGuard guard(device.index);
  MINIMA_CUDA_CHECK(cudaMemsetAsync(to, 0, bytes, current_stream_state(device.index)->handle));
}

void detail::keep_until_reached(Device device, Storage* storage, Stream stream) {
  storage->retain();
  try {
    gpu_allocator(device, "hand_over")
        .memory()
        .hold(stream.state(), [](void* held) { static_cast<Storage*>(held)->release(); }, storage);
  } catch (...) {
    storage->release();
    throw;
  }
}

void hand_over(const Tensor& x, Stream stream) {
  if (!x.defined()) return;
  const Device owner = x.device().is_cuda() ? x.device() : stream.device();
  detail::keep_until_reached(owner, x.impl()->storage.get(), stream);
}

}  // namespace minima
