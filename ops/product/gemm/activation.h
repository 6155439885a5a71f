#pragma once

#include <cstdint>

namespace minima {

/// The activation that a layer applies before storing its result.
enum class Activation : std::uint8_t {
  none,
  relu,       ///< max(y, 0)
  gelu,       ///< y · Φ(y), exact
  gelu_tanh,  ///< the tanh approximation, as in GPT-2
};

}  // namespace minima
