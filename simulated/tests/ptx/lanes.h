#pragma once

#include "simulated/tests/ptx/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// One instruction on many values, compared with a function.

namespace simulated::ptx {

/// Values at which instructions go wrong, and random ones.
template <class T> std::vector<T> interesting() {
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    for (const T x : {T{0}, T{1}, T{0.5}, T{1.5}, T{2.5}, T{3}, T{127.5}, limits::min(), limits::denorm_min(),
                      limits::min() / 2, limits::max(), limits::infinity(), T{65504}, T{65520}, T{6e-8},
                      T{2147483648.0}, T{1e18}, T{88}, T{0.999999}}) {
      values.push_back(x);
      values.push_back(-x);
    }
    values.push_back(limits::quiet_NaN());
  } else {
    for (const int x : {0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 100, -1, -2, -128}) values.push_back(static_cast<T>(x));
    values.push_back(std::numeric_limits<T>::max());
    values.push_back(std::numeric_limits<T>::min());
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t bits = random();
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(
          std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), static_cast<int>(bits % 40) - 70));
    values.push_back(value);
  }
  return values;
}

template <class T> std::string register_of(unsigned i) {
  const char* const name = std::is_same_v<T, float>    ? "%f"
                           : std::is_same_v<T, double> ? "%e"
                           : sizeof(T) == 2            ? "%h"
                           : sizeof(T) == 4            ? "%r"
                                                       : "%d";
  return name + std::to_string(i);
}
template <class T> std::string memory_type() { return "b" + std::to_string(8 * sizeof(T)); }
/// The address of this thread's element: its number times its size in %d30.
template <class T> std::string address(unsigned pointer) {
  return "mul.wide.u32 %d30, %t, " + std::to_string(sizeof(T)) + ";\nadd.s64 %d31, %a" + std::to_string(pointer) +
         ", %d30;\n";
}

/// NaNs are alike.
template <class T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
  else return a == b;
}

/// d = instruction of the sources; f of the same values is what is expected, within `error` relative to it. setp writes
/// 1 or 0.
template <class D, class... S, class F> void expect_lanes(const std::string& instruction, F f, double error = 0) {
  constexpr unsigned count = sizeof...(S);
  SCOPED_TRACE(instruction);
  // All pairs of the first two, and of a third and fourth whatever comes.
  std::tuple<std::vector<S>...> columns;
  std::size_t rows = 0;
  const auto fill = [&]<std::size_t... i>(std::index_sequence<i...>) {
    const std::size_t n = interesting<std::tuple_element_t<0, std::tuple<S...>>>().size();
    rows = count == 1 ? n : n * 40;
    (
        [&] {
          const auto values = interesting<S>();
          for (std::size_t row = 0; row < rows; ++row)
            std::get<i>(columns).push_back(
                values[i == 0 ? row % n : (row / n * (2 * i - 1) + row * (i / 2) * 7) % values.size()]);
        }(),
        ...);
  };
  fill(std::index_sequence_for<S...>());
  rows = (rows + 1023) / 1024 * 1024;
  std::vector<D> result(rows);
  std::string loads, sources, pointers;
  unsigned i = 0;
  (
      [&] {
        loads += address<S>(i) + "ld.global." + memory_type<S>() + " " + register_of<S>(i) + ", [%d31];\n";
        sources += ", " + register_of<S>(i);
        ++i;
      }(),
      ...);
  const bool compares = instruction.starts_with("setp");
  const std::string body = "mov.u32 %r30, %ctaid.x;\nmad.lo.s32 %t, %r30, %n, %t;\n" + loads + instruction + " " +
                           (compares ? "%p1" : register_of<D>(10)) + sources + ";\n" +
                           (compares ? "selp.u32 %r10, 1, 0, %p1;\n" : "") + address<D>(count) + "st.global." +
                           memory_type<D>() + " [%d31], " + register_of<D>(10) + ";";
  const auto launch = [&](auto&... arrays) {
    (arrays.resize(rows), ...);
    run_body(body, static_cast<unsigned>(rows / 256), 256, arrays..., result);
  };
  std::apply(launch, columns);
  unsigned wrong = 0;
  for (std::size_t row = 0; row < rows && wrong < 5; ++row)
    std::apply(
        [&](const auto&... arrays) {
          const D expected = f(arrays[row]...);
          const bool close = error > 0 && std::fabs(static_cast<double>(result[row]) - static_cast<double>(expected)) <=
                                              error * std::fabs(static_cast<double>(expected));
          if (same(result[row], expected) || close) return;
          ++wrong;
          std::string of;
          ((of += " " + std::to_string(arrays[row])), ...);
          ADD_FAILURE() << "of" << of << ": " << +result[row] << ", expected " << +expected;
        },
        columns);
}

template <class T, class F> void expect_unary(const std::string& instruction, F f, double error = 0) {
  expect_lanes<T, T>(instruction, f, error);
}
template <class T, class F> void expect_binary(const std::string& instruction, F f, double error = 0) {
  expect_lanes<T, T, T>(instruction, f, error);
}
template <class T, class F> void expect_ternary(const std::string& instruction, F f, double error = 0) {
  expect_lanes<T, T, T, T>(instruction, f, error);
}

}  // namespace simulated::ptx
