#include "simulated/libraries/cufft/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace simulated {

namespace {

/// Everything is computed in the plan's precision, T, as on a GPU.
template <class T> using Number = std::complex<T>;

template <class T> Number<T> root(std::int64_t k, std::int64_t n, int sign) {
  return Number<T>(std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n)));
}

std::int64_t smallest_factor(std::int64_t n) {
  for (std::int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

/// to[k] = Σ_j from[j · step]·e^{sign·2πi·jk/n}: p transforms of every p-th number, put together.
template <class T> void line(const Number<T>* from, std::int64_t step, std::int64_t n, int sign, Number<T>* to) {
  if (n == 1) {
    to[0] = from[0];
    return;
  }
  const std::int64_t p = smallest_factor(n), m = n / p;
  for (std::int64_t r = 0; r < p; ++r) line(from + r * step, step * p, m, sign, to + r * m);
  std::vector<Number<T>> parts(to, to + n);
  for (std::int64_t k = 0; k < n; ++k) {
    to[k] = 0;
    for (std::int64_t r = 0; r < p; ++r)
      to[k] += parts[static_cast<std::size_t>(r * m + k % m)] * root<T>(r * k, n, sign);
  }
}

using Sizes = std::array<std::int64_t, 3>;

/// Along all dimensions of a row-major array.
template <class T> void all_lines(std::vector<Number<T>>& values, const Sizes& n, int sign) {
  std::int64_t inner = 1;
  for (int d = 2; d >= 0; --d) {
    const std::int64_t length = n[static_cast<std::size_t>(d)], block = length * inner;
    std::vector<Number<T>> result(static_cast<std::size_t>(length));
    for (std::int64_t start = 0; start < static_cast<std::int64_t>(values.size()); start += block)
      for (std::int64_t i = start; i < start + inner; ++i) {
        line(values.data() + i, inner, length, sign, result.data());
        for (std::int64_t k = 0; k < length; ++k)
          values[static_cast<std::size_t>(i + k * inner)] = result[static_cast<std::size_t>(k)];
      }
    inner = block;
  }
}

template <class T> Number<T> read(const char* from, std::int64_t place, bool is_complex) {
  T parts[2] = {0, 0};
  const std::size_t bytes = sizeof(T) * (is_complex ? 2 : 1);
  std::memcpy(parts, from + static_cast<std::size_t>(place) * bytes, bytes);
  return {parts[0], parts[1]};
}

template <class T> void write(char* to, std::int64_t place, bool is_complex, Number<T> value) {
  const T parts[2] = {value.real(), value.imag()};
  const std::size_t bytes = sizeof(T) * (is_complex ? 2 : 1);
  std::memcpy(to + static_cast<std::size_t>(place) * bytes, parts, bytes);
}

/// Calls visit(place, i, j, k) for the elements of a transform.
template <class Visit> void visit_all(const TransformSide& side, std::int64_t number, const Visit& visit) {
  for (std::int64_t i = 0; i < side.n[0]; ++i)
    for (std::int64_t j = 0; j < side.n[1]; ++j)
      for (std::int64_t k = 0; k < side.n[2]; ++k) visit(side.place(number, i, j, k), i, j, k);
}

template <class T> bool transform_as(const TransformPlan& plan, char* from, char* to, int sign) {
  const Sizes n = plan.n;
  const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<std::size_t>((i * n[1] + j) * n[2] + k);
  };
  bool is_defined = true;
  std::vector<std::vector<Number<T>>> transforms;
  for (std::int64_t b = 0; b < plan.batch; ++b) {
    std::vector<Number<T>> one(at(n[0], 0, 0));
    visit_all(plan.in, b, [&](std::int64_t place, std::int64_t i, std::int64_t j, std::int64_t k) {
      const Number<T> value = read<T>(from, place, plan.in.is_complex);
      one[at(i, j, k)] = value;
      if (!plan.has_real_output()) return;
      const std::int64_t mi = (n[0] - i) % n[0], mj = (n[1] - j) % n[1], mk = (n[2] - k) % n[2];
      if (mk >= plan.in.n[2]) one[at(mi, mj, mk)] = std::conj(value);
      if (mi == i && mj == j && mk == k && value.imag() != 0) is_defined = false;
    });
    all_lines(one, n, sign);
    transforms.push_back(std::move(one));
  }
  if (plan.has_real_output())
    for (std::int64_t b = 0; b < plan.batch; ++b)
      visit_all(plan.in, b, [&](std::int64_t place, std::int64_t, std::int64_t, std::int64_t) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN();
        write<T>(from, place, true, {nan, nan});
      });
  for (std::int64_t b = 0; b < plan.batch; ++b)
    visit_all(plan.out, b, [&](std::int64_t place, std::int64_t i, std::int64_t j, std::int64_t k) {
      write<T>(to, place, plan.out.is_complex, transforms[static_cast<std::size_t>(b)][at(i, j, k)]);
    });
  return is_defined;
}

}  // namespace

double TransformPlan::flops() const {
  const auto points = static_cast<double>(n[0] * n[1] * n[2]);
  const double complex = 5 * points * std::log2(std::max(points, 2.0)) * static_cast<double>(batch);
  return has_real_input() || has_real_output() ? complex / 2 : complex;
}

bool transform(const TransformPlan& plan, char* from, char* to, bool inverse) {
  const int sign = inverse ? 1 : -1;
  return plan.is_double() ? transform_as<double>(plan, from, to, sign) : transform_as<float>(plan, from, to, sign);
}

}  // namespace simulated
