#pragma once

#include "simulated/ptx/execution/launch.h"

#include <cstddef>
#include <map>
#include <string>

// The counts of a kernel say this about its speed on a GPU.

namespace simulated::ptx {

/// 1 is the best that can be, except for in_flight. Shares of what did not happen are 1.
struct Lint {
  double useful_loads = 1;    ///< bytes asked for / bytes of the sectors that were read
  double useful_stores = 1;   ///< the same for writes
  double bank_conflicts = 1;  ///< wavefronts of shared memory / those without conflicts
  double active_lanes = 1;    ///< of 32, over all instructions
  double in_flight = 0;       ///< global loads that a warp has under way when it first waits
};
Lint lint(const Counts& counts);

/// The limits that a kernel keeps; the default ones are for kernels that a table does not name.
struct Limits {
  double useful_loads = 0.5, useful_stores = 0.5, bank_conflicts = 2, active_lanes = 0.5;
};
/// Names what of a kernel is worse than its limits; empty if nothing is.
std::string complaint(const Lint& kernel, const Limits& limits);
/// Names the limits of its own that a kernel does not need any more, with those that it does; empty if it needs them.
std::string slack(const Lint& kernel, const Limits& limits);

/// A line per kernel that needs limits of its own: name, useful loads, useful stores, bank conflicts, active lanes.
/// Empty lines and what follows a # are skipped. Throws std::runtime_error with the line that it cannot read.
std::map<std::string, Limits> read_limits(const std::string& file);

/// All instances of a kernel together, by its own name.
std::map<std::string, Counts> by_name(const std::map<std::string, Counts>& by_signature);

struct Verdict {
  std::string report;  ///< the kernels that waste most, then a line for each that does not fit its limits
  bool kept = true;    ///< no kernel is worse than its limits, has loose ones, or has limits and did not run
};
Verdict judge(const std::map<std::string, Counts>& by_signature, const std::map<std::string, Limits>& limits);

/// Writes a line per kernel to a new file: the fields of Counts in their order, and the kernel's signature. Reads such
/// lines back, adding up those of the same kernel; throws std::runtime_error with the line that it cannot read.
void write_counts(const std::string& file, const std::map<std::string, Counts>& by_signature);
std::map<std::string, Counts> read_counts(const std::string& file);

/// The kernels by what they waste, worst first, as a table in Markdown of at most `rows` rows.
std::string table(const std::map<std::string, Counts>& counts, std::size_t rows);

}  // namespace simulated::ptx
