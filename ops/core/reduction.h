#pragma once

#include <cstdint>

namespace minima {

/// What a loss does with the losses of its elements.
enum class Reduction : std::uint8_t { none, mean, sum };

}  // namespace minima
