#pragma once

#include <minima/ops/core/copy_kernels.h>
#include <minima/tensor/complex/parts.h>
#include <minima/tensor/zero_memory.h>

namespace minima::detail {

/// Copies between complex and other dtypes as real copies: real numbers get imaginary parts of 0, and complex ones lose
/// theirs. Returns false if neither dtype is complex.
inline bool copy_complex(const Tensor& from, const Tensor& to, void (*copy)(const Tensor&, const Tensor&)) {
  const bool complex_from = is_complex(from.dtype()), complex_to = is_complex(to.dtype());
  if (!complex_from && !complex_to) return false;
  if (complex_from && complex_to) {
    copy(parts_of(from), parts_of(to));
  } else if (complex_from) {
    copy(part_of(from, 0), to);
  } else {
    const Tensor zero = zeroed({}, {.dtype = real_dtype(to.dtype()), .device = to.device()});
    copy(from, part_of(to, 0));
    copy(Tensor(new TensorImpl(zero.impl()->storage, zero.layout().expanded(to.shape()), zero.dtype())),
         part_of(to, 1));
  }
  return true;
}

}  // namespace minima::detail
