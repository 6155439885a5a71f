#pragma once

#include <minima/tensor/storage/storage.h>

/// Whether released memory is kept: not with MINIMA_NO_CACHE=1, nor under AddressSanitizer unless MINIMA_NO_CACHE=0.
inline bool caching() {
  using namespace minima;
  StoragePtr(allocator_of(Device::cpu()).allocate(64));
  const std::int64_t before = memory_stats().system_allocations;
  StoragePtr(allocator_of(Device::cpu()).allocate(64));
  return memory_stats().system_allocations == before;
}

#define REQUIRE_CACHING() \
  if (!caching()) GTEST_SKIP() << "memory is not cached in this run; MINIMA_NO_CACHE=0 turns it on"
