#pragma once

#include "simulated/dryrun/dry_run.h"

#include <string>
#include <vector>

namespace simulated {

/// Fills in what follows from the report's pieces and host_calls: counts, bytes, times of the GPU, fallbacks. `refusal`
/// is why cuDNN refused a graph last.
void tally(DryRunReport& report, const std::string& refusal);

/// Pieces with the same name, operator and direction.
struct KernelGroup {
  std::string name, op;
  bool backward = false;
  std::int64_t count = 0;
  double bytes = 0, flops = 0, milliseconds = 0;
  double roof = 0;    ///< the least that the bytes and operations could take, by the time taken
  double filled = 0;  ///< the share of the waves' places that have a block, on average over the time
};
/// Longest first.
std::vector<KernelGroup> groups_of(const DryRunReport& report);

/// A conversion to another dtype, and a copy into another memory order; one kernel may be both, or neither.
bool is_cast(const Piece& piece);
bool is_layout_copy(const Piece& piece);

}  // namespace simulated
