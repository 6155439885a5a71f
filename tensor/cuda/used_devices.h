#pragma once

#include <vector>

namespace minima::detail {

/// The GPUs that minima has used in this process, so that they have a context.
std::vector<int> used_devices();

}  // namespace minima::detail
