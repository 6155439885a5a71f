#include <minima/ops/product/gemm/half_block.h>

#include <minima/ops/product/gemm/engine.h>
#include <minima/tensor/base/error.h>

// In place of ops/product/gemm/half_block.cpp in programs that link the library's core alone.

namespace minima::detail {

void half_block(Engine, const HalfBlock&) {
  throw DTypeError(
      "matmul: this program is linked with minima's core, which multiplies float32 and float64 only on the CPU; link "
      "minima::minima for float16 and bfloat16");
}

}  // namespace minima::detail
