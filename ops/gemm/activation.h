#pragma once

#include <cstdint>

namespace minima {

/// What a layer applies to its result before storing it.
enum class Activation : std::uint8_t {
  none,
  relu,       ///< max(y, 0)
  gelu,       ///< y · Φ(y), the exact one
  gelu_tanh,  ///< its approximation by tanh, as GPT-2 has it
};

}  // namespace minima
