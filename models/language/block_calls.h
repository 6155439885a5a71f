#pragma once

#include <cstdint>

namespace minima::models {

/// How a language model calls its blocks. Hooks of blocks, such as a memory budget's, make the first two the same.
enum class BlockCalls : std::uint8_t {
  chained,       ///< the norm of the next block adds the branch of the one before, in one pass over memory
  separate,      ///< one after the other
  checkpointed,  ///< as `separate`, and backward recomputes each
};

}  // namespace minima::models
