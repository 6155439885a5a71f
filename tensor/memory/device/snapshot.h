#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <cstdint>
#include <vector>

namespace minima {

/// How a device's memory lies at one moment: every segment and the blocks in it, by address.
struct MemorySnapshot {
  struct Block {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t requested = 0;  ///< 0 where it is free
    enum class State : std::uint8_t { used, free, unmapped } state = State::free;
    Purpose purpose = Purpose::activations;
  };
  struct Segment {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;  ///< of addresses, up to the last block that has memory
    int stream = 0;          ///< its place in the order of first use
    bool paged = false;      ///< filled with pages as needed, else allocated as a whole
    bool small = false;      ///< for blocks of up to 1 MiB
    bool graph = false;      ///< of a private pool of captured work
    std::vector<Block> blocks;
  };
  Device device;
  MemoryStats stats;
  std::vector<Segment> segments;
};

/// How the caching of a device's memory goes, beside MemoryStats.
struct CachingStats {
  std::int64_t pages_created = 0;     ///< from the driver
  std::int64_t pages_moved = 0;       ///< from where they lay idle to where they were needed
  std::int64_t retries = 0;           ///< the driver refused, and idle memory was looked for
  std::int64_t synchronizations = 0;  ///< of which waited for the device
  std::int64_t out_of_memory = 0;     ///< of which failed
  std::int64_t largest_free = 0;      ///< bytes of the largest free block
  std::int64_t held = 0;              ///< storages kept for streams that still use them
};

}  // namespace minima
