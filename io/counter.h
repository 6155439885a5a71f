#pragma once

#include <minima/io/state.h>

namespace minima::detail {

/// A counter in a state, from 0 to `most`; the default is the largest count that a double holds exactly. Throws
/// ValueError outside that range, so that no step after loading overflows.
MINIMA_API std::int64_t counter(const State& state, std::string_view name, std::int64_t most = std::int64_t{1} << 53);

}  // namespace minima::detail
