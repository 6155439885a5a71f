#pragma once

#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Finds the tensors among a forward's arguments and in its result, so ModuleOf can pass them to hooks.

namespace minima::nn::detail {

template <class T>
inline constexpr bool is_tensor = std::is_base_of_v<Tensor, std::remove_cvref_t<T>>;

template <class T>
void collect_argument(const T& argument, std::vector<Tensor>& inputs) {
  if constexpr (is_tensor<T>) inputs.push_back(argument);
}

/// An argument while hooks run: tensors by value, since a hook may replace them; anything else forwarded as is.
template <class T>
using Held = std::conditional_t<is_tensor<T>, Tensor, T&&>;

template <class T>
Held<T> hold(std::remove_reference_t<T>& argument, const std::vector<Tensor>& inputs, std::size_t& next) {
  if constexpr (is_tensor<T>) return inputs.at(next++);
  else return static_cast<T&&>(argument);
}

/// A struct of so many tensors, such as LstmResult.
template <class T, std::size_t... I>
constexpr bool takes_tensors(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Tensor())...}; };
}
template <class T, std::size_t count>
inline constexpr bool is_struct_of_tensors = std::is_aggregate_v<T> && sizeof(T) == count * sizeof(Tensor) &&
                                             takes_tensors<T>(std::make_index_sequence<count>());

template <class T, class F>
void for_each_tensor(T& value, F&& f);

template <class T, class F>
void for_each_tensor_in(std::vector<T>& values, F& f) {
  for (T& value : values) for_each_tensor(value, f);
}
template <class T, class F>
void for_each_tensor_in(std::optional<T>& value, F& f) {
  if (value) for_each_tensor(*value, f);
}
template <class T, class F>
requires requires { std::tuple_size<T>::value; } void for_each_tensor_in(T& tuple, F& f) {
  std::apply([&](auto&... values) { (for_each_tensor(values, f), ...); }, tuple);
}

/// Calls f(Tensor&) for a tensor, or for each in a tuple, pair, array, vector, optional or struct of two or three
/// tensors; ignores anything else.
template <class T, class F>
void for_each_tensor(T& value, F&& f) {
  if constexpr (std::is_same_v<T, Tensor>) f(value);
  else if constexpr (requires { for_each_tensor_in(value, f); }) for_each_tensor_in(value, f);
  else if constexpr (is_struct_of_tensors<T, 2>) {
    auto& [first, second] = value;
    f(first), f(second);
  } else if constexpr (is_struct_of_tensors<T, 3>) {
    auto& [first, second, third] = value;
    f(first), f(second), f(third);
  }
}

}  // namespace minima::nn::detail
