#pragma once

#include <minima/profiler/gpu/gpu_work.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace minima::profiler {

/// Holds what CUPTI's buffers say, in CUPTI's own nanoseconds.
struct CuptiRecords {
  struct Work {
    std::string name;
    GpuWorkKind kind = GpuWorkKind::kernel;
    std::uint64_t begin = 0, end = 0, node = 0, bytes = 0;  ///< `node`: of a graph, or 0
    std::uint32_t device = 0, stream = 0, correlation = 0;
  };
  std::vector<Work> work;
  std::unordered_map<std::uint32_t, std::uint64_t> external;  ///< ids, by correlation
  std::unordered_map<std::uint32_t, std::uint64_t> called;    ///< when the host called, by correlation
  std::int64_t untimed = 0;  ///< records without times, which CUPTI writes where it could not measure

  /// Adds a buffer's records. Those of other kinds are left out.
  void read(std::uint8_t* buffer, std::size_t bytes);
};

}  // namespace minima::profiler
