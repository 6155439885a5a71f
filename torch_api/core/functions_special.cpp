// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor special_airy_ai(const Tensor& x) {
return minima::airy_ai(bridge::native(x));
}

Tensor& special_airy_ai_out(Tensor& out, const Tensor& x) {
return bridge::write(at::special_airy_ai(x), out);
}

Tensor& special_airy_ai_outf(const Tensor& x, Tensor& out) {
return at::special_airy_ai_out(out, x);
}

Tensor special_scaled_modified_bessel_k0(const Tensor& x) {
return minima::scaled_modified_bessel_k0(bridge::native(x));
}

Tensor& special_scaled_modified_bessel_k0_out(Tensor& out, const Tensor& x) {
return bridge::write(at::special_scaled_modified_bessel_k0(x), out);
}

Tensor& special_scaled_modified_bessel_k0_outf(const Tensor& x, Tensor& out) {
return at::special_scaled_modified_bessel_k0_out(out, x);
}

Tensor special_scaled_modified_bessel_k1(const Tensor& x) {
return minima::scaled_modified_bessel_k1(bridge::native(x));
}

Tensor& special_scaled_modified_bessel_k1_out(Tensor& out, const Tensor& x) {
return bridge::write(at::special_scaled_modified_bessel_k1(x), out);
}

Tensor& special_scaled_modified_bessel_k1_outf(const Tensor& x, Tensor& out) {
return at::special_scaled_modified_bessel_k1_out(out, x);
}

Tensor special_spherical_bessel_j0(const Tensor& x) {
return minima::spherical_bessel_j0(bridge::native(x));
}

Tensor& special_spherical_bessel_j0_out(Tensor& out, const Tensor& x) {
return bridge::write(at::special_spherical_bessel_j0(x), out);
}

Tensor& special_spherical_bessel_j0_outf(const Tensor& x, Tensor& out) {
return at::special_spherical_bessel_j0_out(out, x);
}

Tensor special_bessel_j0(const Tensor& self) {
return minima::bessel_j0(bridge::native(self));
}

Tensor& special_bessel_j0_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_bessel_j0(self), out);
}

Tensor& special_bessel_j0_outf(const Tensor& self, Tensor& out) {
return at::special_bessel_j0_out(out, self);
}

Tensor special_bessel_j1(const Tensor& self) {
return minima::bessel_j1(bridge::native(self));
}

Tensor& special_bessel_j1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_bessel_j1(self), out);
}

Tensor& special_bessel_j1_outf(const Tensor& self, Tensor& out) {
return at::special_bessel_j1_out(out, self);
}

Tensor special_bessel_y0(const Tensor& self) {
return minima::bessel_y0(bridge::native(self));
}

Tensor& special_bessel_y0_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_bessel_y0(self), out);
}

Tensor& special_bessel_y0_outf(const Tensor& self, Tensor& out) {
return at::special_bessel_y0_out(out, self);
}

Tensor special_bessel_y1(const Tensor& self) {
return minima::bessel_y1(bridge::native(self));
}

Tensor& special_bessel_y1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_bessel_y1(self), out);
}

Tensor& special_bessel_y1_outf(const Tensor& self, Tensor& out) {
return at::special_bessel_y1_out(out, self);
}

Tensor special_modified_bessel_k0(const Tensor& self) {
return minima::modified_bessel_k0(bridge::native(self));
}

Tensor& special_modified_bessel_k0_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_modified_bessel_k0(self), out);
}

Tensor& special_modified_bessel_k0_outf(const Tensor& self, Tensor& out) {
return at::special_modified_bessel_k0_out(out, self);
}

Tensor special_modified_bessel_k1(const Tensor& self) {
return minima::modified_bessel_k1(bridge::native(self));
}

Tensor& special_modified_bessel_k1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_modified_bessel_k1(self), out);
}

Tensor& special_modified_bessel_k1_outf(const Tensor& self, Tensor& out) {
return at::special_modified_bessel_k1_out(out, self);
}

Tensor special_entr(const Tensor& self) {
return minima::entr(bridge::native(self));
}

Tensor& special_entr_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_entr(self), out);
}

