#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/scope.h>

#include <cstdint>

namespace minima {

/// What memory is for; statistics are kept for each.
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

/// Bytes at a glance. `allocated` is what live storages asked for after rounding, `requested` before it; `reserved` is
/// what the allocator holds from the system, cached blocks included.
struct MemoryStats {
  std::int64_t allocated = 0;
  std::int64_t requested = 0;
  std::int64_t reserved = 0;
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t allocations = 0;         ///< calls so far
  std::int64_t system_allocations = 0;  ///< of which reached the operating system or the driver
  std::int64_t allocated_by[purpose_count] = {};
};

/// Storages allocated by this thread while the guard lives count towards `purpose`.
class MINIMA_API PurposeGuard {
 public:
  explicit PurposeGuard(Purpose purpose);

 private:
  Scoped<Purpose> scope_;
};

namespace detail {
/// The calling thread's purpose, set by PurposeGuard.
extern constinit thread_local Purpose current_purpose;
}

}  // namespace minima
