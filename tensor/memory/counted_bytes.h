#pragma once

#include <minima/tensor/storage/storage.h>

namespace minima::detail {

/// What MemoryStats counts for this storage.
MINIMA_API std::size_t counted_bytes(const Storage& storage);

}  // namespace minima::detail
