#pragma once

#include <minima/tensor/base/dtype.h>

#include <c10/macros/Macros.h>

#include <cmath>
#include <complex>
#include <ostream>

namespace c10 {

/// The element type of complex tensors, with std::complex's memory layout.
template <class T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;
  T real_ = 0;
  T imag_ = 0;

  constexpr complex() = default;
  constexpr complex(T real, T imag = 0) : real_(real), imag_(imag) {}
  constexpr complex(const std::complex<T>& z) : real_(z.real()), imag_(z.imag()) {}
  template <class U>
  requires(!std::is_same_v<T, U>) constexpr explicit(sizeof(U) > sizeof(T)) complex(const complex<U>& z)
      : real_(static_cast<T>(z.real())), imag_(static_cast<T>(z.imag())) {}
  constexpr complex(const minima::Complex<T>& z) : real_(z.re), imag_(z.im) {}

  constexpr operator std::complex<T>() const { return {real_, imag_}; }
  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }

  constexpr complex& operator+=(complex b) { return *this = {real_ + b.real_, imag_ + b.imag_}; }
  constexpr complex& operator-=(complex b) { return *this = {real_ - b.real_, imag_ - b.imag_}; }
  constexpr complex& operator*=(complex b) {
    return *this = {real_ * b.real_ - imag_ * b.imag_, real_ * b.imag_ + imag_ * b.real_};
  }
  constexpr complex& operator/=(complex b) {
    return *this = std::complex<T>(real_, imag_) / std::complex<T>(b.real_, b.imag_);
  }
  friend constexpr complex operator+(complex a, complex b) { return a += b; }
  friend constexpr complex operator-(complex a, complex b) { return a -= b; }
  friend constexpr complex operator*(complex a, complex b) { return a *= b; }
  friend constexpr complex operator/(complex a, complex b) { return a /= b; }
  friend constexpr complex operator+(complex a) { return a; }
  friend constexpr complex operator-(complex a) { return {-a.real_, -a.imag_}; }
  friend constexpr bool operator==(complex a, complex b) { return a.real_ == b.real_ && a.imag_ == b.imag_; }
  friend std::ostream& operator<<(std::ostream& out, complex z) { return out << std::complex<T>(z); }
};

namespace complex_literals {
constexpr complex<float> operator""_if(long double imag) { return {0, static_cast<float>(imag)}; }
constexpr complex<double> operator""_id(long double imag) { return {0, static_cast<double>(imag)}; }
}  // namespace complex_literals

}  // namespace c10

namespace std {
template <class T>
constexpr T real(const c10::complex<T>& z) {
  return z.real();
}
template <class T>
constexpr T imag(const c10::complex<T>& z) {
  return z.imag();
}
template <class T>
T abs(const c10::complex<T>& z) {
  return std::abs(static_cast<std::complex<T>>(z));
}
template <class T>
T arg(const c10::complex<T>& z) {
  return std::arg(static_cast<std::complex<T>>(z));
}
template <class T>
T norm(const c10::complex<T>& z) {
  return std::norm(static_cast<std::complex<T>>(z));
}
template <class T>
c10::complex<T> conj(const c10::complex<T>& z) {
  return {z.real(), -z.imag()};
}
}  // namespace std
