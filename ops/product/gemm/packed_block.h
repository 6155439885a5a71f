#pragma once

#include <minima/ops/product/gemm/gemm_block.h>

// A block of a float32 product on processors with AVX2. Without AVX-512, oneDNN reads op(A)'s columns and op(B)'s rows
// in place, and they compete for a few sets of the L1 cache if they are a multiple of 512 bytes or of 1 KiB apart: the
// product then takes up to twice as long. This one repacks both.

namespace minima::detail {

/// Whether gemm_packed computes the block faster than oneDNN does.
bool packs(const GemmBlock<float>& block);

/// Computes the block. Returns false, with nothing done, in builds for processors without AVX2. Allocates before it
/// writes, so that a block that reads C can be retried.
bool gemm_packed(const GemmBlock<float>& block);

}  // namespace minima::detail
