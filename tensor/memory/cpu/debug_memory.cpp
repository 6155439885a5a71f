#include <minima/tensor/memory/cpu/cpu_allocator.h>
#include <minima/tensor/settings.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/memory/blocks/large_memory.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/blocks/thread_memory.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/storage.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>  // IWYU pragma: keep
#include <string>
#include <utility>

// Debug mode. A block is header | red zone | data | red zone. Freed blocks are filled and quarantined; writes to them
// are found when they leave the quarantine.

namespace minima {

namespace detail {

namespace {

constexpr std::size_t zone_bytes = 64;
constexpr unsigned char zone_fill = 0xFD, fresh_fill = 0xFF, freed_fill = 0xFE;
constexpr std::size_t quarantine_limit = std::size_t{16} << 20;

/// A CpuStorage with the links of the list of live blocks or of the quarantine.
struct DebugHeader {
  CpuStorage storage;
  DebugHeader* previous;
  DebugHeader* next;
};
constexpr std::size_t debug_header_bytes = 128;
static_assert(sizeof(DebugHeader) <= debug_header_bytes);

struct List {
  DebugHeader* first = nullptr;
  DebugHeader* last = nullptr;
};

constinit std::mutex lock;
constinit List live;
constinit List quarantine;
constinit std::size_t quarantine_bytes = 0;
// An array instead of a string, since recording a finding must not allocate or throw.
constinit char finding[256] = {};

void append(List& list, DebugHeader& block) {
  block.previous = list.last;
  block.next = nullptr;
  (list.last ? list.last->next : list.first) = &block;
  list.last = &block;
}

void remove(List& list, DebugHeader& block) {
  (block.previous ? block.previous->next : list.first) = block.next;
  (block.next ? block.next->previous : list.last) = block.previous;
}

std::size_t block_bytes(std::size_t data_bytes) { return debug_header_bytes + zone_bytes + data_bytes + zone_bytes; }
unsigned char* data_of(DebugHeader& block) {
  return reinterpret_cast<unsigned char*>(&block) + debug_header_bytes + zone_bytes;
}

/// The index of the first byte that differs from `fill`, or `bytes`.
std::size_t first_changed(const unsigned char* from, std::size_t bytes, unsigned char fill) {
  std::size_t i = 0;
  while (i < bytes && from[i] == fill) ++i;
  return i;
}

/// Records a finding; false if an earlier one has not been reported yet. The caller then restores the fill, so that
/// each fault is reported once and others are found later.
bool note(const CpuStorage& storage, const char* what, long long position) {
  if (finding[0]) return false;
  std::snprintf(finding, sizeof finding, "memory: a storage of %zu bytes (%s) was written to %s, at byte %lld",
                storage.bytes(), name(storage.bookkeeping.purpose), what, position);
  return true;
}

void check_fill(DebugHeader& block, long long from, std::size_t bytes, unsigned char fill, const char* what) {
  unsigned char* const start = data_of(block) + from;
  const std::size_t changed = first_changed(start, bytes, fill);
  if (changed < bytes && note(block.storage, what, from + static_cast<long long>(changed)))
    std::memset(start, fill, bytes);
}

void check_zones(DebugHeader& block) {
  constexpr auto zone = static_cast<long long>(zone_bytes);
  check_fill(block, -zone, zone_bytes, zone_fill, "before its start");
  check_fill(block, static_cast<long long>(block.storage.bytes()), zone_bytes, zone_fill, "beyond its end");
}

void check_freed(DebugHeader& block) {
  check_fill(block, 0, block.storage.bytes(), freed_fill, "after its release");
  check_zones(block);
}

void leave_quarantine() {
  DebugHeader* const block = quarantine.first;
  remove(quarantine, *block);
  check_freed(*block);
  const std::size_t bytes = block_bytes(block->storage.bytes());
  quarantine_bytes -= bytes;
  free_block(block, bytes);
}

void throw_finding() {
  std::string text;
  {
    const std::lock_guard guard(lock);
    text = finding;
    finding[0] = '\0';
  }
  if (!text.empty()) throw Error(std::move(text));
}

}  // namespace

Storage* allocate_debug(std::size_t bytes, Allocator& allocator) {
  throw_finding();
  void* memory = bytes < std::size_t{1} << 46 ? allocate_block(block_bytes(bytes)) : nullptr;
  if (!memory && bytes < std::size_t{1} << 46) {
    {
      const std::lock_guard guard(lock);
      while (quarantine.first) leave_quarantine();
    }
    release_idle_large();
    memory = allocate_block(block_bytes(bytes));
  }
  if (!memory) throw_out_of_memory(bytes);

  auto* const data = static_cast<unsigned char*>(memory) + debug_header_bytes + zone_bytes;
  std::memset(data - zone_bytes, zone_fill, zone_bytes);
  std::memset(data, fresh_fill, bytes);
  std::memset(data + bytes, zone_fill, zone_bytes);
  auto* const block =
      new (memory) DebugHeader{.storage = {data, bytes, allocator, bytes, bytes, debug_block, current_purpose},
                               .previous = nullptr,
                               .next = nullptr};
  const auto counted = static_cast<std::int64_t>(bytes);
  count_allocation(this_thread_memory(), current_purpose, counted, counted);
  note_change(block->storage, counted);
  const std::lock_guard guard(lock);
  append(live, *block);
  return &block->storage;
}

void release_debug(CpuStorage& storage) noexcept {
  auto& block = reinterpret_cast<DebugHeader&>(storage);  // its first member
  const std::lock_guard guard(lock);
  check_zones(block);
  remove(live, block);
  std::memset(storage.data(), freed_fill, storage.bytes());
  append(quarantine, block);
  quarantine_bytes += block_bytes(storage.bytes());
  while (quarantine_bytes > quarantine_limit) leave_quarantine();
}

void check_cpu_memory() {
  {
    const std::lock_guard guard(lock);
    for (auto* block = live.first; block; block = block->next) check_zones(*block);
    for (auto* block = quarantine.first; block; block = block->next) check_freed(*block);
  }
  throw_finding();
}

}  // namespace detail

void debug_memory(bool on) {
  if (detail::load(detail::storage_mode) == detail::MemoryMode::undecided) detail::decide_memory_mode();
  // Each block records how it was made, so existing ones are still freed correctly.
  const detail::MemoryMode mode = on ? detail::MemoryMode::debug : detail::load(detail::object_mode);
  detail::storage_mode.store(mode);
}

}  // namespace minima
