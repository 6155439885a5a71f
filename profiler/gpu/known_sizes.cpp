#include <minima/profiler/gpu/known_sizes.h>

#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/storage.h>

#include <cstdint>

namespace minima::profiler {

KnownSizes::KnownSizes() : sizes_(tell_block_sizes()), outer_(set_memory_observer(this)) {}

KnownSizes::~KnownSizes() { set_memory_observer(outer_); }

void KnownSizes::change(const Storage& storage, std::int64_t bytes) noexcept {
  if (outer_) outer_->change(storage, bytes);
  if (sizes_) sizes_->change(storage, bytes);
}

}  // namespace minima::profiler
