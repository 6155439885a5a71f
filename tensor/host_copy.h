#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Writes the elements in row-major order, converted to T, to host memory of `count` = numel elements.
template <class T>
void copy_to_host(const Tensor& tensor, T* values, std::int64_t count);

/// One conversion, the same wherever minima casts: half types go through float; anything to bool is `!= 0`.
template <class To, class From>
MINIMA_HD constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (std::is_same_v<To, bool>) return static_cast<bool>(value != From(0));
  else if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>)
    return convert<To>(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>) return To(static_cast<float>(value));
  else return static_cast<To>(value);
}

}  // namespace minima::detail
