#pragma once

#include <minima/tensor/storage/storage.h>

namespace minima::detail {

/// The bytes that MemoryStats counts for a storage.
MINIMA_API std::size_t counted_bytes(const Storage& storage);

}  // namespace minima::detail
