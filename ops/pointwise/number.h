#pragma once

#include <minima/ops/loops/math/math.h>

#include <type_traits>

// The numbers that a function given to Pointwise computes with: a float or double, alone or with its derivatives. All
// have arithmetic, comparisons and the functions below, found by argument: `exp(x)`, not `std::exp(x)`. Plain numbers
// mix with them.

namespace minima::number {

/// A float or double.
template <class T>
struct Real {
  T value;

  Real() = default;
  template <class A> requires std::is_arithmetic_v<A> MINIMA_MATH Real(A a) : value(static_cast<T>(a)) {}

  MINIMA_MATH friend T plain(Real x) { return x.value; }

  MINIMA_MATH friend Real operator-(Real x) { return -x.value; }
  MINIMA_MATH friend Real operator+(Real a, Real b) { return a.value + b.value; }
  MINIMA_MATH friend Real operator-(Real a, Real b) { return a.value - b.value; }
  MINIMA_MATH friend Real operator*(Real a, Real b) { return a.value * b.value; }
  MINIMA_MATH friend Real operator/(Real a, Real b) { return a.value / b.value; }
  /// slope · factor, but 0 if slope is: what does not depend on an input adds nothing to its derivative, even where the
  /// factor is infinite or NaN.
  MINIMA_MATH friend Real scaled(Real slope, Real factor) {
    return math::blend(slope.value == 0, T(0), slope.value * factor.value);
  }

  MINIMA_MATH friend Real where(bool condition, Real a, Real b) { return math::blend(condition, a.value, b.value); }
  MINIMA_MATH friend Real max(Real a, Real b) { return math::max(a.value, b.value); }
  MINIMA_MATH friend Real min(Real a, Real b) { return math::min(a.value, b.value); }
  MINIMA_MATH friend Real pow(Real x, Real exponent) { return math::pow(x.value, exponent.value); }
  MINIMA_MATH friend Real abs(Real x) { return math::abs(x.value); }
  MINIMA_MATH friend Real sign(Real x) { return math::sign(x.value); }
  MINIMA_MATH friend Real floor(Real x) { return math::floor(x.value); }
  MINIMA_MATH friend Real round(Real x) { return math::round(x.value); }
  MINIMA_MATH friend Real exp(Real x) { return math::exp(x.value); }
  MINIMA_MATH friend Real expm1(Real x) { return math::expm1(x.value); }
  MINIMA_MATH friend Real log(Real x) { return math::log(x.value); }
  MINIMA_MATH friend Real log1p(Real x) { return math::log1p(x.value); }
  MINIMA_MATH friend Real sqrt(Real x) { return math::sqrt(x.value); }
  MINIMA_MATH friend Real rsqrt(Real x) { return math::rsqrt(x.value); }
  MINIMA_MATH friend Real sin(Real x) { return math::sin(x.value); }
  MINIMA_MATH friend Real cos(Real x) { return math::cos(x.value); }
  MINIMA_MATH friend Real tanh(Real x) { return math::tanh(x.value); }
  MINIMA_MATH friend Real sigmoid(Real x) { return math::sigmoid(x.value); }
  MINIMA_MATH friend Real erf(Real x) { return math::erf(x.value); }
};

/// A dual number: a value of type B, a Real or again a Dual, and its derivative.
template <class B>
struct Dual {
  B value, slope;

  Dual() = default;
  MINIMA_MATH Dual(B value, B slope) : value(value), slope(slope) {}
  template <class A> requires std::is_arithmetic_v<A> MINIMA_MATH Dual(A a) : value(a), slope(0) {}

  MINIMA_MATH friend auto plain(Dual x) { return plain(x.value); }

