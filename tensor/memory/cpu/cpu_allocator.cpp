#include <minima/tensor/memory/cpu/cpu_allocator.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/large_memory.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/size_class.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/blocks/thread_memory.h>
#include <minima/tensor/memory/cpu/with_memory.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/memory_pressure.h>
#include <minima/tensor/storage/storage.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep
#include <string>

namespace minima::detail {

namespace {

// A lookup table, since computing the class would take a third of an allocation's time. Sizes are multiples of 64.
constexpr std::array<std::uint8_t, small_limit / 64 + 1> class_of_lines = [] {
  std::array<std::uint8_t, small_limit / 64 + 1> classes{};
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<std::uint8_t>(size_class(64 * i));
  return classes;
}();
constexpr std::array<std::uint32_t, small_class_count> room_of_class = [] {
  std::array<std::uint32_t, small_class_count> rooms{};
  for (std::size_t i = 0; i < rooms.size(); ++i)
    rooms[i] = static_cast<std::uint32_t>(class_bytes(static_cast<int>(i)));
  return rooms;
}();

class CpuAllocator final : public Allocator {
 public:
  Storage* allocate(std::size_t bytes) override {
    ThreadMemory* const thread = thread_memory;
    if (bytes > small_limit || !thread || load(storage_mode) != MemoryMode::cached) [[unlikely]]
      return allocate_slow(bytes);
    const int kind = class_of_lines[(bytes + 63) / 64];
    const std::size_t room = room_of_class[kind];
    return place(*thread, allocate_small(*thread, kind), bytes, room, room, static_cast<std::uint32_t>(kind));
  }

  void release(Storage* released) noexcept override {
    auto& storage = static_cast<CpuStorage&>(*released);
    note_change(storage, -static_cast<std::int64_t>(storage.counted));
    ThreadMemory& thread = this_thread_memory();
    const std::uint32_t kind = storage.bookkeeping.size_class;
    count_release(thread, storage.bookkeeping.purpose, static_cast<std::int64_t>(storage.counted),
                  static_cast<std::int64_t>(storage.bytes()));
    if (kind < small_class_count) [[likely]]
      free_small(thread, static_cast<int>(kind), &storage);
    else if (kind == large_block) free_large(&storage, storage.capacity);
    else if (kind == direct_block) free_block(&storage, header_bytes + storage.capacity);
    else release_debug(storage);
  }

 private:
  [[gnu::noinline]] Storage* allocate_slow(std::size_t bytes) {
    if (load(storage_mode) == MemoryMode::undecided) decide_memory_mode();
    ThreadMemory& thread = this_thread_memory();
    const MemoryMode mode = load(storage_mode);
    if (mode == MemoryMode::debug) return allocate_debug(bytes, *this);
    if (mode == MemoryMode::direct) return allocate_direct(thread, bytes);
    if (bytes <= small_limit) return allocate(bytes);
    const LargeBlock large = allocate_under_pressure(bytes);
    return place(thread, large.block, bytes, round_large(bytes), large.capacity, large_block);
  }

  static LargeBlock allocate_under_pressure(std::size_t bytes) {
    if (!memory_pressure) [[likely]]
      return allocate_large(bytes);
    memory_pressure->before(Device::cpu(), round_large(bytes));
    for (;;) {
      try {
        return allocate_large(bytes);
      } catch (const OutOfMemoryError&) {
        if (!memory_pressure || !memory_pressure->relieve(Device::cpu(), round_large(bytes))) throw;
      }
    }
  }

  /// Allocates exactly as many bytes as requested, so that a sanitizer catches the first byte beyond them.
  Storage* allocate_direct(ThreadMemory& thread, std::size_t bytes) {
    void* const block = bytes < std::size_t{1} << 46 ? allocate_block(header_bytes + bytes) : nullptr;
    if (!block) throw_out_of_memory(bytes);
    return place(thread, block, bytes, bytes, bytes, direct_block);
  }

  Storage* place(ThreadMemory& thread, void* block, std::size_t bytes, std::size_t rounded, std::size_t room,
                 std::uint32_t kind) {
    count_allocation(thread, current_purpose, static_cast<std::int64_t>(rounded), static_cast<std::int64_t>(bytes));
    auto* const storage = new (block)
        CpuStorage(static_cast<char*>(block) + header_bytes, bytes, *this, rounded, room, kind, current_purpose);
    note_change(*storage, static_cast<std::int64_t>(rounded));
    return storage;
  }
};

constinit CpuAllocator allocator;

/// The advice that most often helps, based on what memory is used for.
const char* advice(std::size_t bytes, const MemoryStats& stats) {
  if (static_cast<double>(bytes) > static_cast<double>(memory_limit()))
    return "this tensor alone is larger than the memory; check its shape";
  const std::int64_t* by = stats.allocated_by;
  const auto used = [&](Purpose purpose) { return by[static_cast<int>(purpose)]; };
  if (used(Purpose::activations) + used(Purpose::temporaries) >= stats.allocated / 2) return "use a smaller batch";
  if (used(Purpose::dataset) >= stats.allocated / 2) return "load the dataset in parts";
  return "use a smaller model or an optimizer with less state";
}

/// `wanted` describes the failed request.
[[noreturn]] void throw_account(const std::string& wanted, const MemoryStats& stats, const char* advice) {
  std::string uses;
  for (int i = 0; i < purpose_count; ++i)
    if (stats.allocated_by[i] > 0)
      uses += str(uses.empty() ? " (" : ", ", name(static_cast<Purpose>(i)), " ", bytes_text(stats.allocated_by[i]));
  if (!uses.empty()) uses += ")";
  throw OutOfMemoryError(str("out of memory on cpu: ", wanted, "; ", bytes_text(stats.allocated), " allocated", uses,
                             ", ", bytes_text(stats.reserved), " reserved, peak ", bytes_text(stats.peak_allocated),
                             ", limit ", bytes_text(memory_limit()), "; ", advice));
}

}  // namespace

void throw_out_of_memory(std::size_t bytes) {
  const MemoryStats stats = cpu_memory_stats();
  const bool countable = bytes < std::size_t{1} << 62;
  throw_account(str("asked for ", countable ? bytes_text(static_cast<std::int64_t>(bytes)) : str(bytes, " bytes")),
                stats, advice(bytes, stats));
}

void throw_out_of_memory(const char* what) {
  const MemoryStats stats = cpu_memory_stats();
  throw_account(str("no memory left for ", what), stats, advice(0, stats));
}

constinit Allocator* const cpu_allocator = &allocator;

MemoryStats cpu_memory_stats() {
  MemoryStats stats = counted_memory();
  const ReservedBytes reserved = reserved_bytes();
  stats.reserved = reserved.now;
  stats.peak_reserved = reserved.peak;
  stats.system_allocations = reserved.system_allocations;
  return stats;
}

}  // namespace minima::detail
