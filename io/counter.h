#pragma once

#include <minima/io/state.h>

namespace minima::detail {

/// A value of a state that counts something and will go on counting: 0 to `most`, by default what a double still
/// counts. Throws ValueError for any other, so that no step after loading overflows.
MINIMA_API std::int64_t counter(const State& state, std::string_view name, std::int64_t most = std::int64_t{1} << 53);

}  // namespace minima::detail
