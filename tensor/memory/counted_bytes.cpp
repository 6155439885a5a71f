#include <minima/tensor/memory/counted_bytes.h>

#include <minima/tensor/memory/blocks/size_class.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/device/block.h>
#include <minima/tensor/storage/storage.h>

#include <cstddef>

namespace minima::detail {

std::size_t counted_bytes(const Storage& storage) {
  const std::size_t bytes = storage.bytes(), unit = device_memory::block_unit;
  if (storage.device().is_cuda()) return (bytes + unit - 1) / unit * unit;
  if (load(storage_mode) != MemoryMode::cached) return bytes;
  return bytes > small_limit ? round_large(bytes) : class_bytes(size_class(bytes));
}

}  // namespace minima::detail
