#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>

namespace minima::detail {

class CastCache;

/// Autocast's settings for one type of device.
struct AutocastSetting {
  bool enabled = false;
  DType dtype = DType::bfloat16;
};

/// Holds the settings of an autocast region (amp/autocast.h); the recording mode points to it.
struct AutocastState {
  AutocastSetting cpu, cuda;
  CastCache* cache = nullptr;  ///< null if casts of weights are not cached

  AutocastSetting& of(DeviceType type) { return type == DeviceType::cpu ? cpu : cuda; }
  const AutocastSetting& of(DeviceType type) const { return type == DeviceType::cpu ? cpu : cuda; }
};

/// A separate cache for a region that is entered again. Defined in ops/.
struct MINIMA_API CastCacheOwner {
  explicit CastCacheOwner(bool wanted);
  ~CastCacheOwner();
  CastCacheOwner(const CastCacheOwner&) = delete;
  CastCacheOwner& operator=(const CastCacheOwner&) = delete;
  CastCache* const cache;
};

/// Whether autocast with this state (null: none) applies to this type of device.
inline bool autocasts(const AutocastState* state, DeviceType type) { return state && state->of(type).enabled; }

}  // namespace minima::detail