Tensor& special_entr_outf(const Tensor& self, Tensor& out) {
return at::special_entr_out(out, self);
}

Tensor special_erfcx(const Tensor& self) {
return minima::erfcx(bridge::native(self));
}

Tensor& special_erfcx_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_erfcx(self), out);
}

Tensor& special_erfcx_outf(const Tensor& self, Tensor& out) {
return at::special_erfcx_out(out, self);
}

Tensor special_i0e(const Tensor& self) {
return minima::i0e(bridge::native(self));
}

Tensor& special_i0e_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_i0e(self), out);
}

Tensor& special_i0e_outf(const Tensor& self, Tensor& out) {
return at::special_i0e_out(out, self);
}

Tensor special_i1(const Tensor& self) {
return minima::i1(bridge::native(self));
}

Tensor& special_i1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_i1(self), out);
}

Tensor& special_i1_outf(const Tensor& self, Tensor& out) {
return at::special_i1_out(out, self);
}

Tensor special_i1e(const Tensor& self) {
return minima::i1e(bridge::native(self));
}

Tensor& special_i1e_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_i1e(self), out);
}

Tensor& special_i1e_outf(const Tensor& self, Tensor& out) {
return at::special_i1e_out(out, self);
}

Tensor special_log_ndtr(const Tensor& self) {
return minima::log_ndtr(bridge::native(self));
}

Tensor& special_log_ndtr_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_log_ndtr(self), out);
}

Tensor& special_log_ndtr_outf(const Tensor& self, Tensor& out) {
return at::special_log_ndtr_out(out, self);
}

Tensor special_modified_bessel_i0(const Tensor& self) {
return minima::i0(bridge::native(self));
}

Tensor& special_modified_bessel_i0_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_modified_bessel_i0(self), out);
}

Tensor& special_modified_bessel_i0_outf(const Tensor& self, Tensor& out) {
return at::special_modified_bessel_i0_out(out, self);
}

Tensor special_modified_bessel_i1(const Tensor& self) {
return minima::i1(bridge::native(self));
}

Tensor& special_modified_bessel_i1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_modified_bessel_i1(self), out);
}

Tensor& special_modified_bessel_i1_outf(const Tensor& self, Tensor& out) {
return at::special_modified_bessel_i1_out(out, self);
}

Tensor special_ndtr(const Tensor& self) {
return minima::mul(minima::erfc(minima::mul(bridge::native(self), -0.7071067811865476)), 0.5);
}

Tensor& special_ndtr_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_ndtr(self), out);
}

Tensor& special_ndtr_outf(const Tensor& self, Tensor& out) {
return at::special_ndtr_out(out, self);
}

Tensor special_ndtri(const Tensor& self) {
return minima::mul(minima::erfinv(minima::sub(minima::mul(bridge::native(self), 2), 1)), 1.4142135623730951);
}

Tensor& special_ndtri_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_ndtri(self), out);
}

Tensor& special_ndtri_outf(const Tensor& self, Tensor& out) {
return at::special_ndtri_out(out, self);
}

Tensor special_xlog1py(const Tensor& self, const Tensor& other) {
return minima::xlog1py(bridge::native(self), bridge::native(other));
}

Tensor& special_xlog1py_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::special_xlog1py(self, other), out);
}

Tensor& special_xlog1py_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::special_xlog1py_out(out, self, other);
}

Tensor special_zeta(const Tensor& self, const Tensor& other) {
return minima::zeta(bridge::native(self), bridge::native(other));
}

Tensor& special_zeta_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::special_zeta(self, other), out);
}

Tensor& special_zeta_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::special_zeta_out(out, self, other);
}

Tensor special_xlog1py(const Scalar& self, const Tensor& other) {
return minima::xlog1py(bridge::like(bridge::native(other), bridge::native(self)), bridge::native(other));
}

Tensor& special_xlog1py_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::special_xlog1py(self, other), out);
}

Tensor& special_xlog1py_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::special_xlog1py_out(out, self, other);
}

Tensor special_zeta(const Scalar& self, const Tensor& other) {
return minima::zeta(bridge::like(bridge::native(other), bridge::native(self)), bridge::native(other));
}

