#pragma once

#include <istream>
#include <string>

namespace simulated {

/// What the code of an own kernel does per thread, counted from what the compiler made of it. Its speed follows from
/// these and from the grid; there is no factor to enter by hand.
struct KernelCounts {
  double load_bytes = 4;       ///< bytes of one load of a thread
  double loads_in_flight = 1;  ///< loads that a thread issues before it needs the first
  double sectors = 1;          ///< 32-byte sectors moved for each that holds bytes which were asked for
  double most_bytes = 0;       ///< that a thread of a kernel without a loop can move; 0: it has a loop
};

/// The counts of a kernel by its name, or for one that was not counted the assumption: one load of 4 bytes in flight
/// per thread, without waste. That is what most loops compile to; loops over 16-byte packs move four times as much.
KernelCounts counts_of(const std::string& kernel);

/// Adds counts, one kernel a line: "NAME LOAD_BYTES LOADS_IN_FLIGHT SECTORS [MOST_BYTES]", where NAME is how the
/// kernel's name begins; the longest match wins. `#` starts a comment. Throws std::invalid_argument that names the
/// line.
void add_kernel_counts(std::istream& text);

}  // namespace simulated
