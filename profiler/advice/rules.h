#pragma once

#include <minima/profiler/advice/workbench.h>  // IWYU pragma: export
#include <minima/tensor/base/api.h>

#include <vector>

// The rules of `advise`. A new one is a function in one of the files …_rules.cpp, a line here and a line in rules.cpp.

namespace minima::profiler {

/// A rule looks at the workbench's profile, tries what may help, and adds trials; or none, if it doesn't apply.
struct Rule {
  const char* name;
  void (*attempt)(Workbench& bench);
};

/// All of them, in the order in which they are tried.
MINIMA_API const std::vector<Rule>& rules();

namespace detail {

// step_rules.cpp: the step under another mode, or on another batch
void try_autocast(Workbench& bench);
void try_channels_last(Workbench& bench);
void try_one_thread(Workbench& bench);
void try_batch_sizes(Workbench& bench);

// gpu_rules.cpp
void try_captured_step(Workbench& bench);
void try_pinned_memory(Workbench& bench);
void try_placement(Workbench& bench);

// network_rules.cpp: the network with other parameters or checkpoints
void try_padding(Workbench& bench);
void try_recomputation(Workbench& bench);

// fusing_rules.cpp
void try_fusing(Workbench& bench);

}  // namespace detail

}  // namespace minima::profiler