Tensor& special_zeta_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::special_zeta(self, other), out);
}

Tensor& special_zeta_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::special_zeta_out(out, self, other);
}

Tensor special_xlog1py(const Tensor& self, const Scalar& other) {
return minima::xlog1py(bridge::native(self), bridge::like(bridge::native(self), bridge::native(other)));
}

Tensor& special_xlog1py_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::special_xlog1py(self, other), out);
}

Tensor& special_xlog1py_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::special_xlog1py_out(out, self, other);
}

Tensor special_zeta(const Tensor& self, const Scalar& other) {
return minima::zeta(bridge::native(self), bridge::like(bridge::native(self), bridge::native(other)));
}

Tensor& special_zeta_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::special_zeta(self, other), out);
}

Tensor& special_zeta_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::special_zeta_out(out, self, other);
}

Tensor special_round(const Tensor& self, int64_t decimals) {
return bridge::round(bridge::native(self), decimals);
}

Tensor& special_round_out(Tensor& out, const Tensor& self, int64_t decimals) {
return bridge::write(at::special_round(self, decimals), out);
}

Tensor& special_round_outf(const Tensor& self, int64_t decimals, Tensor& out) {
return at::special_round_out(out, self, decimals);
}

Tensor special_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
return minima::chebyshev_polynomial_t(bridge::native(x), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_t(x, n), out);
}

Tensor& special_chebyshev_polynomial_t_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_t_out(out, x, n);
}

Tensor special_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
return minima::chebyshev_polynomial_u(bridge::native(x), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_u(x, n), out);
}

Tensor& special_chebyshev_polynomial_u_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_u_out(out, x, n);
}

Tensor special_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
return minima::chebyshev_polynomial_v(bridge::native(x), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_v(x, n), out);
}

Tensor& special_chebyshev_polynomial_v_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_v_out(out, x, n);
}

Tensor special_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
return minima::chebyshev_polynomial_w(bridge::native(x), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_w(x, n), out);
}

Tensor& special_chebyshev_polynomial_w_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_w_out(out, x, n);
}

Tensor special_hermite_polynomial_h(const Tensor& x, const Tensor& n) {
return minima::hermite_polynomial_h(bridge::native(x), bridge::native(n));
}

Tensor& special_hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_hermite_polynomial_h(x, n), out);
}

Tensor& special_hermite_polynomial_h_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_hermite_polynomial_h_out(out, x, n);
}

Tensor special_hermite_polynomial_he(const Tensor& x, const Tensor& n) {
return minima::hermite_polynomial_he(bridge::native(x), bridge::native(n));
}

Tensor& special_hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_hermite_polynomial_he(x, n), out);
}

Tensor& special_hermite_polynomial_he_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_hermite_polynomial_he_out(out, x, n);
}

Tensor special_laguerre_polynomial_l(const Tensor& x, const Tensor& n) {
return minima::laguerre_polynomial_l(bridge::native(x), bridge::native(n));
}

Tensor& special_laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_laguerre_polynomial_l(x, n), out);
}

Tensor& special_laguerre_polynomial_l_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_laguerre_polynomial_l_out(out, x, n);
}

Tensor special_legendre_polynomial_p(const Tensor& x, const Tensor& n) {
return minima::legendre_polynomial_p(bridge::native(x), bridge::native(n));
}

Tensor& special_legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_legendre_polynomial_p(x, n), out);
}

Tensor& special_legendre_polynomial_p_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_legendre_polynomial_p_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_t(bridge::native(x), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_t(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_t_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_t_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_u(bridge::native(x), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_u(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_u_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_u_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_v(bridge::native(x), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_v(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_v_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_v_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_w(bridge::native(x), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_w(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_w_outf(const Tensor& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_w_out(out, x, n);
}

Tensor special_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) {
return minima::chebyshev_polynomial_t(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_t_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_t(x, n), out);
}

Tensor& special_chebyshev_polynomial_t_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_t_out(out, x, n);
}

Tensor special_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) {
return minima::chebyshev_polynomial_u(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_u_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_u(x, n), out);
}

Tensor& special_chebyshev_polynomial_u_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_u_out(out, x, n);
}

Tensor special_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) {
return minima::chebyshev_polynomial_v(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_v_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_v(x, n), out);
}

Tensor& special_chebyshev_polynomial_v_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_v_out(out, x, n);
}

Tensor special_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) {
return minima::chebyshev_polynomial_w(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_chebyshev_polynomial_w_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_chebyshev_polynomial_w(x, n), out);
}

Tensor& special_chebyshev_polynomial_w_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_chebyshev_polynomial_w_out(out, x, n);
}

