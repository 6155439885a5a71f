#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

// Pinned CPU memory: copies between it and a GPU overlap with work on both. It is cached, because pinning takes longer
// than most copies, by the allocator that GPU memory uses.

namespace minima {

/// Uninitialised CPU memory with this layout; pageable if there is no GPU.
MINIMA_API Tensor empty_pinned(Layout layout, DType dtype = DType::float32);
MINIMA_API bool is_pinned(const Tensor& x);
/// Statistics of pinned memory; zeros if there is no GPU.
MINIMA_API MemoryStats pinned_memory_stats();
MINIMA_API void empty_pinned_cache();

namespace detail {
/// Starts a copy to pinned memory on the current stream of x's device and records `done` after it. Keeps both tensors'
/// memory alive until then.
void fetch_into(const Tensor& x, const Tensor& host, Event& done);
}

}  // namespace minima
