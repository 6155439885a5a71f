#include <minima/tensor/memory/blocks/system_memory.h>

#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/format.h>

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace minima::detail {

constinit std::atomic<MemoryMode> storage_mode = MemoryMode::undecided;
constinit std::atomic<MemoryMode> object_mode = MemoryMode::undecided;

namespace {

constinit std::int64_t reserved_now = 0;
constinit std::int64_t reserved_peak = 0;
constinit std::int64_t system_calls = 0;
constinit std::int64_t chosen_limit = 0;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

/// The number at the start of a file, or the largest int64 if there is none (as in `max`).
std::int64_t number_in(const char* path) {
  std::int64_t value = std::numeric_limits<std::int64_t>::max();
  if (std::FILE* file = std::fopen(path, "re")) {
    long long number = 0;
    if (std::fscanf(file, "%lld", &number) == 1 && number > 0) value = number;
    std::fclose(file);
  }
  return value;
}

bool reserve(std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  const std::int64_t now = __atomic_add_fetch(&reserved_now, wanted, __ATOMIC_RELAXED);
  if (now > memory_limit()) {
    __atomic_sub_fetch(&reserved_now, wanted, __ATOMIC_RELAXED);
    return false;
  }
  std::int64_t peak = __atomic_load_n(&reserved_peak, __ATOMIC_RELAXED);
  while (now > peak &&
         !__atomic_compare_exchange_n(&reserved_peak, &peak, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  __atomic_add_fetch(&system_calls, 1, __ATOMIC_RELAXED);
  return true;
}

void unreserve(std::size_t bytes) {
  __atomic_sub_fetch(&reserved_now, static_cast<std::int64_t>(bytes), __ATOMIC_RELAXED);
}

}  // namespace

void decide_memory_mode() {
  const bool direct = environment_flag("MINIMA_NO_CACHE", address_sanitizer);
  const bool debug = environment_flag("MINIMA_DEBUG_MEMORY", false);
  const MemoryMode objects = direct ? MemoryMode::direct : MemoryMode::cached;
  MemoryMode expected = MemoryMode::undecided;
  // Concurrent threads read the same environment, so they agree.
  object_mode.compare_exchange_strong(expected, objects);
  expected = MemoryMode::undecided;
  const MemoryMode storages = debug ? MemoryMode::debug : objects;
  storage_mode.compare_exchange_strong(expected, storages);
}

void* map_pages(std::size_t bytes, std::size_t alignment, bool huge) noexcept {
  if (!reserve(bytes)) return nullptr;
  // Maps more than needed and unmaps the unaligned ends.
  const std::size_t slack = alignment > 4096 ? alignment : 0;
  void* const mapped =
      mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    unreserve(bytes);
    return nullptr;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
  if (aligned > start) munmap(mapped, aligned - start);
  const std::size_t excess = start + slack - aligned;
  if (excess > 0) munmap(reinterpret_cast<void*>(aligned + bytes), excess);
  if (huge) madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);  // a hint; failure is harmless
  return reinterpret_cast<void*>(aligned);
}

void unmap_pages(void* pages, std::size_t bytes) noexcept {
  munmap(pages, bytes);
  unreserve(bytes);
}

void* allocate_block(std::size_t bytes) noexcept {
  if (!reserve(bytes)) return nullptr;
  void* block = nullptr;
  if (posix_memalign(&block, 64, bytes) == 0) return block;
  unreserve(bytes);
  return nullptr;
}

void free_block(void* block, std::size_t bytes) noexcept {
  std::free(block);
  unreserve(bytes);
}

ReservedBytes reserved_bytes() {
  return {__atomic_load_n(&reserved_now, __ATOMIC_RELAXED), __atomic_load_n(&reserved_peak, __ATOMIC_RELAXED),
          __atomic_load_n(&system_calls, __ATOMIC_RELAXED)};
}

void reset_reserved_peak() {
  __atomic_store_n(&reserved_peak, __atomic_load_n(&reserved_now, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

std::int64_t control_group_memory() {
  return std::min(number_in("/sys/fs/cgroup/memory.max"), number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

std::int64_t memory_limit() {
  static const std::int64_t physical = [] {
    struct sysinfo info{};
    std::int64_t total = std::numeric_limits<std::int64_t>::max();
    if (sysinfo(&info) == 0) total = static_cast<std::int64_t>((info.totalram + info.totalswap) * info.mem_unit);
    return std::min(total, control_group_memory());
  }();
  const std::int64_t chosen = __atomic_load_n(&chosen_limit, __ATOMIC_RELAXED);
  return chosen > 0 ? chosen : physical;
}

void limit_memory(std::int64_t bytes) { __atomic_store_n(&chosen_limit, bytes, __ATOMIC_RELAXED); }

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1024) return str(bytes, " B");
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1023.995 && unit < 5; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", value, units[unit]);
  return text;
}

}  // namespace minima::detail
