#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima::amp::detail {

/// A scaler's update, on the device: shrinks the scale if a step found an infinity, grows it after `interval` finite
/// steps. The scale never overflows and never becomes subnormal.
struct ScaleUpdate {
  double growth, backoff;
  std::int32_t interval;

  MINIMA_HD void operator()(float& scale, std::int32_t& tracker, double& inverse, bool found_inf) const {
    constexpr float largest = 3.4028234663852886e38f, smallest = 1.1754943508222875e-38f;
    if (found_inf) {
      if (scale * backoff >= smallest) scale = static_cast<float>(scale * backoff);
      tracker = 0;
    } else if (++tracker >= interval) {
      const double grown = scale * growth;
      if (grown <= largest) scale = static_cast<float>(grown);
      tracker = 0;
    }
    inverse = static_cast<float>(1.0 / static_cast<double>(scale));
  }
};

/// Runs ScaleUpdate in a kernel. `found_inf` holds `count` device addresses.
inline constexpr int max_found_inf = 64;
struct FoundInf {
  const float* of[max_found_inf];
  int count;
};
void update_scale_cuda(const ScaleUpdate& update, float* scale, std::int32_t* tracker, double* inverse,
                       const FoundInf& found_inf);

}  // namespace minima::amp::detail
