#pragma once

/// The limits of this machine, with as many threads as the library uses.
struct Roof {
  double bytes_per_second = 0;  ///< memory reads and writes of the best copy
  double flops_per_second = 0;  ///< float32 multiply-adds in registers

  /// The minimum time for this work: the larger of the two limits.
  double seconds(double flops, double bytes) const;
};

/// Measures both for about a second in total. Takes the best of many short runs, so other programs hardly matter.
Roof measure_roof();
