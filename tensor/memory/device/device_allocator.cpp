#include <minima/tensor/memory/device/device_allocator.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/small_memory.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/device/block.h>
#include <minima/tensor/memory/device/caching_memory.h>
#include <minima/tensor/memory/device/memory_driver.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/memory_pressure.h>
#include <minima/tensor/storage/storage.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>  // IWYU pragma: keep
#include <string>

namespace minima::device_memory {

namespace {

using minima::detail::MemoryMode;

constexpr std::size_t zone_bytes = 512;
constexpr unsigned char zone_fill = 0xFD, fresh_fill = 0xFF, freed_fill = 0xFE;

/// The header is in CPU memory, since the CPU cannot access GPU memory.
struct DeviceStorage : Storage {
  using Storage::Storage;
  Block* block = nullptr;  ///< null if allocated directly by the driver
  bool zones = false;
};

/// Returns the bytes as statistics count them, in whole units.
std::int64_t rounded(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + block_unit - 1) / block_unit * block_unit);
}

bool is_cached() { return minima::detail::load(minima::detail::storage_mode) == MemoryMode::cached; }

}  // namespace

DeviceAllocator::DeviceAllocator(Device device, MemoryDriver& driver, StreamMemory& (*current)(DeviceAllocator&))
    : device_(device), memory_(driver), current_(current) {}

Storage* DeviceAllocator::allocate(std::size_t bytes, bool plain) {
  if (!is_cached()) [[unlikely]]
    return allocate_slow(bytes, plain);
  const Purpose purpose = minima::detail::current_purpose;
  StreamMemory& stream = current_(*this);
  Block* block = minima::detail::memory_pressure && !stream.capture
                     ? allocate_under_pressure(stream, bytes, purpose, plain)
                     : memory_.allocate(stream, bytes, purpose, plain);
  if (!block) [[unlikely]]
    throw_out_of_memory(bytes);
  auto* const storage =
      new (minima::detail::small_allocate(sizeof(DeviceStorage))) DeviceStorage(block->address, bytes, device_, *this);
  storage->block = block;
  storage->bookkeeping.purpose = purpose;
  minima::detail::note_change(*storage, rounded(storage->bytes()));
  return storage;
}

/// Calls MemoryPressure, which may free memory, while no lock is held. Not used while work is captured.
Block* DeviceAllocator::allocate_under_pressure(StreamMemory& stream, std::size_t bytes, Purpose purpose, bool plain) {
  minima::detail::MemoryPressure* const pressure = minima::detail::memory_pressure;
  pressure->before(device_, (bytes + block_unit - 1) / block_unit * block_unit);
  Block* block = memory_.allocate(stream, bytes, purpose, plain);
  while (!block && pressure->relieve(device_, bytes)) block = memory_.allocate(stream, bytes, purpose, plain);
  return block;
}

void DeviceAllocator::release(Storage* released) noexcept {
  auto* const storage = static_cast<DeviceStorage*>(released);
  minima::detail::note_change(*storage, -rounded(storage->bytes()));
  if (!storage->block || storage->zones) [[unlikely]]
    release_slow(storage);
  else if (!memory_.driver().is_lost()) memory_.release(storage->block);
  storage->~DeviceStorage();
  minima::detail::small_free(storage, sizeof(DeviceStorage));
}

