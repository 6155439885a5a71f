#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

// CPU memory that the driver has pinned: copies between it and a GPU run while both go on working. Cached, because
// pinning takes longer than most copies; blocks are split and joined as a GPU's are, so that little is wasted.

namespace minima {

/// Uninitialised CPU memory with this layout, pinned where there is a GPU and ordinary otherwise.
MINIMA_API Tensor empty_pinned(Layout layout, DType dtype = DType::float32);
MINIMA_API bool is_pinned(const Tensor& x);
/// Of the pinned memory; zeros where there is no GPU.
MINIMA_API MemoryStats pinned_memory_stats();
MINIMA_API void empty_pinned_cache();

namespace detail {
/// Starts a copy to pinned memory on x's current stream and records `done` after it; keeps both alive until then.
void fetch_into(const Tensor& x, const Tensor& host, Event& done);
}

}  // namespace minima
