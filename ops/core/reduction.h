#pragma once

#include <cstdint>

namespace minima {

/// How a loss combines its elements.
enum class Reduction : std::uint8_t { none, mean, sum };

}  // namespace minima
