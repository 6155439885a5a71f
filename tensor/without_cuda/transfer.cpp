#include <minima/tensor/transfer.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <utility>

namespace minima {

void detail::gpu_copy(void*, Device to, const void*, Device from, std::size_t, Storage*) {
  throw DeviceError(str("to: from ", from, " to ", to, ": ", cuda::unavailable_reason()));
}
void detail::gpu_zero(void*, Device, std::size_t) {}

void hand_over(const Tensor&, Stream) {}

Tensor empty_pinned(Layout layout, DType dtype) { return empty(std::move(layout), {.dtype = dtype}); }
bool is_pinned(const Tensor&) { return false; }
MemoryStats pinned_memory_stats() { return {}; }
void empty_pinned_cache() {}
void detail::fetch_into(const Tensor&, const Tensor&, Event&) {}

}  // namespace minima
