#pragma once

#include <cstdint>

// Moves tiles between sixteen lines of float32 and buffers in which the lines are side by side. A pair of neighbouring
// floats is a word of eight bytes: two real numbers, or one complex one. Internal to ops/fft.

namespace minima::detail::fourier {

constexpr std::int64_t tile_lines = 16, tile_words = 8;

// The compiler would take vectors wider than the processor's apart, number by number. With AVX2, whose shuffles are
// slow across halves, 32 bytes take two to four times as long as 16 (EPYC, g++ 12).
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#else
constexpr int vector_bytes = 16;
#endif
constexpr int words_of_vector = vector_bytes / 8;
using Words = double __attribute__((vector_size(vector_bytes)));
using Floats = float __attribute__((vector_size(vector_bytes)));
// The same anywhere in memory. A memcpy of 64 bytes would be two moves of 32, which the processor can't load as one.
using LooseWords = double __attribute__((vector_size(vector_bytes), aligned(alignof(float)), may_alias));
using LooseFloats = float __attribute__((vector_size(vector_bytes), aligned(alignof(float)), may_alias));

#if defined(__AVX512F__)

/// Transposes 8 × 8 words.
inline void transpose(Words (&w)[8]) {
  Words a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(w[i], w[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(w[i], w[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int half = 0; half < 4; ++half) {
    const int i = half < 2 ? half : half + 2;
    b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    b[i + 2] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    w[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    w[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Takes pairs apart.
inline void split(const Floats& a, const Floats& b, Floats& even, Floats& odd) {
  even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
/// The reverse.
inline void join(const Floats& even, const Floats& odd, Floats& a, Floats& b) {
  a = __builtin_shufflevector(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  b = __builtin_shufflevector(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

#else

/// Transposes 2 × 2 words.
inline void transpose(Words (&w)[2]) {
  const Words a = __builtin_shufflevector(w[0], w[1], 0, 2), b = __builtin_shufflevector(w[0], w[1], 1, 3);
  w[0] = a;
  w[1] = b;
}

/// Takes pairs apart.
inline void split(const Floats& a, const Floats& b, Floats& even, Floats& odd) {
  even = __builtin_shufflevector(a, b, 0, 2, 4, 6);
  odd = __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
/// The reverse.
inline void join(const Floats& even, const Floats& odd, Floats& a, Floats& b) {
  a = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
  b = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
}

#endif

inline Words words_at(const float* from) { return *reinterpret_cast<const LooseWords*>(from); }
inline Floats floats_at(const float* from) { return *reinterpret_cast<const LooseFloats*>(from); }
inline void put(float* to, const Words& words) { *reinterpret_cast<LooseWords*>(to) = words; }
inline void put(float* to, const Floats& floats) { *reinterpret_cast<LooseFloats*>(to) = floats; }

/// even[word · step + line] and odd[…] = the two floats of the words that begin at lines[line] + at.
inline void load_tile(const float* const* lines, std::int64_t at, float* even, float* odd, std::int64_t step) {
  constexpr int side = words_of_vector;
  for (int line = 0; line < tile_lines; line += 2 * side)
    for (int word = 0; word < tile_words; word += side) {
      Words low[side], high[side];
      for (int l = 0; l < side; ++l) {
        low[l] = words_at(lines[line + l] + at + 2 * word);
        high[l] = words_at(lines[line + side + l] + at + 2 * word);
      }
      transpose(low);
      transpose(high);
      for (int w = 0; w < side; ++w) {
        Floats first, second;
        split(reinterpret_cast<Floats>(low[w]), reinterpret_cast<Floats>(high[w]), first, second);
        put(even + (word + w) * step + line, first);
        put(odd + (word + w) * step + line, second);
      }
    }
}

/// The reverse, with all numbers multiplied.
inline void store_tile(float* const* lines, std::int64_t at, const float* even, const float* odd, std::int64_t step,
                       float scale) {
  constexpr int side = words_of_vector;
  for (int line = 0; line < tile_lines; line += 2 * side)
    for (int word = 0; word < tile_words; word += side) {
      Words low[side], high[side];
      for (int w = 0; w < side; ++w) {
        const auto first = floats_at(even + (word + w) * step + line) * scale;
        const auto second = floats_at(odd + (word + w) * step + line) * scale;
        Floats a, b;
        join(first, second, a, b);
        low[w] = reinterpret_cast<Words>(a);
        high[w] = reinterpret_cast<Words>(b);
      }
      transpose(low);
      transpose(high);
      for (int l = 0; l < side; ++l) {
        put(lines[line + l] + at + 2 * word, low[l]);
        put(lines[line + side + l] + at + 2 * word, high[l]);
      }
    }
}

}  // namespace minima::detail::fourier