Tensor special_hermite_polynomial_h(const Scalar& x, const Tensor& n) {
return minima::hermite_polynomial_h(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_hermite_polynomial_h_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_hermite_polynomial_h(x, n), out);
}

Tensor& special_hermite_polynomial_h_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_hermite_polynomial_h_out(out, x, n);
}

Tensor special_hermite_polynomial_he(const Scalar& x, const Tensor& n) {
return minima::hermite_polynomial_he(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_hermite_polynomial_he_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_hermite_polynomial_he(x, n), out);
}

Tensor& special_hermite_polynomial_he_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_hermite_polynomial_he_out(out, x, n);
}

Tensor special_laguerre_polynomial_l(const Scalar& x, const Tensor& n) {
return minima::laguerre_polynomial_l(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_laguerre_polynomial_l_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_laguerre_polynomial_l(x, n), out);
}

Tensor& special_laguerre_polynomial_l_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_laguerre_polynomial_l_out(out, x, n);
}

Tensor special_legendre_polynomial_p(const Scalar& x, const Tensor& n) {
return minima::legendre_polynomial_p(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_legendre_polynomial_p_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_legendre_polynomial_p(x, n), out);
}

Tensor& special_legendre_polynomial_p_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_legendre_polynomial_p_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_t(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_t_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_t(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_t_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_t_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_u(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_u_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_u(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_u_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_u_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_v(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_v_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_v(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_v_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_v_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) {
return minima::shifted_chebyshev_polynomial_w(bridge::like(bridge::native(n), bridge::native(x)), bridge::native(n));
}

Tensor& special_shifted_chebyshev_polynomial_w_out(Tensor& out, const Scalar& x, const Tensor& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_w(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_w_outf(const Scalar& x, const Tensor& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_w_out(out, x, n);
}

Tensor special_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) {
return minima::chebyshev_polynomial_t(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_chebyshev_polynomial_t(x, n), out);
}

Tensor& special_chebyshev_polynomial_t_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_chebyshev_polynomial_t_out(out, x, n);
}

Tensor special_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) {
return minima::chebyshev_polynomial_u(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_chebyshev_polynomial_u(x, n), out);
}

Tensor& special_chebyshev_polynomial_u_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_chebyshev_polynomial_u_out(out, x, n);
}

Tensor special_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) {
return minima::chebyshev_polynomial_v(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_chebyshev_polynomial_v(x, n), out);
}

Tensor& special_chebyshev_polynomial_v_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_chebyshev_polynomial_v_out(out, x, n);
}

Tensor special_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) {
return minima::chebyshev_polynomial_w(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_chebyshev_polynomial_w(x, n), out);
}

Tensor& special_chebyshev_polynomial_w_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_chebyshev_polynomial_w_out(out, x, n);
}

Tensor special_hermite_polynomial_h(const Tensor& x, const Scalar& n) {
return minima::hermite_polynomial_h(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_hermite_polynomial_h_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_hermite_polynomial_h(x, n), out);
}

Tensor& special_hermite_polynomial_h_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_hermite_polynomial_h_out(out, x, n);
}

Tensor special_hermite_polynomial_he(const Tensor& x, const Scalar& n) {
return minima::hermite_polynomial_he(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_hermite_polynomial_he_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_hermite_polynomial_he(x, n), out);
}

Tensor& special_hermite_polynomial_he_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_hermite_polynomial_he_out(out, x, n);
}

Tensor special_laguerre_polynomial_l(const Tensor& x, const Scalar& n) {
return minima::laguerre_polynomial_l(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_laguerre_polynomial_l_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_laguerre_polynomial_l(x, n), out);
}

