#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

// A launch is given these, and gives these back.

namespace simulated::ptx {

class Program;

/// A GPU would stop at this, or its results would depend on luck: an address outside of every allocation or
/// misaligned for the access, a race, a barrier that some threads of the block do not reach, an unknown instruction.
/// The text names the kernel, the instruction, the thread and the block.
class Fault : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { misaligned, out_of_bounds, race, barrier, unknown, trap, endless };
  Fault(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct Shape {
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;  ///< dynamic shared memory
};

struct Range {
  std::uint64_t begin = 0, end = 0;
};
/// The allocation that contains an address, or none.
using FindRange = std::function<std::optional<Range>(std::uint64_t address)>;

struct Options {
  FindRange find_range{};    ///< empty: all addresses are accepted
  bool global_races = true;  ///< those on shared memory are always found
  /// 0 runs blocks and warps in order, 1 backwards; any other number is the seed of an order.
  std::uint64_t order = 0;
  std::uint64_t longest_block = std::uint64_t{1} << 32;  ///< in instructions of its warps; beyond, it counts as endless
  std::vector<std::uint64_t>* stretch_lanes = nullptr;   ///< gets on how many lanes each stretch of the program ran
};

/// The traffic of a warp's requests. A sector has 32 bytes (CUDA C++ Best Practices Guide, "Coalesced Access to Global
/// Memory").
struct Traffic {
  std::uint64_t requests = 0, sectors = 0;
  std::uint64_t bytes = 0;  ///< different bytes that lanes asked for
};

/// Sums over the warps of launches.
struct Counts {
  std::uint64_t launches = 0, blocks = 0;
  std::uint64_t instructions = 0;  ///< of warps
  std::uint64_t lanes = 0;         ///< of threads: at most 32 times as many
  std::uint64_t barriers = 0;
  Traffic loads, stores;  ///< of global memory
  std::uint64_t shared_requests = 0;
  /// How often shared memory serves 32 banks, and how often it would if no two lanes needed different words of a bank.
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;
  /// Global loads, and how often a warp waits for some: their quotient is the number in flight.
  std::uint64_t load_instructions = 0, load_waits = 0;

  Counts& operator+=(const Counts& other);
};

/// Runs all blocks, one after the other. `parameters` are the kernel's, at the offsets that PTX gives them. Throws
/// Fault.
Counts run(const Program& program, const Shape& shape, std::span<const std::uint8_t> parameters,
           const Options& options = {});

}  // namespace simulated::ptx
