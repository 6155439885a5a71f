#pragma once

#include <minima/tensor/base/device.h>

#include <cstdint>
#include <vector>

// A cache of cuFFT's plans. Internal.

namespace minima::detail {

enum class Transform : std::uint8_t { complex, real_to_complex, complex_to_real };

/// Many transforms of one size. Element [i, j, k] of transform b is at b · distance + ((i · n1 + j) · n2 + k) · stride.
/// Half spectra have n/2 + 1 elements along the last dimension.
struct TransformPlan {
  Transform kind = Transform::complex;
  bool is_double = false;
  std::vector<long long> n;  ///< at most three
  long long stride = 1;      ///< of input and output
  long long in_distance = 0, out_distance = 0;
  long long batch = 1;
};

/// Runs it on the device's current stream. Addresses are aligned to complex numbers; a transform to real numbers
/// destroys its input. Throws CaptureError in a capture if the plan is new: making it allocates memory.
void run_cufft(const TransformPlan& plan, Device device, void* from, void* to, bool inverse);

}  // namespace minima::detail
