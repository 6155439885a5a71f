#pragma once

#include <minima/tensor/memory/device/caching_memory.h>
#include <minima/tensor/storage/storage.h>

#include <atomic>
#include <string>

namespace minima::device_memory {

/// The Allocator of a GPU: CachingMemory plus error messages, the debug mode and MINIMA_NO_CACHE.
class DeviceAllocator final : public Allocator {
 public:
  /// `current` returns the memory of the calling thread's current stream.
  DeviceAllocator(Device device, MemoryDriver& driver, StreamMemory& (*current)(DeviceAllocator&));

  Storage* allocate(std::size_t bytes) override { return allocate(bytes, false); }
  /// `plain`: memory that the driver allocated as a whole, for NCCL and other processes.
  Storage* allocate(std::size_t bytes, bool plain);
  void release(Storage* storage) noexcept override;

  CachingMemory& memory() { return memory_; }
  Device device() const { return device_; }
  /// Throws the first error that the debug mode found and clears it.
  void throw_damage();

 private:
  Block* allocate_under_pressure(StreamMemory& stream, std::size_t bytes, Purpose purpose, bool plain);
  Storage* allocate_slow(std::size_t bytes, bool plain);
  void release_slow(Storage* storage) noexcept;
  void check_zones(const Storage& storage, StreamToken stream);
  void note_damage(const std::string& text);
  [[noreturn]] void throw_out_of_memory(std::size_t bytes);

  const Device device_;
  CachingMemory memory_;
  StreamMemory& (*const current_)(DeviceAllocator&);
  std::mutex damage_mutex_;
  std::string damage_;
  std::atomic<bool> damaged_{false};
};

/// The message of a failed request: its size, the capacity, who uses the memory, what is unused, and one piece of
/// advice.
std::string out_of_memory_text(Device device, std::size_t bytes, MemoryDriver::Memory memory, std::size_t limit,
                               const MemoryStats& stats, const CachingStats& caching);

}  // namespace minima::device_memory
