#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/scope.h>

#include <cstdint>

namespace minima {

/// The purpose of memory; statistics are kept per purpose.
enum class Purpose : std::uint8_t {
  activations,
  parameters,
  gradients,
  optimizer_state,
  temporaries,
  communication,
  dataset
};
inline constexpr int purpose_count = 7;
MINIMA_API const char* name(Purpose purpose);

/// Memory statistics in bytes. `allocated` is the size of all live storages as rounded by the allocator, `requested`
/// the same before rounding. `reserved` is what the allocator holds from the system, including cached free blocks.
struct MemoryStats {
  std::int64_t allocated = 0;
  std::int64_t requested = 0;
  std::int64_t reserved = 0;
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t allocations = 0;         ///< number of allocations so far
  std::int64_t system_allocations = 0;  ///< requests to the operating system or the driver
  std::int64_t allocated_by[purpose_count] = {};
};

/// Attributes storages that this thread allocates in the guard's scope to `purpose`.
class MINIMA_API PurposeGuard {
 public:
  explicit PurposeGuard(Purpose purpose);

 private:
  Scoped<Purpose> scope_;
};

namespace detail {
/// Set by PurposeGuard.
extern constinit thread_local Purpose current_purpose;
}

}  // namespace minima
