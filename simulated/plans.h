#pragma once

#include <string>

// A test plans how long a library's plans take, besides the failures of simulation.h.

namespace simulated {

/// Work by an engine or plan of this name in the census ("split_k", "tile 64, 4 parts") takes this long from now on.
void set_seconds(const std::string& plan, double seconds);

/// Forgets these times, and the failures that were planned and have not come.
void forget_plans();

}  // namespace simulated
