#pragma once

#include <cstdint>
#include <cstring>

// Moves tiles between sixteen lines of float32 and buffers in which the lines are side by side. A pair of neighbouring
// floats is a word of eight bytes: two real numbers, or one complex one. Internal to ops/fft.

namespace minima::detail::fourier {

constexpr std::int64_t tile_lines = 16, tile_words = 8;

using Words = double __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(64)));

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

/// even[word · step + line] and odd[…] = the two floats of the words that begin at lines[line] + at.
inline void load_tile(const float* const* lines, std::int64_t at, float* even, float* odd, std::int64_t step) {
  Words low[8], high[8];
  for (int l = 0; l < 8; ++l) {
    std::memcpy(&low[l], lines[l] + at, sizeof(Words));
    std::memcpy(&high[l], lines[l + 8] + at, sizeof(Words));
  }
  transpose(low);
  transpose(high);
  for (int w = 0; w < 8; ++w) {
    Floats a, b;
    std::memcpy(&a, &low[w], sizeof a);
    std::memcpy(&b, &high[w], sizeof b);
    const Floats first = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const Floats second = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    std::memcpy(even + w * step, &first, sizeof first);
    std::memcpy(odd + w * step, &second, sizeof second);
  }
}

/// The reverse, with all numbers multiplied.
inline void store_tile(float* const* lines, std::int64_t at, const float* even, const float* odd, std::int64_t step,
                       float scale) {
  Words low[8], high[8];
  for (int w = 0; w < 8; ++w) {
    Floats first, second;
    std::memcpy(&first, even + w * step, sizeof first);
    std::memcpy(&second, odd + w * step, sizeof second);
    first *= scale;
    second *= scale;
    const Floats a = __builtin_shufflevector(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const Floats b =
        __builtin_shufflevector(first, second, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    std::memcpy(&low[w], &a, sizeof a);
    std::memcpy(&high[w], &b, sizeof b);
  }
  transpose(low);
  transpose(high);
  for (int l = 0; l < 8; ++l) {
    std::memcpy(lines[l] + at, &low[l], sizeof(Words));
    std::memcpy(lines[l + 8] + at, &high[l], sizeof(Words));
  }
}

}  // namespace minima::detail::fourier
