#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima::data::detail {

/// Makes rank 0's seed the default one until the next `manual_seed`. Internal.
MINIMA_API void share_seed(std::uint64_t first_ranks);

}  // namespace minima::data::detail
