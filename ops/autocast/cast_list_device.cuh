#pragma once

#include <minima/ops/autocast/cast_list.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

inline constexpr int max_casts = 256;
inline constexpr unsigned cast_threads = 256;
inline constexpr int cast_width = 8;   ///< elements of a pack: 32 bytes in, 16 bytes out
inline constexpr int cast_rounds = 4;  ///< packs of a thread, all loaded before the first is stored
inline constexpr std::int64_t cast_block = cast_threads * cast_width * cast_rounds;

/// The pieces of a launch: 8 KiB of a kernel's 32 KiB of parameters.
struct Casts {
  CastPiece piece[max_casts];
  std::uint32_t first_block[max_casts];
  std::int32_t count;
};

template <class T>
__global__ void __launch_bounds__(cast_threads) cast_list_kernel(const Casts casts) {
  using cuda::Pack;
  const int t = cuda::piece_of_block(casts.first_block, casts.count, blockIdx.x);
  const CastPiece& piece = casts.piece[t];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x - casts.first_block[t]) * cast_block;
  const std::int64_t left = piece.count - first;
  const int count = static_cast<int>(left < cast_block ? left : cast_block);
  const float* const from = piece.from + first;
  T* const to = static_cast<T*>(piece.to) + first;
  const bool is_packed =
      (reinterpret_cast<std::uintptr_t>(piece.from) | reinterpret_cast<std::uintptr_t>(piece.to)) % 16 == 0;
  const int packs = is_packed ? count / cast_width : 0;
  const int mine = static_cast<int>(threadIdx.x);
  Pack<float, cast_width> loaded[cast_rounds];
  MINIMA_UNROLL
  for (int r = 0; r < cast_rounds; ++r)
    if (const int p = mine + r * static_cast<int>(cast_threads); p < packs)
      loaded[r] = cuda::load_pack<float, cast_width>(from + p * cast_width);
  MINIMA_UNROLL
  for (int r = 0; r < cast_rounds; ++r)
    if (const int p = mine + r * static_cast<int>(cast_threads); p < packs) {
      Pack<T, cast_width> result;
      MINIMA_UNROLL
      for (int i = 0; i < cast_width; ++i) result.items[i] = convert<T>(loaded[r].items[i]);
      cuda::store_pack(to + p * cast_width, result);
    }
  for (int i = packs * cast_width + mine; i < count; i += static_cast<int>(cast_threads)) to[i] = convert<T>(from[i]);
}

}  // namespace minima::detail