Tensor& special_laguerre_polynomial_l_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_laguerre_polynomial_l_out(out, x, n);
}

Tensor special_legendre_polynomial_p(const Tensor& x, const Scalar& n) {
return minima::legendre_polynomial_p(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_legendre_polynomial_p_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_legendre_polynomial_p(x, n), out);
}

Tensor& special_legendre_polynomial_p_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_legendre_polynomial_p_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) {
return minima::shifted_chebyshev_polynomial_t(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_shifted_chebyshev_polynomial_t_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_t(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_t_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_t_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) {
return minima::shifted_chebyshev_polynomial_u(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_shifted_chebyshev_polynomial_u_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_u(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_u_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_u_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) {
return minima::shifted_chebyshev_polynomial_v(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_shifted_chebyshev_polynomial_v_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_v(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_v_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_v_out(out, x, n);
}

Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) {
return minima::shifted_chebyshev_polynomial_w(bridge::native(x), bridge::like(bridge::native(x), bridge::native(n)));
}

Tensor& special_shifted_chebyshev_polynomial_w_out(Tensor& out, const Tensor& x, const Scalar& n) {
return bridge::write(at::special_shifted_chebyshev_polynomial_w(x, n), out);
}

Tensor& special_shifted_chebyshev_polynomial_w_outf(const Tensor& x, const Scalar& n, Tensor& out) {
return at::special_shifted_chebyshev_polynomial_w_out(out, x, n);
}

Tensor special_digamma(const Tensor& self) {
return at::digamma(self);
}

Tensor& special_digamma_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_digamma(self), out);
}

Tensor& special_digamma_outf(const Tensor& self, Tensor& out) {
return at::special_digamma_out(out, self);
}

Tensor special_psi(const Tensor& self) {
return at::digamma(self);
}

Tensor& special_psi_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_psi(self), out);
}

Tensor& special_psi_outf(const Tensor& self, Tensor& out) {
return at::special_psi_out(out, self);
}

Tensor special_erf(const Tensor& self) {
return at::erf(self);
}

Tensor& special_erf_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_erf(self), out);
}

Tensor& special_erf_outf(const Tensor& self, Tensor& out) {
return at::special_erf_out(out, self);
}

Tensor special_erfc(const Tensor& self) {
return at::erfc(self);
}

Tensor& special_erfc_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_erfc(self), out);
}

Tensor& special_erfc_outf(const Tensor& self, Tensor& out) {
return at::special_erfc_out(out, self);
}

Tensor special_erfinv(const Tensor& self) {
return at::erfinv(self);
}

Tensor& special_erfinv_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_erfinv(self), out);
}

Tensor& special_erfinv_outf(const Tensor& self, Tensor& out) {
return at::special_erfinv_out(out, self);
}

Tensor special_exp2(const Tensor& self) {
return at::exp2(self);
}

Tensor& special_exp2_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_exp2(self), out);
}

Tensor& special_exp2_outf(const Tensor& self, Tensor& out) {
return at::special_exp2_out(out, self);
}

Tensor special_expit(const Tensor& self) {
return at::sigmoid(self);
}

Tensor& special_expit_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_expit(self), out);
}

Tensor& special_expit_outf(const Tensor& self, Tensor& out) {
return at::special_expit_out(out, self);
}

Tensor special_expm1(const Tensor& self) {
return at::expm1(self);
}

Tensor& special_expm1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_expm1(self), out);
}

Tensor& special_expm1_outf(const Tensor& self, Tensor& out) {
return at::special_expm1_out(out, self);
}

Tensor special_gammainc(const Tensor& self, const Tensor& other) {
return at::igamma(self, other);
}

Tensor& special_gammainc_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::special_gammainc(self, other), out);
}

Tensor& special_gammainc_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::special_gammainc_out(out, self, other);
}

Tensor special_gammaincc(const Tensor& self, const Tensor& other) {
return at::igammac(self, other);
}

Tensor& special_gammaincc_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::special_gammaincc(self, other), out);
}

Tensor& special_gammaincc_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::special_gammaincc_out(out, self, other);
}

