#pragma once

#include <minima/tensor/base/api.h>

namespace minima::detail {

/// Whether the default generator still has the seed that the operating system gave to this process. Internal.
MINIMA_API bool has_system_seed();

}  // namespace minima::detail
