#pragma once

/// What this machine can do at most, with the threads that the library uses.
struct Roof {
  double bytes_per_second = 0;  ///< reading and writing memory: the best copy
  double flops_per_second = 0;  ///< multiply-adds of float32 in registers

  /// The least time for so much work: whatever of the two takes longer.
  double seconds(double flops, double bytes) const;
};

/// Measures both for about a second; the best of many short runs, so that other programs hardly matter.
Roof measure_roof();
