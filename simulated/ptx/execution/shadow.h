#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace simulated::ptx {

/// The thread that touches memory, and the time. Intervals number the times between barriers of all blocks of a launch,
/// one after the other: block after block, so those from `first_interval` on are the block's own.
struct Moment {
  std::uint32_t interval = 0, first_interval = 0;
  std::uint16_t thread = 0;
  std::uint16_t warp_interval = 0;  ///< numbers the times between barriers of the warp
  std::uint32_t statement = 0;
};

/// Remembers for each piece of memory which thread wrote and which threads read it last, and finds accesses that no
/// barrier orders: of two threads of a block in the same interval, of two blocks at any time. Barriers of a warp order
/// its lanes; one of some lanes only is taken for one of all, so a few races are missed.
class Shadow {
 public:
  /// `granule` bytes are watched together: no access of the kernel is smaller or crosses one.
  explicit Shadow(unsigned granule) : granule_(granule) {}

  struct Conflict {
    bool found = false;
    bool wrote = false;  ///< the earlier access
    bool other_block = false;
    std::uint16_t thread = 0;  ///< of the earlier access
    std::uint32_t statement = 0;
  };
  /// `same_value`: a write that changes nothing is no race with another write.
  Conflict write(std::uint64_t address, unsigned bytes, const Moment& now, bool same_value);
  Conflict read(std::uint64_t address, unsigned bytes, const Moment& now);
  /// Atomic operations do not race with each other.
  Conflict atomic(std::uint64_t address, unsigned bytes, const Moment& now);
  /// From now on the current block may use what all earlier blocks did.
  void acquire(std::uint32_t interval) { acquired_ = interval; }

 private:
  struct Stamp {
    std::uint32_t interval = 0, statement = 0;
    std::uint16_t thread = 0, warp_interval = 0;
    std::uint8_t flags = 0;
  };
  struct Cell {
    Stamp write, read;
  };
  static constexpr std::size_t cells_per_page = 1024;

  Cell& cell(std::uint64_t granule);
  bool ordered(const Stamp& before, const Moment& now) const;
  Conflict conflict(const Stamp& before, const Moment& now, bool wrote) const;
  template <class F> Conflict for_cells(std::uint64_t address, unsigned bytes, F f);

  unsigned granule_;
  std::uint32_t acquired_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Cell[]>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{};
  Cell* last_page_ = nullptr;
};

}  // namespace simulated::ptx
