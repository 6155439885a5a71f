#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <string>
#include <type_traits>

// Builds messages without iostream: str("matmul: inner sizes differ: a ", a.shape(), " × b ", b.shape()).

namespace minima {

class Tensor;

namespace detail {

MINIMA_API void append(std::string& out, const char* text);
MINIMA_API void append(std::string& out, const std::string& text);
MINIMA_API void append(std::string& out, char value);
MINIMA_API void append(std::string& out, long long value);
MINIMA_API void append(std::string& out, unsigned long long value);
/// The shortest text that parses back to the same number.
MINIMA_API void append(std::string& out, float value);
MINIMA_API void append(std::string& out, double value);
MINIMA_API void append(std::string& out, DType dtype);
MINIMA_API void append(std::string& out, Device device);
/// `[32, 784]`
MINIMA_API void append(std::string& out, const Shape& shape);
/// `float32 [32, 784]`, with the device unless it is the CPU; `undefined` for an undefined tensor.
MINIMA_API void append(std::string& out, const Tensor& tensor);

template <class T>
void append_any(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) append(out, value ? "true" : "false");
  else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, float> || !std::is_arithmetic_v<T>)
    append(out, value);
  else if constexpr (std::is_floating_point_v<T>) append(out, static_cast<double>(value));
  else if constexpr (std::is_signed_v<T>) append(out, static_cast<long long>(value));
  else append(out, static_cast<unsigned long long>(value));
}

}  // namespace detail

/// Formats and concatenates its arguments.
template <class... Parts>
std::string str(const Parts&... parts) {
  std::string out;
  (detail::append_any(out, parts), ...);
  return out;
}

}  // namespace minima
