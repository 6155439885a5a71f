#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11). It is counter-based: element i of
// a call has the same value regardless of thread, vector width and device.

namespace minima {

struct Philox {
  struct Block {
    std::uint32_t word[4];
  };

  /// The four output words for a 128-bit counter and a 64-bit key, low word first.
  MINIMA_HD static Block block(Block counter, std::uint64_t key);
  /// The words at `position` of the stream of `seed`: counter = {position, 0}, key = seed.
  MINIMA_HD static Block at(std::uint64_t seed, std::uint64_t position) {
    return block({{static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32), 0u, 0u}}, seed);
  }
};

MINIMA_HD inline Philox::Block Philox::block(Block counter, std::uint64_t key) {
  std::uint32_t key0 = static_cast<std::uint32_t>(key);
  std::uint32_t key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {
        {static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// Fills words 4k … 4k+3 with the block at `position` + k of the stream of `seed`, for k < `blocks`. Vectorised; CPU
/// only.
MINIMA_API void philox_words(std::uint64_t seed, std::uint64_t position, std::uint32_t* words, std::int64_t blocks);

// From words to numbers. Element i of a call that starts at `offset` uses word i%4 at position offset + i/4; a float64
// uses two words at offset + i/2. Normal variates come in pairs that share their words: by Box-Muller the even element
// is the cosine, the odd one the sine.

/// Uniform on [0, 1) with 24 bits.
MINIMA_HD inline float uniform_float(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
/// Uniform on [0, 1) with 53 bits.
MINIMA_HD inline double uniform_double(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t wide = (static_cast<std::uint64_t>(high) << 32 | low) >> 11;
  return static_cast<double>(wide) * 0x1p-53;
}

}  // namespace minima
