#pragma once

#include <minima/ops/cudnn/graph.h>

#include <cstddef>
#include <string>
#include <vector>

namespace simulated {

/// A way to compute a graph. The failure plan and calls() know it by its name.
struct Engine {
  std::string name;
  std::size_t workspace = 0;
  double seconds = 0;   ///< of the simulated clock
  bool varies = false;  ///< from run to run
  bool rounds_to_tf32 = false;
  bool compiles = false;           ///< its kernel, when a plan is prepared; others come with the library
  bool is_for_all_shapes = false;  ///< can compile a kernel that serves other batches, lengths and sizes, too
};

/// The engines for a graph on a GPU of this compute capability (90 for 9.0), in the order that heuristics prefer.
/// Empty, with the reason in `why`, where cuDNN refuses.
std::vector<Engine> engines_of(const minima::detail::ConvGraph& graph, int sm, std::string& why);
std::vector<Engine> engines_of(const minima::detail::AttentionGraph& graph, int sm, std::string& why);

}  // namespace simulated
