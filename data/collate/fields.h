#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Compile-time reflection for samples and batches. Supported types: aggregates of up to twelve fields (without base
// classes, C arrays or std::optional), std::tuple, std::pair, std::array, std::vector and std::optional, arbitrarily
// nested.

namespace minima::data::detail {

/// Converts to any type; for unevaluated contexts.
struct AnyField {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyField{})...}; };
}

inline constexpr std::size_t max_fields = 12;

template <class T, std::size_t N = max_fields>
constexpr std::size_t count_fields() {
  if constexpr (N == 0) return 0;
  else if constexpr (takes_fields<T>(std::make_index_sequence<N>{})) return N;
  else return count_fields<T, N - 1>();
}

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// A struct with named fields.
template <class T>
concept FieldStruct = std::is_class_v<T> && std::is_aggregate_v<T> && !is_array<T> && (count_fields<T>() > 0);

/// The fields of a struct, tuple, pair or array as a tuple of references.
template <class T>
constexpr auto fields(T& x) {
  using U = std::remove_const_t<T>;
  if constexpr (is_array<U> || is_tuple<U>) {
    return std::apply([](auto&... f) { return std::tie(f...); }, x);
  } else {
    constexpr std::size_t count = count_fields<U>();
    // clang-format off
    if constexpr (count == 1) { auto& [a] = x; return std::tie(a); }
    else if constexpr (count == 2) { auto& [a, b] = x; return std::tie(a, b); }
    else if constexpr (count == 3) { auto& [a, b, c] = x; return std::tie(a, b, c); }
    else if constexpr (count == 4) { auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
    else if constexpr (count == 5) { auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
    else if constexpr (count == 6) { auto& [a, b, c, d, e, f] = x; return std::tie(a, b, c, d, e, f); }
    else if constexpr (count == 7) { auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
    else if constexpr (count == 8) { auto& [a, b, c, d, e, f, g, h] = x; return std::tie(a, b, c, d, e, f, g, h); }
    else if constexpr (count == 9) { auto& [a, b, c, d, e, f, g, h, i] = x; return std::tie(a, b, c, d, e, f, g, h, i); }
    else if constexpr (count == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = x; return std::tie(a, b, c, d, e, f, g, h, i, j); }
    else if constexpr (count == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k); }
    else { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l); }
    // clang-format on
  }
}

template <class T>
concept HasFields = is_array<T> || is_tuple<T> || FieldStruct<T>;

template <class T>
using FieldsOf = decltype(fields(std::declval<T&>()));
template <class T>
inline constexpr std::size_t field_count = std::tuple_size_v<FieldsOf<T>>;
template <class T, std::size_t I>
using FieldAt = std::remove_cvref_t<std::tuple_element_t<I, FieldsOf<T>>>;

/// Calls f(std::integral_constant<std::size_t, i>) for every field i.
template <class T, class F>
constexpr void for_each_field(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<field_count<T>>{});
}

}  // namespace minima::data::detail
