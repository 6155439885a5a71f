#include <minima/tensor/memory_pressure.h>

#include <minima/tensor/device_memory/block.h>
#include <minima/tensor/size_class.h>
#include <minima/tensor/storage.h>

namespace minima::detail {

constinit thread_local MemoryPressure* memory_pressure = nullptr;

std::size_t counted_bytes(const Storage& storage) {
  const std::size_t bytes = storage.bytes(), unit = device_memory::block_unit;
  if (storage.device().is_cuda()) return (bytes + unit - 1) / unit * unit;
  return bytes > small_limit ? round_large(bytes) : class_bytes(size_class(bytes));
}

}  // namespace minima::detail