/// Handles the first request of the process, the debug mode and MINIMA_NO_CACHE.
Storage* DeviceAllocator::allocate_slow(std::size_t bytes, bool plain) {
  if (minima::detail::load(minima::detail::storage_mode) == MemoryMode::undecided) minima::detail::decide_memory_mode();
  if (is_cached()) return allocate(bytes, plain);
  throw_damage();
  MemoryDriver& driver = memory_.driver();
  const bool zones = minima::detail::load(minima::detail::storage_mode) == MemoryMode::debug;
  StreamMemory& stream = current_(*this);
  const Purpose purpose = minima::detail::current_purpose;
  Block* block = nullptr;
  char* data = nullptr;
  if (zones) {
    block = bytes < std::size_t{1} << 56 ? memory_.allocate(stream, bytes + 2 * zone_bytes, purpose, plain) : nullptr;
    if (!block) throw_out_of_memory(bytes);
    data = block->address + zone_bytes;
    driver.fill(stream.token, block->address, zone_bytes, zone_fill);
    driver.fill(stream.token, data, bytes, fresh_fill);
    driver.fill(stream.token, data + bytes, zone_bytes, zone_fill);
  } else {
    data = bytes < std::size_t{1} << 56 ? driver.allocate(bytes > 0 ? bytes : 1) : nullptr;
    if (!data) throw_out_of_memory(bytes);
    memory_.count_direct(bytes, purpose, 1);
  }
  auto* const storage =
      new (minima::detail::small_allocate(sizeof(DeviceStorage))) DeviceStorage(data, bytes, device_, *this);
  storage->block = block;
  storage->zones = zones;
  storage->bookkeeping.purpose = purpose;
  minima::detail::note_change(*storage, rounded(storage->bytes()));
  return storage;
}

void DeviceAllocator::release_slow(Storage* released) noexcept try {
  auto* const storage = static_cast<DeviceStorage*>(released);
  MemoryDriver& driver = memory_.driver();
  char* const data = static_cast<char*>(storage->data());
  const std::size_t bytes = storage->bytes();
  if (driver.is_lost()) return;
  if (!storage->block) {
    driver.free(data);
    memory_.count_direct(bytes, storage->bookkeeping.purpose, -1);
    return;
  }
  const StreamToken stream = storage->block->segment->arena->stream->token;
  if (!minima::detail::is_captured(device_)) check_zones(*storage, stream);
  driver.fill(stream, data, bytes, freed_fill);
  memory_.release(storage->block);
} catch (const std::exception& error) {
  note_damage(error.what());
  auto* const storage = static_cast<DeviceStorage*>(released);
  if (storage->block && !memory_.driver().is_lost()) memory_.release(storage->block);
}

/// Waits for the stream.
void DeviceAllocator::check_zones(const Storage& storage, StreamToken stream) {
  MemoryDriver& driver = memory_.driver();
  const char* const data = static_cast<const char*>(storage.data());
  const std::size_t bytes = storage.bytes();
  const std::int64_t before = driver.find_foreign(stream, data - zone_bytes, zone_bytes, zone_fill);
  const std::int64_t after = driver.find_foreign(stream, data + bytes, zone_bytes, zone_fill);
  if (before >= 0 || after >= 0) {
    const std::int64_t where = before >= 0 ? before - static_cast<std::int64_t>(zone_bytes) : after;
    note_damage(str("a write outside a storage of ", bytes, " bytes on ", device_, " (",
                    name(storage.bookkeeping.purpose), "): ", where < 0 ? -where : where,
                    where < 0 ? " bytes before its start" : " bytes after its end",
                    "; compute-sanitizer with MINIMA_NO_CACHE=1 names the kernel"));
  }
}

void DeviceAllocator::note_damage(const std::string& text) {
  const std::lock_guard lock(damage_mutex_);
  if (damage_.empty()) damage_ = text;
  damaged_.store(true, std::memory_order_release);
}

void DeviceAllocator::throw_damage() {
  if (!damaged_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(damage_mutex_);
  damaged_.store(false, std::memory_order_release);
  std::string text;
  text.swap(damage_);
  if (!text.empty()) throw Error(text);
}

void DeviceAllocator::throw_out_of_memory(std::size_t bytes) {
  throw OutOfMemoryError(out_of_memory_text(device_, bytes, memory_.driver().memory(), memory_.limit(), memory_.stats(),
                                            memory_.caching_stats()));
}

}  // namespace minima::device_memory