  MINIMA_MATH friend Dual operator-(Dual x) { return {-x.value, -x.slope}; }
  MINIMA_MATH friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  MINIMA_MATH friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  MINIMA_MATH friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, scaled(a.slope, b.value) + scaled(b.slope, a.value)};
  }
  MINIMA_MATH friend Dual operator/(Dual a, Dual b) {
    const B inverse = B(1) / b.value, quotient = a.value / b.value;
    return {quotient, scaled(a.slope, inverse) - scaled(b.slope, quotient * inverse)};
  }
  MINIMA_MATH friend Dual scaled(Dual slope, Dual factor) {
    return {scaled(slope.value, factor.value), scaled(slope.value, factor.slope) + scaled(slope.slope, factor.value)};
  }

  MINIMA_MATH friend Dual where(bool condition, Dual a, Dual b) {
    return {where(condition, a.value, b.value), where(condition, a.slope, b.slope)};
  }
  MINIMA_MATH friend Dual max(Dual a, Dual b) { return {max(a.value, b.value), chosen(a > b, a == b, a, b)}; }
  MINIMA_MATH friend Dual min(Dual a, Dual b) { return {min(a.value, b.value), chosen(a < b, a == b, a, b)}; }
  MINIMA_MATH friend Dual pow(Dual x, Dual p) {
    const B y = pow(x.value, p.value);
    const B by_x = where(p == 0, B(0), p.value * pow(x.value, p.value - B(1)));
    const B by_p = where((x == 0) & (p >= 0), B(0), y * log(x.value));
    return {y, scaled(x.slope, by_x) + scaled(p.slope, by_p)};
  }
  MINIMA_MATH friend Dual abs(Dual x) { return {abs(x.value), scaled(x.slope, sign(x.value))}; }
  MINIMA_MATH friend Dual sign(Dual x) { return {sign(x.value), B(0)}; }
  MINIMA_MATH friend Dual floor(Dual x) { return {floor(x.value), B(0)}; }
  MINIMA_MATH friend Dual round(Dual x) { return {round(x.value), B(0)}; }
  MINIMA_MATH friend Dual exp(Dual x) {
    const B y = exp(x.value);
    return {y, scaled(x.slope, y)};
  }
  MINIMA_MATH friend Dual expm1(Dual x) {
    const B y = expm1(x.value);
    return {y, scaled(x.slope, y + B(1))};
  }
  MINIMA_MATH friend Dual log(Dual x) { return {log(x.value), scaled(x.slope, B(1) / x.value)}; }
  MINIMA_MATH friend Dual log1p(Dual x) { return {log1p(x.value), scaled(x.slope, B(1) / (x.value + B(1)))}; }
  MINIMA_MATH friend Dual sqrt(Dual x) {
    const B y = sqrt(x.value);
    return {y, scaled(x.slope, B(0.5) / y)};
  }
  MINIMA_MATH friend Dual rsqrt(Dual x) {
    const B y = rsqrt(x.value);
    return {y, scaled(x.slope, B(-0.5) * y * y * y)};
  }
  MINIMA_MATH friend Dual sin(Dual x) { return {sin(x.value), scaled(x.slope, cos(x.value))}; }
  MINIMA_MATH friend Dual cos(Dual x) { return {cos(x.value), scaled(x.slope, -sin(x.value))}; }
  MINIMA_MATH friend Dual tanh(Dual x) {
    const B y = tanh(x.value);
    return {y, scaled(x.slope, B(1) - y * y)};
  }
  MINIMA_MATH friend Dual sigmoid(Dual x) {
    const B y = sigmoid(x.value);
    return {y, scaled(x.slope, y * (B(1) - y))};
  }
  MINIMA_MATH friend Dual erf(Dual x) {
    return {erf(x.value), scaled(x.slope, B(1.1283791670955126) * exp(-(x.value * x.value)))};  // 2/√π
  }

 private:
  /// The derivative of the chosen one; equal numbers share it.
  MINIMA_MATH static B chosen(bool is_a, bool is_equal, const Dual& a, const Dual& b) {
    return where(is_a, a.slope, where(is_equal, B(0.5) * (a.slope + b.slope), b.slope));
  }
};

template <class> inline constexpr bool is_number = false;
template <class T> inline constexpr bool is_number<Real<T>> = true;
template <class B> inline constexpr bool is_number<Dual<B>> = true;

/// One of both is a number, the other the same or plain.
template <class A, class B>
concept Comparable =
    (is_number<A> && (std::is_same_v<A, B> || std::is_arithmetic_v<B>)) || (is_number<B> && std::is_arithmetic_v<A>);
template <class A> requires std::is_arithmetic_v<A> MINIMA_MATH A plain(A a) { return a; }

template <class A, class B> requires Comparable<A, B> MINIMA_MATH bool operator<(A a, B b) {
  return plain(a) < plain(b);
}
template <class A, class B> requires Comparable<A, B> MINIMA_MATH bool operator>(A a, B b) {
  return plain(a) > plain(b);
}
template <class A, class B> requires Comparable<A, B> MINIMA_MATH bool operator<=(A a, B b) {
  return plain(a) <= plain(b);
}
template <class A, class B> requires Comparable<A, B> MINIMA_MATH bool operator>=(A a, B b) {
  return plain(a) >= plain(b);
}
template <class A, class B> requires Comparable<A, B> MINIMA_MATH bool operator==(A a, B b) {
  return plain(a) == plain(b);
}

template <class N> requires is_number<N> MINIMA_MATH N& operator+=(N& a, std::type_identity_t<N> b) {
  return a = a + b;
}
template <class N> requires is_number<N> MINIMA_MATH N& operator-=(N& a, std::type_identity_t<N> b) {
  return a = a - b;
}
template <class N> requires is_number<N> MINIMA_MATH N& operator*=(N& a, std::type_identity_t<N> b) {
  return a = a * b;
}
template <class N> requires is_number<N> MINIMA_MATH N& operator/=(N& a, std::type_identity_t<N> b) {
  return a = a / b;
}

}  // namespace minima::number
