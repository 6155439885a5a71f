#pragma once

#include <atomic>
#include <cstdint>

namespace minima::nn::detail {

/// Counts what changes which modules, parameters and buffers a module has, and where, or their mode. As long as it
/// stays the same, a list of them is right, and the addresses of members in it are valid. For all modules together.
inline std::atomic<std::uint64_t> structure_version{0};

inline void structure_changed() noexcept { structure_version.fetch_add(1, std::memory_order_relaxed); }

}  // namespace minima::nn::detail
