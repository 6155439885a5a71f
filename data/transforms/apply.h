#pragma once

#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

#include <type_traits>

namespace minima::data::detail {

/// Throws ValueError unless 0 ≤ probability ≤ 1.
MINIMA_API void check_probability(const char* transform, double probability);

/// transform(image, random), or transform(image) if it takes no random stream.
template <class Transform>
Tensor apply_transform(const Transform& transform, const Tensor& image, RandomStream& random) {
  if constexpr (std::is_invocable_v<const Transform&, const Tensor&, RandomStream&>) return transform(image, random);
  else return transform(image);
}

}  // namespace minima::data::detail
