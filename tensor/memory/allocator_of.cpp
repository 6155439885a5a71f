#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/cpu/cpu_allocator.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/storage/allocator.h>

namespace minima {

Allocator& allocator_of(Device device) {
  if (!device.is_cpu()) [[unlikely]]
    return detail::gpu_allocator(device, "");  // without a caller: the user asked for a tensor, not for an allocator
  return *detail::cpu_allocator;
}

}  // namespace minima