Tensor special_gammaln(const Tensor& self) {
return at::lgamma(self);
}

Tensor& special_gammaln_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_gammaln(self), out);
}

Tensor& special_gammaln_outf(const Tensor& self, Tensor& out) {
return at::special_gammaln_out(out, self);
}

Tensor special_i0(const Tensor& self) {
return at::i0(self);
}

Tensor& special_i0_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_i0(self), out);
}

Tensor& special_i0_outf(const Tensor& self, Tensor& out) {
return at::special_i0_out(out, self);
}

Tensor special_log1p(const Tensor& self) {
return at::log1p(self);
}

Tensor& special_log1p_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_log1p(self), out);
}

Tensor& special_log1p_outf(const Tensor& self, Tensor& out) {
return at::special_log1p_out(out, self);
}

Tensor special_log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return at::log_softmax(self, dim, dtype);
}

Tensor& special_log_softmax_out(Tensor& out, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return bridge::write(at::special_log_softmax(self, dim, dtype), out);
}

Tensor& special_log_softmax_outf(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
return at::special_log_softmax_out(out, self, dim, dtype);
}

Tensor special_logit(const Tensor& self, std::optional<double> eps) {
return at::logit(self, eps);
}

Tensor& special_logit_out(Tensor& out, const Tensor& self, std::optional<double> eps) {
return bridge::write(at::special_logit(self, eps), out);
}

Tensor& special_logit_outf(const Tensor& self, std::optional<double> eps, Tensor& out) {
return at::special_logit_out(out, self, eps);
}

Tensor special_logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim) {
return at::logsumexp(self, dim, keepdim);
}

Tensor& special_logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {
return bridge::write(at::special_logsumexp(self, dim, keepdim), out);
}

Tensor& special_logsumexp_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::special_logsumexp_out(out, self, dim, keepdim);
}

Tensor special_multigammaln(const Tensor& self, int64_t p) {
return at::mvlgamma(self, p);
}

Tensor& special_multigammaln_out(Tensor& out, const Tensor& self, int64_t p) {
return bridge::write(at::special_multigammaln(self, p), out);
}

Tensor& special_multigammaln_outf(const Tensor& self, int64_t p, Tensor& out) {
return at::special_multigammaln_out(out, self, p);
}

Tensor special_polygamma(int64_t n, const Tensor& self) {
return at::polygamma(n, self);
}

Tensor& special_polygamma_out(Tensor& out, int64_t n, const Tensor& self) {
return bridge::write(at::special_polygamma(n, self), out);
}

Tensor& special_polygamma_outf(int64_t n, const Tensor& self, Tensor& out) {
return at::special_polygamma_out(out, n, self);
}

Tensor special_sinc(const Tensor& self) {
return at::sinc(self);
}

Tensor& special_sinc_out(Tensor& out, const Tensor& self) {
return bridge::write(at::special_sinc(self), out);
}

Tensor& special_sinc_outf(const Tensor& self, Tensor& out) {
return at::special_sinc_out(out, self);
}

Tensor special_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return at::softmax(self, dim, dtype);
}

Tensor& special_softmax_out(Tensor& out, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return bridge::write(at::special_softmax(self, dim, dtype), out);
}

Tensor& special_softmax_outf(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
return at::special_softmax_out(out, self, dim, dtype);
}

Tensor special_xlogy(const Tensor& self, const Tensor& other) {
return at::xlogy(self, other);
}

Tensor& special_xlogy_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::special_xlogy(self, other), out);
}

Tensor& special_xlogy_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::special_xlogy_out(out, self, other);
}

Tensor special_xlogy(const Tensor& self, const Scalar& other) {
return at::xlogy(self, other);
}

Tensor& special_xlogy_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::special_xlogy(self, other), out);
}

Tensor& special_xlogy_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::special_xlogy_out(out, self, other);
}

Tensor special_xlogy(const Scalar& self, const Tensor& other) {
return at::xlogy(self, other);
}

Tensor& special_xlogy_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::special_xlogy(self, other), out);
}

Tensor& special_xlogy_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::special_xlogy_out(out, self, other);
}

}  // namespace at
