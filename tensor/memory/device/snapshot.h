#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <cstdint>
#include <vector>

namespace minima {

/// A snapshot of a device's memory: all segments and their blocks, by address.
struct MemorySnapshot {
  struct Block {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t requested = 0;  ///< 0 unless used
    enum class State : std::uint8_t { used, free, unmapped } state = State::free;
    Purpose purpose = Purpose::activations;
  };
  struct Segment {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;  ///< from its start to the last block with memory
    int stream = 0;          ///< its stream's position in order of first use
    bool paged = false;      ///< filled with pages as needed, rather than allocated as a whole
    bool small = false;      ///< for blocks of up to 1 MiB
    bool graph = false;      ///< in a private pool of captured work
    std::vector<Block> blocks;
  };
  Device device;
  MemoryStats stats;
  std::vector<Segment> segments;
};

/// Statistics of the caching allocator, in addition to MemoryStats.
struct CachingStats {
  std::int64_t pages_created = 0;     ///< pages allocated from the driver
  std::int64_t pages_destroyed = 0;   ///< pages returned to it
  std::int64_t pages_moved = 0;       ///< idle pages moved to where they were needed
  std::int64_t retries = 0;           ///< times the driver refused and idle memory was collected
  std::int64_t synchronizations = 0;  ///< of these, how many waited for the device
  std::int64_t out_of_memory = 0;     ///< of these, how many failed
  std::int64_t largest_free = 0;      ///< bytes of the largest free block
  std::int64_t held = 0;              ///< storages kept alive for streams that still use them
};

}  // namespace minima
