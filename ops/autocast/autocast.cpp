#include <minima/autograd/autocast_state.h>
#include <minima/ops/autocast/cast_cache.h>
#include <minima/ops/op.h>

#include <cstddef>

namespace minima::detail {

namespace {

bool is_eligible(const Tensor& x, const AutocastState& state) {
  return x.defined() && is_floating(x.dtype()) && x.dtype() != DType::float64 && state.of(x.device().type).enabled;
}

Tensor converted(const Tensor& x, DType dtype, const AutocastState& state) {
  if (x.dtype() == dtype) return x;
  if (state.cache && is_half(dtype) && CastCache::keeps(x)) return state.cache->cast(x, dtype);
  return x.to(dtype);
}

/// The widest participating dtype; float16 and bfloat16 together give float32.
DType widest(const Tensor* inputs, std::size_t count, const AutocastState& state) {
  bool found = false;
  DType dtype = DType::float32;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_eligible(inputs[i], state)) continue;
    dtype = found ? promote(dtype, inputs[i].dtype()) : inputs[i].dtype();
    found = true;
  }
  return dtype;
}

}  // namespace

CastCacheOwner::CastCacheOwner(bool wanted) : cache(wanted ? new CastCache : nullptr) {}
CastCacheOwner::~CastCacheOwner() { delete cache; }

void autocast_inputs(Cast policy, Tensor* inputs, std::size_t count) {
  const AutocastState& state = *mode().autocast;
  const DType common = policy == Cast::widest ? widest(inputs, count, state) : DType::float32;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor& x = inputs[i];
    if (!is_eligible(x, state)) continue;
    x = converted(x, policy == Cast::to_lower ? state.of(x.device().type).dtype : common, state);
  }
}

}  // namespace minima::detail
