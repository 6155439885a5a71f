#pragma once

#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/gemm_block.h>

#include <cstdint>

// A block of a float32 product on the CPU with operands of a half type, of which no whole copy is made.

namespace minima::detail {

/// The first element of op(A) or op(B) that a block reads.
struct HalfOperand {
  const void* data;
  GemmOperand stored;
};

/// C [m, n] = op(A) [m, k] · op(B) [k, n] in float32, or added to C.
struct HalfBlock {
  std::int64_t m, n, k;
  HalfOperand a, b;
  float* c;
  std::int64_t ldc;
  bool accumulate;
};

/// Whether a product of m rows widens B in registers. With more rows, parts of both operands are widened into scratch
/// memory that stays in the cache, and `engine` multiplies them.
constexpr bool widens_in_registers(std::int64_t m, const GemmOperand& b) {
  return b.half != HalfType::none && m <= (b.transposed ? 32 : 4);
}

/// The sides up to which a block's operands are widened once. Rows of B are long, since each part of one is in another
/// page.
inline constexpr std::int64_t most_half_rows = 512;
constexpr std::int64_t most_half_columns(const GemmOperand& b) { return b.transposed ? 512 : 4096; }

void half_block(Engine engine, const HalfBlock& block);

}  // namespace minima::detail
