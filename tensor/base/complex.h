#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

/// re + i·im, the element type of complex64 (T = float) and complex128 (T = double). It has the memory layout of
/// std::complex<T>, from which it converts, but needs no <complex> and compiles for GPUs.
template <class T>
struct Complex {
  using Value = T;
  T re = 0;
  T im = 0;

  Complex() = default;
  MINIMA_HD constexpr Complex(T re, T im = 0) : re(re), im(im) {}
  template <class C>
  requires requires(const C& c) { c.real(), c.imag(); }
  constexpr Complex(const C& c) : re(static_cast<T>(c.real())), im(static_cast<T>(c.imag())) {}
  template <class U>
  MINIMA_HD constexpr explicit Complex(const Complex<U>& z) : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}

  friend MINIMA_HD constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend MINIMA_HD constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend MINIMA_HD constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend MINIMA_HD constexpr Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend MINIMA_HD constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

template <class T> inline constexpr bool is_complex_type = false;
template <class T> inline constexpr bool is_complex_type<Complex<T>> = true;

}  // namespace minima
