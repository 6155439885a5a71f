#pragma once

#include <cstddef>
#include <cstdint>

// Block sizes of the per-thread free lists: a 64-byte storage header plus 0, 64, 128, …, 1024 bytes of data, then eight
// steps per doubling up to 32 KiB. Powers of two waste nothing.

namespace minima::detail {

inline constexpr std::size_t header_bytes = 64;
inline constexpr std::size_t small_limit = std::size_t{32} << 10;
inline constexpr int small_class_count = 57;

/// ⌊log2(value)⌋ for value ≥ 1.
constexpr int log2_floor(std::size_t value) { return 63 - __builtin_clzll(value); }

/// The smallest class that holds `data_bytes` (≤ small_limit).
constexpr int size_class(std::size_t data_bytes) {
  if (data_bytes <= 1024) return static_cast<int>((data_bytes + 63) / 64);
  const int exponent = log2_floor(data_bytes - 1);
  return 9 + (exponent - 10) * 8 + static_cast<int>((data_bytes - 1) >> (exponent - 3));
}

/// The data bytes of a class.
constexpr std::size_t class_bytes(int size_class) {
  if (size_class <= 16) return static_cast<std::size_t>(size_class) * 64;
  const int above = size_class - 17, exponent = 10 + above / 8;
  return (std::size_t{1} << exponent) + (static_cast<std::size_t>(above % 8 + 1) << (exponent - 3));
}

static_assert(size_class(small_limit) == small_class_count - 1 && class_bytes(small_class_count - 1) == small_limit);

/// The number of blocks in a full magazine: about 64 KiB, at least 4 and at most 64 blocks.
constexpr std::uint32_t magazine_blocks(int size_class) {
  const std::size_t blocks = (std::size_t{64} << 10) / (header_bytes + class_bytes(size_class));
  return static_cast<std::uint32_t>(blocks < 4 ? 4 : blocks > 64 ? 64 : blocks);
}

/// Rounds up a size above 32 KiB: eight steps per doubling, but no step larger than 2 MiB.
constexpr std::size_t round_large(std::size_t data_bytes) {
  const int exponent = log2_floor(data_bytes - 1);
  const std::size_t step = std::size_t{1} << (exponent - 3 < 21 ? exponent - 3 : 21);
  return (data_bytes + step - 1) / step * step;
}

}  // namespace minima::detail
