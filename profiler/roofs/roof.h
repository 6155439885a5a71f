#pragma once

#include <minima/tensor/base/api.h>

namespace minima::profiler {

/// The limits of a machine.
struct Roof {
  double bytes_per_second = 0;       ///< memory reads and writes of the best copy of 16 MiB: memcpy's or copy_'s
  double flops_per_second = 0;       ///< float32 arithmetic: of multiply-adds in registers or of a product, the faster
  double call_seconds = 0;           ///< of an operator that has nothing to do; on a GPU between two kernels
  double half_flops_per_second = 0;  ///< of products in half types, if they are faster; 0: no faster

  /// The minimum time for this work: the larger of its two limits.
  MINIMA_API double seconds(double flops, double bytes, bool half = false) const;
  /// The arithmetic's rate, in half types or float32.
  double rate(bool half) const { return half && half_flops_per_second > 0 ? half_flops_per_second : flops_per_second; }
};

/// Measures the CPU's, with as many threads as the library uses, for about a second and a half. Takes the best of many
/// short runs, so that other programs matter little, unless they leave no core free as long.
MINIMA_API Roof measure_roof();
/// The same, measured at the first call.
MINIMA_API const Roof& machine_roof();

}  // namespace minima::profiler
