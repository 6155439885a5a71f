#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

enum class PadMode : std::uint8_t {
  constant,   ///< a constant value
  reflect,    ///< mirrored without repeating the edge: c b | a b c | b a
  replicate,  ///< the edge repeated: a a | a b c | c c
  circular,   ///< wrapped around: b c | a b c | a b
};
/// Pads the last dimensions as torch.nn.functional.pad does: {left, right} of the last dimension, then of the one
/// before it, and so on. Negative amounts crop (mode constant only). Throws ShapeError where reflect or circular would
/// need more elements than exist, ValueError if x's dtype cannot hold the value.
///   pad(images, {1, 1, 2, 2})   // one column on each side, two rows above and below
MINIMA_API Tensor pad(const Tensor& x, const Shape& amounts, PadMode mode = PadMode::constant, Scalar value = 0);

}  // namespace minima
