#include <minima/amp/autocast.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/ops/autocast/cast_cache.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::amp {

Autocast::Autocast(DeviceType type, const AutocastOptions& options) {
  if (options.enabled && !is_half(options.dtype))
    throw DTypeError(str("Autocast: dtype must be float16 or bfloat16, got ", options.dtype));
  if (const auto* outer = detail::mode().autocast) state_ = *outer;
  state_.of(type) = {options.enabled, options.dtype};
  if (!options.cache || !options.enabled) state_.cache = nullptr;
  else if (!state_.cache) {
    state_.cache = new detail::CastCache(true);
    owns_cache_ = true;
  }
  detail::mode().autocast = &state_;
}

Autocast::~Autocast() {
  if (owns_cache_) delete state_.cache;
}

bool is_autocast_enabled(DeviceType type) { return detail::autocasts(detail::mode().autocast, type); }

DType autocast_dtype(DeviceType type) {
  const auto* state = detail::mode().autocast;
  return state ? state->of(type).dtype : detail::AutocastSetting().dtype;
}

}  // namespace minima::amp
