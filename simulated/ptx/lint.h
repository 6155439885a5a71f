#pragma once

#include "simulated/ptx/execution/launch.h"

#include <map>
#include <string>
#include <vector>

// What the counts of a kernel say about its speed on a GPU.

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
/// What of a kernel is worse than its limits, in words; empty if nothing is.
std::string complaint(const Lint& kernel, const Limits& limits);

/// "softmax_kernel" of "void minima::softmax_kernel<float>(float const*, long)".
std::string short_name(const std::string& signature);

/// Appends a line per kernel to a file, and reads such lines back, adding up those of the same kernel. Throws
/// std::runtime_error with the line that it cannot read.
void append_counts(const std::string& file, const std::map<std::string, Counts>& counts);
std::map<std::string, Counts> read_counts(const std::string& file);

/// The kernels by what they waste, worst first, as a table in Markdown of at most `rows` rows.
std::string table(const std::map<std::string, Counts>& counts, std::size_t rows);

}  // namespace simulated::ptx
