#pragma once

// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off

#include <torch/types.h>

namespace torch::special {

inline Tensor airy_ai(const Tensor& x) { return at::special_airy_ai(x); }
inline Tensor scaled_modified_bessel_k0(const Tensor& x) { return at::special_scaled_modified_bessel_k0(x); }
inline Tensor scaled_modified_bessel_k1(const Tensor& x) { return at::special_scaled_modified_bessel_k1(x); }
inline Tensor spherical_bessel_j0(const Tensor& x) { return at::special_spherical_bessel_j0(x); }
inline Tensor bessel_j0(const Tensor& self) { return at::special_bessel_j0(self); }
inline Tensor bessel_j1(const Tensor& self) { return at::special_bessel_j1(self); }
inline Tensor bessel_y0(const Tensor& self) { return at::special_bessel_y0(self); }
inline Tensor bessel_y1(const Tensor& self) { return at::special_bessel_y1(self); }
inline Tensor modified_bessel_k0(const Tensor& self) { return at::special_modified_bessel_k0(self); }
inline Tensor modified_bessel_k1(const Tensor& self) { return at::special_modified_bessel_k1(self); }
inline Tensor entr(const Tensor& self) { return at::special_entr(self); }
inline Tensor erfcx(const Tensor& self) { return at::special_erfcx(self); }
inline Tensor i0e(const Tensor& self) { return at::special_i0e(self); }
inline Tensor i1(const Tensor& self) { return at::special_i1(self); }
inline Tensor i1e(const Tensor& self) { return at::special_i1e(self); }
inline Tensor log_ndtr(const Tensor& self) { return at::special_log_ndtr(self); }
inline Tensor modified_bessel_i0(const Tensor& self) { return at::special_modified_bessel_i0(self); }
inline Tensor modified_bessel_i1(const Tensor& self) { return at::special_modified_bessel_i1(self); }
inline Tensor ndtr(const Tensor& self) { return at::special_ndtr(self); }
inline Tensor ndtri(const Tensor& self) { return at::special_ndtri(self); }
inline Tensor xlog1py(const Tensor& self, const Tensor& other) { return at::special_xlog1py(self, other); }
inline Tensor zeta(const Tensor& self, const Tensor& other) { return at::special_zeta(self, other); }
inline Tensor xlog1py(const Scalar& self, const Tensor& other) { return at::special_xlog1py(self, other); }
inline Tensor zeta(const Scalar& self, const Tensor& other) { return at::special_zeta(self, other); }
inline Tensor xlog1py(const Tensor& self, const Scalar& other) { return at::special_xlog1py(self, other); }
inline Tensor zeta(const Tensor& self, const Scalar& other) { return at::special_zeta(self, other); }
inline Tensor round(const Tensor& self, int64_t decimals = 0) { return at::special_round(self, decimals); }
inline Tensor chebyshev_polynomial_t(const Tensor& x, const Tensor& n) { return at::special_chebyshev_polynomial_t(x, n); }
inline Tensor chebyshev_polynomial_u(const Tensor& x, const Tensor& n) { return at::special_chebyshev_polynomial_u(x, n); }
inline Tensor chebyshev_polynomial_v(const Tensor& x, const Tensor& n) { return at::special_chebyshev_polynomial_v(x, n); }
inline Tensor chebyshev_polynomial_w(const Tensor& x, const Tensor& n) { return at::special_chebyshev_polynomial_w(x, n); }
inline Tensor hermite_polynomial_h(const Tensor& x, const Tensor& n) { return at::special_hermite_polynomial_h(x, n); }
inline Tensor hermite_polynomial_he(const Tensor& x, const Tensor& n) { return at::special_hermite_polynomial_he(x, n); }
inline Tensor laguerre_polynomial_l(const Tensor& x, const Tensor& n) { return at::special_laguerre_polynomial_l(x, n); }
inline Tensor legendre_polynomial_p(const Tensor& x, const Tensor& n) { return at::special_legendre_polynomial_p(x, n); }
inline Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_t(x, n); }
inline Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_u(x, n); }
inline Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_v(x, n); }
inline Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_w(x, n); }
inline Tensor chebyshev_polynomial_t(const Scalar& x, const Tensor& n) { return at::special_chebyshev_polynomial_t(x, n); }
inline Tensor chebyshev_polynomial_u(const Scalar& x, const Tensor& n) { return at::special_chebyshev_polynomial_u(x, n); }
inline Tensor chebyshev_polynomial_v(const Scalar& x, const Tensor& n) { return at::special_chebyshev_polynomial_v(x, n); }
inline Tensor chebyshev_polynomial_w(const Scalar& x, const Tensor& n) { return at::special_chebyshev_polynomial_w(x, n); }
inline Tensor hermite_polynomial_h(const Scalar& x, const Tensor& n) { return at::special_hermite_polynomial_h(x, n); }
inline Tensor hermite_polynomial_he(const Scalar& x, const Tensor& n) { return at::special_hermite_polynomial_he(x, n); }
inline Tensor laguerre_polynomial_l(const Scalar& x, const Tensor& n) { return at::special_laguerre_polynomial_l(x, n); }
inline Tensor legendre_polynomial_p(const Scalar& x, const Tensor& n) { return at::special_legendre_polynomial_p(x, n); }
inline Tensor shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_t(x, n); }
inline Tensor shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_u(x, n); }
inline Tensor shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_v(x, n); }
inline Tensor shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) { return at::special_shifted_chebyshev_polynomial_w(x, n); }
inline Tensor chebyshev_polynomial_t(const Tensor& x, const Scalar& n) { return at::special_chebyshev_polynomial_t(x, n); }
inline Tensor chebyshev_polynomial_u(const Tensor& x, const Scalar& n) { return at::special_chebyshev_polynomial_u(x, n); }
inline Tensor chebyshev_polynomial_v(const Tensor& x, const Scalar& n) { return at::special_chebyshev_polynomial_v(x, n); }
inline Tensor chebyshev_polynomial_w(const Tensor& x, const Scalar& n) { return at::special_chebyshev_polynomial_w(x, n); }
inline Tensor hermite_polynomial_h(const Tensor& x, const Scalar& n) { return at::special_hermite_polynomial_h(x, n); }
inline Tensor hermite_polynomial_he(const Tensor& x, const Scalar& n) { return at::special_hermite_polynomial_he(x, n); }
inline Tensor laguerre_polynomial_l(const Tensor& x, const Scalar& n) { return at::special_laguerre_polynomial_l(x, n); }
inline Tensor legendre_polynomial_p(const Tensor& x, const Scalar& n) { return at::special_legendre_polynomial_p(x, n); }
inline Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) { return at::special_shifted_chebyshev_polynomial_t(x, n); }
inline Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) { return at::special_shifted_chebyshev_polynomial_u(x, n); }
inline Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) { return at::special_shifted_chebyshev_polynomial_v(x, n); }
inline Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) { return at::special_shifted_chebyshev_polynomial_w(x, n); }
inline Tensor digamma(const Tensor& self) { return at::special_digamma(self); }
inline Tensor psi(const Tensor& self) { return at::special_psi(self); }
inline Tensor erf(const Tensor& self) { return at::special_erf(self); }
inline Tensor erfc(const Tensor& self) { return at::special_erfc(self); }
inline Tensor erfinv(const Tensor& self) { return at::special_erfinv(self); }
inline Tensor exp2(const Tensor& self) { return at::special_exp2(self); }
inline Tensor expit(const Tensor& self) { return at::special_expit(self); }
inline Tensor expm1(const Tensor& self) { return at::special_expm1(self); }
inline Tensor gammainc(const Tensor& self, const Tensor& other) { return at::special_gammainc(self, other); }
inline Tensor gammaincc(const Tensor& self, const Tensor& other) { return at::special_gammaincc(self, other); }
inline Tensor gammaln(const Tensor& self) { return at::special_gammaln(self); }
inline Tensor i0(const Tensor& self) { return at::special_i0(self); }
inline Tensor log1p(const Tensor& self) { return at::special_log1p(self); }
inline Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype = std::nullopt) { return at::special_log_softmax(self, dim, dtype); }
inline Tensor logit(const Tensor& self, std::optional<double> eps = std::nullopt) { return at::special_logit(self, eps); }
inline Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false) { return at::special_logsumexp(self, dim, keepdim); }
inline Tensor multigammaln(const Tensor& self, int64_t p) { return at::special_multigammaln(self, p); }
inline Tensor polygamma(int64_t n, const Tensor& self) { return at::special_polygamma(n, self); }
inline Tensor sinc(const Tensor& self) { return at::special_sinc(self); }
inline Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype = std::nullopt) { return at::special_softmax(self, dim, dtype); }
inline Tensor xlogy(const Tensor& self, const Tensor& other) { return at::special_xlogy(self, other); }
inline Tensor xlogy(const Tensor& self, const Scalar& other) { return at::special_xlogy(self, other); }
inline Tensor xlogy(const Scalar& self, const Tensor& other) { return at::special_xlogy(self, other); }

}  // namespace torch::special
