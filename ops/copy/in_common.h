#pragma once

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise.h>

namespace minima::detail {

/// f of the inputs in the dtype that a pointwise operator would compute in: the promoted one, or float32 if that is
/// a half type, to which the result is rounded. For operators made of others, so that no part of a formula is computed
/// in the narrower dtype of one input.
template <class F, class... In>
Tensor in_common(const F& f, const In&... in) {
  const Tensor* const list[] = {&in...};
  const DType dtype = promoted(list, sizeof...(In));
  return is_half(dtype) ? cast(f(cast(in, DType::float32)...), dtype) : f(cast(in, dtype)...);
}

}  // namespace minima::detail
