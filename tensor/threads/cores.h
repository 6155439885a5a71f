#pragma once

namespace minima::detail {

/// The cores that this process may use: its affinity, and the CPU quota of its control group rounded up to whole cores.
int usable_cores();

}  // namespace minima::detail
