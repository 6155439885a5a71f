#include <minima/ops/autocast/cast_list.h>
#include <minima/ops/autocast/cast_list_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>

namespace minima::detail {

void cast_list_cuda(const CastPiece* pieces, std::size_t count, DType dtype) {
  for (std::size_t first = 0; first < count; first += max_casts) {
    Casts casts{};
    std::uint32_t blocks = 0;
    for (std::size_t i = first; i < std::min<std::size_t>(count, first + max_casts); ++i) {
      if (pieces[i].count == 0) continue;
      casts.piece[casts.count] = pieces[i];
      casts.first_block[casts.count++] = blocks;
      blocks += static_cast<std::uint32_t>((pieces[i].count + cast_block - 1) / cast_block);
    }
    if (blocks == 0) continue;
    const cuda::Grid grid{dim3(blocks), dim3(cast_threads)};
    if (dtype == DType::float16) cuda::launch("cast_list", grid, cast_list_kernel<Float16>, casts);
    else cuda::launch("cast_list", grid, cast_list_kernel<BFloat16>, casts);
  }
}

}  // namespace minima::detail
