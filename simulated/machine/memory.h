#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace simulated {

/// The memory that there is: allocations, pinned memory, reserved addresses and what is mapped there. Contents are
/// ordinary memory of this process at the same addresses, committed when written. Small new allocations are filled with
/// 0xFF bytes (NaN), as far as that costs little; what is freed or unmapped faults.
class Memory {
 public:
  enum class Kind : std::uint8_t { device, pool, pinned };
  struct Block {
    std::size_t bytes = 0;
    Kind kind = Kind::device;
    int device = 0;
  };

  Memory(std::vector<std::size_t> capacities);
  ~Memory();
  Memory(const Memory&) = delete;

  std::size_t capacity(int device) const { return books_[at(device)].capacity; }
  std::size_t free_bytes(int device) const { return books_[at(device)].capacity - books_[at(device)].used; }
  /// Takes memory that nothing points at, such as a context's; false if it is not there.
  bool charge(int device, std::size_t bytes);

  /// The GPUs' memory faults for the host: from now on there is access to it only during a Visit.
  void guard_against_host();
  bool is_guarded() const { return is_guarded_; }
  /// While it exists, this process may touch the memory of GPUs as they do. It lives under the machine's lock.
  class Visit {
   public:
    explicit Visit(Memory& memory);
    ~Visit();
    Visit(const Visit&) = delete;

   private:
    Memory& memory_;
  };

  /// Whether new memory is filled.
  void set_filling(bool filling) { filling_ = filling; }

  /// Null if the device is full.
  char* allocate(Kind kind, int device, std::size_t bytes);
  /// The block that starts there, or null.
  const Block* block(const void* address) const;
  void free(void* address);

  // --- virtual memory management ---

  using Handle = unsigned long long;
  char* reserve(std::size_t bytes, std::size_t alignment);
  /// The functions that return bool refuse what CUDA calls an invalid value.
  bool unreserve(char* address, std::size_t bytes);
  /// `exportable`: other processes and network cards can open it.
  std::optional<Handle> create(int device, std::size_t bytes, bool exportable);
  std::size_t exportable_bytes() const;
  /// Whether what is mapped there is exportable.
  bool is_exportable(const char* address) const;
  bool release(Handle handle);
  bool map(char* address, std::size_t bytes, Handle handle);
  bool is_whole_mappings(const char* address, std::size_t bytes) const;
  void unmap(char* address, std::size_t bytes);
  bool set_access(char* address, std::size_t bytes, int device, bool accessible);

  // --- questions ---

  struct Place {
    Kind kind;
    int device;
    char* start;
    std::size_t bytes;
  };
  /// The block or mapping that contains the address.
  std::optional<Place> find(const void* address) const;
  /// Whether it is an address of a GPU, mapped or not, or memory that was freed.
  bool is_device_address(const void* address) const;
  /// Whether all bytes are mapped, and for `device`; -1 for copies, which reach all devices.
  bool is_accessible(int device, const void* address, std::size_t bytes) const;

 private:
  struct Books {
    std::size_t capacity = 0, used = 0;
  };
  struct Physical {
    int device = 0;
    std::size_t bytes = 0;
    std::int64_t offset = 0;  ///< in file_
    int mappings = 0;
    bool exportable = false;
    bool released = false;
    bool poisoned = false;
  };
  struct Mapping {
    std::size_t bytes = 0;
    Handle handle = 0;
    std::set<int> devices;  ///< that may access it
  };
  static std::size_t at(int device) { return static_cast<std::size_t>(device); }
  void quarantine(char* address, std::size_t bytes);
  void drop_if_unused(Handle handle);
  bool is_open() const { return !is_guarded_ || visits_ > 0; }
  void protect_all() const;

  std::vector<Books> books_;
  std::map<char*, Block> blocks_;
  std::map<char*, std::size_t> freed_;  ///< addresses that are not used again for a while, so that late uses show
  std::deque<char*> freed_order_;
  std::map<char*, std::size_t> reservations_;
  std::map<char*, Mapping> mappings_;
  std::map<Handle, Physical> physical_;
  Handle next_handle_ = 1;
  int file_ = -1;  ///< the pages of all handles
  std::int64_t file_bytes_ = 0;
  bool filling_ = true;
  bool is_guarded_ = false;
  int visits_ = 0;
  std::size_t poisoned_bytes_ = 0;  ///< of file_, which filling commits
};

/// Sizes and addresses are multiples of this: cuMemGetAllocationGranularity.
inline constexpr std::size_t vmm_granularity = std::size_t{2} << 20;

}  // namespace simulated
