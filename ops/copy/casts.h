#pragma once

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/spec.h>
#include <minima/tensor/tensor.h>

// Conversions inside of operators that are made of others. Internal.

namespace minima::detail {

/// Half types in float32, others as they are: for operators made of others, which would round between them.
inline Tensor in_full(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::float32) : x; }

/// f of the inputs in the dtype that a pointwise operator would compute in: the promoted one, or float32 if that is
/// a half type, to which the result is rounded. For operators made of others, so that no part of a formula is computed
/// in the narrower dtype of one input.
template <class F, class... In>
Tensor in_common(const F& f, const In&... in) {
  const Tensor* const list[] = {&in...};
  const DType dtype = promoted(list, sizeof...(In));
  return is_half(dtype) ? cast(f(cast(in, DType::float32)...), dtype) : f(cast(in, dtype)...);
}

/// `values`, which are x's in another dtype and belong to no one else, recorded as a cast of x.
Tensor recorded_cast(const Tensor& x, const Tensor& values);

}  // namespace minima::detail
