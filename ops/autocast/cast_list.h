#pragma once

#include <minima/tensor/base/dtype.h>

#include <cstddef>
#include <cstdint>

namespace minima::detail {

/// Dense float32 values on a GPU, and where they go in a half type.
struct CastPiece {
  const float* from;
  void* to;
  std::int64_t count;
};

/// Converts all pieces to `dtype`, float16 or bfloat16, in a launch for each 256 of them.
void cast_list_cuda(const CastPiece* pieces, std::size_t count, DType dtype);

}  // namespace minima::detail
