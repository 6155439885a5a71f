#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// A kernel's instructions as they are run: a function for 32 lanes, and where its operands are. A register is a column
// of 32 values, a predicate a word of 32 bits, and immediates are columns of constants, so that loops over lanes
// become vector instructions.

namespace simulated::ptx {

inline constexpr unsigned warp_size = 32;
/// One bit per lane.
using Mask = std::uint32_t;
inline constexpr Mask all_lanes = 0xffffffffu;

class ThreadBlock;
struct Warp;

/// The place of a column: an offset into the warp's registers, or with the high bit into the program's constants.
using Place = std::uint32_t;
inline constexpr Place constant_bit = 0x80000000u;
inline constexpr Place nowhere = 0x7fffffffu;

enum class Space : std::uint8_t { generic, global, constant, shared, local, param };

struct Op {
  enum class Kind : std::uint8_t { plain, label, branch, branch_table, exit, barrier, warp_sync };
  using Run = void (*)(Warp& warp, const Op& op);

  Run run = nullptr;
  Kind kind = Kind::plain;
  bool guard_negated = false;
  Space space = Space::generic;
  std::uint8_t bytes = 0;     ///< of a memory access, per element
  std::uint8_t elements = 1;  ///< of a vector access
  std::uint8_t extends = 0;   ///< of loads and conversions: the register's bytes
  std::uint8_t mode = 0;      ///< for run's own use
  bool sign = false;          ///< a load extends the sign
  Place guard = nowhere;
  std::uint32_t statement = 0;                                          ///< in the body, for messages
  std::uint32_t target = 0;                                             ///< of branches; the number of a label
  std::array<Place, 5> x{nowhere, nowhere, nowhere, nowhere, nowhere};  ///< operands, results first
  std::array<Place, 3> more{nowhere, nowhere, nowhere};                 ///< the rest of a vector, or a second result
  std::int64_t offset = 0;                                              ///< of an address
};

/// 32 threads: their registers and which of them run.
struct Warp {
  unsigned char* registers = nullptr;
  const unsigned char* constants = nullptr;
  Mask mask = 0;  ///< the lanes that run the current instruction
  Mask carry = 0;
  unsigned number = 0;
  ThreadBlock* block = nullptr;
};

template <class T> const T* in(const Warp& warp, Place at) {
  return reinterpret_cast<const T*>(at & constant_bit ? warp.constants + (at & ~constant_bit) : warp.registers + at);
}
template <class T> T* out(Warp& warp, Place at) { return reinterpret_cast<T*>(warp.registers + at); }

/// Writes f(lane) to the lanes that run.
template <class T, class F> void each(Warp& warp, Place at, F f) {
  T result[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) result[lane] = f(lane);
  T* const to = out<T>(warp, at);
  if (warp.mask == all_lanes) {
    for (unsigned lane = 0; lane < warp_size; ++lane) to[lane] = result[lane];
  } else {
    for (unsigned lane = 0; lane < warp_size; ++lane) to[lane] = warp.mask >> lane & 1u ? result[lane] : to[lane];
  }
}

/// The same for a predicate.
inline void set_predicate(Warp& warp, Place at, Mask value) {
  Mask* const to = out<Mask>(warp, at);
  *to = (*to & ~warp.mask) | (value & warp.mask);
}

/// The bits of f(lane).
template <class F> Mask bits_of(F f) {
  alignas(8) std::uint8_t flags[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) flags[lane] = f(lane) ? 1 : 0;
  Mask result = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) result |= static_cast<Mask>(flags[lane]) << lane;
  return result;
}

/// Calls f for each lane that runs.
template <class F> void for_lanes(Mask mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctz(mask)));
}

}  // namespace simulated::ptx
