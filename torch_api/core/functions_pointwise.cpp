// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor abs(const Tensor& self) {
return minima::abs(bridge::native(self));
}

Tensor Tensor::abs() const {
return at::abs(*this);
}

Tensor& abs_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("abs_", self, [&](const Tensor& self) { return at::abs(self); });
}

Tensor& Tensor::abs_() const {
return at::abs_(const_cast<Tensor&>(*this));
}

Tensor& abs_out(Tensor& out, const Tensor& self) {
return bridge::write(at::abs(self), out);
}

Tensor& abs_outf(const Tensor& self, Tensor& out) {
return at::abs_out(out, self);
}

Tensor ceil(const Tensor& self) {
return minima::ceil(bridge::native(self));
}

Tensor Tensor::ceil() const {
return at::ceil(*this);
}

Tensor& ceil_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("ceil_", self, [&](const Tensor& self) { return at::ceil(self); });
}

Tensor& Tensor::ceil_() const {
return at::ceil_(const_cast<Tensor&>(*this));
}

Tensor& ceil_out(Tensor& out, const Tensor& self) {
return bridge::write(at::ceil(self), out);
}

Tensor& ceil_outf(const Tensor& self, Tensor& out) {
return at::ceil_out(out, self);
}

Tensor floor(const Tensor& self) {
return minima::floor(bridge::native(self));
}

Tensor Tensor::floor() const {
return at::floor(*this);
}

Tensor& floor_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("floor_", self, [&](const Tensor& self) { return at::floor(self); });
}

Tensor& Tensor::floor_() const {
return at::floor_(const_cast<Tensor&>(*this));
}

Tensor& floor_out(Tensor& out, const Tensor& self) {
return bridge::write(at::floor(self), out);
}

Tensor& floor_outf(const Tensor& self, Tensor& out) {
return at::floor_out(out, self);
}

Tensor frac(const Tensor& self) {
return minima::frac(bridge::native(self));
}

Tensor Tensor::frac() const {
return at::frac(*this);
}

Tensor& frac_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("frac_", self, [&](const Tensor& self) { return at::frac(self); });
}

Tensor& Tensor::frac_() const {
return at::frac_(const_cast<Tensor&>(*this));
}

Tensor& frac_out(Tensor& out, const Tensor& self) {
return bridge::write(at::frac(self), out);
}

Tensor& frac_outf(const Tensor& self, Tensor& out) {
return at::frac_out(out, self);
}

Tensor sgn(const Tensor& self) {
return minima::sgn(bridge::native(self));
}

Tensor Tensor::sgn() const {
return at::sgn(*this);
}

Tensor& sgn_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sgn_", self, [&](const Tensor& self) { return at::sgn(self); });
}

Tensor& Tensor::sgn_() const {
return at::sgn_(const_cast<Tensor&>(*this));
}

Tensor& sgn_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sgn(self), out);
}

Tensor& sgn_outf(const Tensor& self, Tensor& out) {
return at::sgn_out(out, self);
}

Tensor sign(const Tensor& self) {
return minima::sign(bridge::native(self));
}

Tensor Tensor::sign() const {
return at::sign(*this);
}

Tensor& sign_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sign_", self, [&](const Tensor& self) { return at::sign(self); });
}

Tensor& Tensor::sign_() const {
return at::sign_(const_cast<Tensor&>(*this));
}

Tensor& sign_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sign(self), out);
}

Tensor& sign_outf(const Tensor& self, Tensor& out) {
return at::sign_out(out, self);
}

Tensor square(const Tensor& self) {
return minima::square(bridge::native(self));
}

Tensor Tensor::square() const {
return at::square(*this);
}

Tensor& square_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("square_", self, [&](const Tensor& self) { return at::square(self); });
}

Tensor& Tensor::square_() const {
return at::square_(const_cast<Tensor&>(*this));
}

Tensor& square_out(Tensor& out, const Tensor& self) {
return bridge::write(at::square(self), out);
}

Tensor& square_outf(const Tensor& self, Tensor& out) {
return at::square_out(out, self);
}

Tensor trunc(const Tensor& self) {
return minima::trunc(bridge::native(self));
}

Tensor Tensor::trunc() const {
return at::trunc(*this);
}

Tensor& trunc_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("trunc_", self, [&](const Tensor& self) { return at::trunc(self); });
}

Tensor& Tensor::trunc_() const {
return at::trunc_(const_cast<Tensor&>(*this));
}

Tensor& trunc_out(Tensor& out, const Tensor& self) {
return bridge::write(at::trunc(self), out);
}

Tensor& trunc_outf(const Tensor& self, Tensor& out) {
return at::trunc_out(out, self);
}

Tensor neg(const Tensor& self) {
return minima::neg(bridge::native(self));
}

Tensor Tensor::neg() const {
return at::neg(*this);
}

Tensor& neg_(Tensor& self) {
torch::autograd::check_inplace(self);
minima::neg_(bridge::native(self));
return self;
}

Tensor& Tensor::neg_() const {
return at::neg_(const_cast<Tensor&>(*this));
}

Tensor& neg_out(Tensor& out, const Tensor& self) {
return bridge::write(at::neg(self), out);
}

Tensor& neg_outf(const Tensor& self, Tensor& out) {
return at::neg_out(out, self);
}

Tensor relu(const Tensor& self) {
return minima::relu(bridge::native(self));
}

Tensor Tensor::relu() const {
return at::relu(*this);
}

Tensor& relu_(Tensor& self) {
torch::autograd::check_inplace(self);
minima::relu_(bridge::native(self));
return self;
}

Tensor& Tensor::relu_() const {
return at::relu_(const_cast<Tensor&>(*this));
}

Tensor& relu_out(Tensor& out, const Tensor& self) {
return bridge::write(at::relu(self), out);
}

Tensor& relu_outf(const Tensor& self, Tensor& out) {
return at::relu_out(out, self);
}

Tensor acos(const Tensor& self) {
return minima::acos(bridge::floating(bridge::native(self)));
}

Tensor Tensor::acos() const {
return at::acos(*this);
}

Tensor& acos_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("acos_", self, [&](const Tensor& self) { return at::acos(self); });
}

Tensor& Tensor::acos_() const {
return at::acos_(const_cast<Tensor&>(*this));
}

Tensor& acos_out(Tensor& out, const Tensor& self) {
return bridge::write(at::acos(self), out);
}

Tensor& acos_outf(const Tensor& self, Tensor& out) {
return at::acos_out(out, self);
}

Tensor acosh(const Tensor& self) {
return minima::acosh(bridge::floating(bridge::native(self)));
}

Tensor Tensor::acosh() const {
return at::acosh(*this);
}

Tensor& acosh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("acosh_", self, [&](const Tensor& self) { return at::acosh(self); });
}

Tensor& Tensor::acosh_() const {
return at::acosh_(const_cast<Tensor&>(*this));
}

Tensor& acosh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::acosh(self), out);
}

Tensor& acosh_outf(const Tensor& self, Tensor& out) {
return at::acosh_out(out, self);
}

Tensor angle(const Tensor& self) {
return minima::angle(bridge::floating(bridge::native(self)));
}

Tensor Tensor::angle() const {
return at::angle(*this);
}

Tensor& angle_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("angle_", self, [&](const Tensor& self) { return at::angle(self); });
}

Tensor& Tensor::angle_() const {
return at::angle_(const_cast<Tensor&>(*this));
}

Tensor& angle_out(Tensor& out, const Tensor& self) {
return bridge::write(at::angle(self), out);
}

Tensor& angle_outf(const Tensor& self, Tensor& out) {
return at::angle_out(out, self);
}

Tensor asin(const Tensor& self) {
return minima::asin(bridge::floating(bridge::native(self)));
}

Tensor Tensor::asin() const {
return at::asin(*this);
}

Tensor& asin_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("asin_", self, [&](const Tensor& self) { return at::asin(self); });
}

Tensor& Tensor::asin_() const {
return at::asin_(const_cast<Tensor&>(*this));
}

Tensor& asin_out(Tensor& out, const Tensor& self) {
return bridge::write(at::asin(self), out);
}

Tensor& asin_outf(const Tensor& self, Tensor& out) {
return at::asin_out(out, self);
}

Tensor asinh(const Tensor& self) {
return minima::asinh(bridge::floating(bridge::native(self)));
}

Tensor Tensor::asinh() const {
return at::asinh(*this);
}

Tensor& asinh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("asinh_", self, [&](const Tensor& self) { return at::asinh(self); });
}

Tensor& Tensor::asinh_() const {
return at::asinh_(const_cast<Tensor&>(*this));
}

Tensor& asinh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::asinh(self), out);
}

Tensor& asinh_outf(const Tensor& self, Tensor& out) {
return at::asinh_out(out, self);
}

Tensor atan(const Tensor& self) {
return minima::atan(bridge::floating(bridge::native(self)));
}

Tensor Tensor::atan() const {
return at::atan(*this);
}

Tensor& atan_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("atan_", self, [&](const Tensor& self) { return at::atan(self); });
}

Tensor& Tensor::atan_() const {
return at::atan_(const_cast<Tensor&>(*this));
}

Tensor& atan_out(Tensor& out, const Tensor& self) {
return bridge::write(at::atan(self), out);
}

Tensor& atan_outf(const Tensor& self, Tensor& out) {
return at::atan_out(out, self);
}

Tensor atanh(const Tensor& self) {
return minima::atanh(bridge::floating(bridge::native(self)));
}

Tensor Tensor::atanh() const {
return at::atanh(*this);
}

Tensor& atanh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("atanh_", self, [&](const Tensor& self) { return at::atanh(self); });
}

Tensor& Tensor::atanh_() const {
return at::atanh_(const_cast<Tensor&>(*this));
}

Tensor& atanh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::atanh(self), out);
}

Tensor& atanh_outf(const Tensor& self, Tensor& out) {
return at::atanh_out(out, self);
}

Tensor cos(const Tensor& self) {
return minima::cos(bridge::floating(bridge::native(self)));
}

Tensor Tensor::cos() const {
return at::cos(*this);
}

Tensor& cos_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("cos_", self, [&](const Tensor& self) { return at::cos(self); });
}

Tensor& Tensor::cos_() const {
return at::cos_(const_cast<Tensor&>(*this));
}

Tensor& cos_out(Tensor& out, const Tensor& self) {
return bridge::write(at::cos(self), out);
}

Tensor& cos_outf(const Tensor& self, Tensor& out) {
return at::cos_out(out, self);
}

Tensor cosh(const Tensor& self) {
return minima::cosh(bridge::floating(bridge::native(self)));
}

Tensor Tensor::cosh() const {
return at::cosh(*this);
}

Tensor& cosh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("cosh_", self, [&](const Tensor& self) { return at::cosh(self); });
}

Tensor& Tensor::cosh_() const {
return at::cosh_(const_cast<Tensor&>(*this));
}

Tensor& cosh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::cosh(self), out);
}

Tensor& cosh_outf(const Tensor& self, Tensor& out) {
return at::cosh_out(out, self);
}

Tensor deg2rad(const Tensor& self) {
return minima::deg2rad(bridge::floating(bridge::native(self)));
}

Tensor Tensor::deg2rad() const {
return at::deg2rad(*this);
}

Tensor& deg2rad_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("deg2rad_", self, [&](const Tensor& self) { return at::deg2rad(self); });
}

Tensor& Tensor::deg2rad_() const {
return at::deg2rad_(const_cast<Tensor&>(*this));
}

Tensor& deg2rad_out(Tensor& out, const Tensor& self) {
return bridge::write(at::deg2rad(self), out);
}

Tensor& deg2rad_outf(const Tensor& self, Tensor& out) {
return at::deg2rad_out(out, self);
}

Tensor digamma(const Tensor& self) {
return minima::digamma(bridge::floating(bridge::native(self)));
}

Tensor Tensor::digamma() const {
return at::digamma(*this);
}

Tensor& digamma_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("digamma_", self, [&](const Tensor& self) { return at::digamma(self); });
}

Tensor& Tensor::digamma_() const {
return at::digamma_(const_cast<Tensor&>(*this));
}

Tensor& digamma_out(Tensor& out, const Tensor& self) {
return bridge::write(at::digamma(self), out);
}

Tensor& digamma_outf(const Tensor& self, Tensor& out) {
return at::digamma_out(out, self);
}

Tensor erf(const Tensor& self) {
return minima::erf(bridge::floating(bridge::native(self)));
}

Tensor Tensor::erf() const {
return at::erf(*this);
}

Tensor& erf_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("erf_", self, [&](const Tensor& self) { return at::erf(self); });
}

Tensor& Tensor::erf_() const {
return at::erf_(const_cast<Tensor&>(*this));
}

Tensor& erf_out(Tensor& out, const Tensor& self) {
return bridge::write(at::erf(self), out);
}

Tensor& erf_outf(const Tensor& self, Tensor& out) {
return at::erf_out(out, self);
}

Tensor erfc(const Tensor& self) {
return minima::erfc(bridge::floating(bridge::native(self)));
}

Tensor Tensor::erfc() const {
return at::erfc(*this);
}

Tensor& erfc_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("erfc_", self, [&](const Tensor& self) { return at::erfc(self); });
}

Tensor& Tensor::erfc_() const {
return at::erfc_(const_cast<Tensor&>(*this));
}

Tensor& erfc_out(Tensor& out, const Tensor& self) {
return bridge::write(at::erfc(self), out);
}

Tensor& erfc_outf(const Tensor& self, Tensor& out) {
return at::erfc_out(out, self);
}

Tensor erfinv(const Tensor& self) {
return minima::erfinv(bridge::floating(bridge::native(self)));
}

Tensor Tensor::erfinv() const {
return at::erfinv(*this);
}

Tensor& erfinv_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("erfinv_", self, [&](const Tensor& self) { return at::erfinv(self); });
}

Tensor& Tensor::erfinv_() const {
return at::erfinv_(const_cast<Tensor&>(*this));
}

Tensor& erfinv_out(Tensor& out, const Tensor& self) {
return bridge::write(at::erfinv(self), out);
}

Tensor& erfinv_outf(const Tensor& self, Tensor& out) {
return at::erfinv_out(out, self);
}

Tensor exp(const Tensor& self) {
return minima::exp(bridge::floating(bridge::native(self)));
}

Tensor Tensor::exp() const {
return at::exp(*this);
}

Tensor& exp_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("exp_", self, [&](const Tensor& self) { return at::exp(self); });
}

Tensor& Tensor::exp_() const {
return at::exp_(const_cast<Tensor&>(*this));
}

Tensor& exp_out(Tensor& out, const Tensor& self) {
return bridge::write(at::exp(self), out);
}

Tensor& exp_outf(const Tensor& self, Tensor& out) {
return at::exp_out(out, self);
}

Tensor exp2(const Tensor& self) {
return minima::exp2(bridge::floating(bridge::native(self)));
}

Tensor Tensor::exp2() const {
return at::exp2(*this);
}

Tensor& exp2_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("exp2_", self, [&](const Tensor& self) { return at::exp2(self); });
}

Tensor& Tensor::exp2_() const {
return at::exp2_(const_cast<Tensor&>(*this));
}

Tensor& exp2_out(Tensor& out, const Tensor& self) {
return bridge::write(at::exp2(self), out);
}

Tensor& exp2_outf(const Tensor& self, Tensor& out) {
return at::exp2_out(out, self);
}

Tensor expm1(const Tensor& self) {
return minima::expm1(bridge::floating(bridge::native(self)));
}

Tensor Tensor::expm1() const {
return at::expm1(*this);
}

Tensor& expm1_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("expm1_", self, [&](const Tensor& self) { return at::expm1(self); });
}

Tensor& Tensor::expm1_() const {
return at::expm1_(const_cast<Tensor&>(*this));
}

Tensor& expm1_out(Tensor& out, const Tensor& self) {
return bridge::write(at::expm1(self), out);
}

Tensor& expm1_outf(const Tensor& self, Tensor& out) {
return at::expm1_out(out, self);
}

Tensor i0(const Tensor& self) {
return minima::i0(bridge::floating(bridge::native(self)));
}

Tensor Tensor::i0() const {
return at::i0(*this);
}

Tensor& i0_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("i0_", self, [&](const Tensor& self) { return at::i0(self); });
}

Tensor& Tensor::i0_() const {
return at::i0_(const_cast<Tensor&>(*this));
}

Tensor& i0_out(Tensor& out, const Tensor& self) {
return bridge::write(at::i0(self), out);
}

Tensor& i0_outf(const Tensor& self, Tensor& out) {
return at::i0_out(out, self);
}

Tensor lgamma(const Tensor& self) {
return minima::lgamma(bridge::floating(bridge::native(self)));
}

Tensor Tensor::lgamma() const {
return at::lgamma(*this);
}

Tensor& lgamma_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("lgamma_", self, [&](const Tensor& self) { return at::lgamma(self); });
}

Tensor& Tensor::lgamma_() const {
return at::lgamma_(const_cast<Tensor&>(*this));
}

Tensor& lgamma_out(Tensor& out, const Tensor& self) {
return bridge::write(at::lgamma(self), out);
}

Tensor& lgamma_outf(const Tensor& self, Tensor& out) {
return at::lgamma_out(out, self);
}

Tensor log(const Tensor& self) {
return minima::log(bridge::floating(bridge::native(self)));
}

Tensor Tensor::log() const {
return at::log(*this);
}

Tensor& log_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("log_", self, [&](const Tensor& self) { return at::log(self); });
}

Tensor& Tensor::log_() const {
return at::log_(const_cast<Tensor&>(*this));
}

Tensor& log_out(Tensor& out, const Tensor& self) {
return bridge::write(at::log(self), out);
}

Tensor& log_outf(const Tensor& self, Tensor& out) {
return at::log_out(out, self);
}

Tensor log10(const Tensor& self) {
return minima::log10(bridge::floating(bridge::native(self)));
}

Tensor Tensor::log10() const {
return at::log10(*this);
}

Tensor& log10_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("log10_", self, [&](const Tensor& self) { return at::log10(self); });
}

Tensor& Tensor::log10_() const {
return at::log10_(const_cast<Tensor&>(*this));
}

Tensor& log10_out(Tensor& out, const Tensor& self) {
return bridge::write(at::log10(self), out);
}

Tensor& log10_outf(const Tensor& self, Tensor& out) {
return at::log10_out(out, self);
}

Tensor log1p(const Tensor& self) {
return minima::log1p(bridge::floating(bridge::native(self)));
}

Tensor Tensor::log1p() const {
return at::log1p(*this);
}

Tensor& log1p_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("log1p_", self, [&](const Tensor& self) { return at::log1p(self); });
}

Tensor& Tensor::log1p_() const {
return at::log1p_(const_cast<Tensor&>(*this));
}

Tensor& log1p_out(Tensor& out, const Tensor& self) {
return bridge::write(at::log1p(self), out);
}

Tensor& log1p_outf(const Tensor& self, Tensor& out) {
return at::log1p_out(out, self);
}

Tensor log2(const Tensor& self) {
return minima::log2(bridge::floating(bridge::native(self)));
}

Tensor Tensor::log2() const {
return at::log2(*this);
}

Tensor& log2_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("log2_", self, [&](const Tensor& self) { return at::log2(self); });
}

Tensor& Tensor::log2_() const {
return at::log2_(const_cast<Tensor&>(*this));
}

Tensor& log2_out(Tensor& out, const Tensor& self) {
return bridge::write(at::log2(self), out);
}

Tensor& log2_outf(const Tensor& self, Tensor& out) {
return at::log2_out(out, self);
}

Tensor rad2deg(const Tensor& self) {
return minima::rad2deg(bridge::floating(bridge::native(self)));
}

Tensor Tensor::rad2deg() const {
return at::rad2deg(*this);
}

Tensor& rad2deg_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("rad2deg_", self, [&](const Tensor& self) { return at::rad2deg(self); });
}

Tensor& Tensor::rad2deg_() const {
return at::rad2deg_(const_cast<Tensor&>(*this));
}

Tensor& rad2deg_out(Tensor& out, const Tensor& self) {
return bridge::write(at::rad2deg(self), out);
}

Tensor& rad2deg_outf(const Tensor& self, Tensor& out) {
return at::rad2deg_out(out, self);
}

Tensor reciprocal(const Tensor& self) {
return minima::reciprocal(bridge::floating(bridge::native(self)));
}

Tensor Tensor::reciprocal() const {
return at::reciprocal(*this);
}

Tensor& reciprocal_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("reciprocal_", self, [&](const Tensor& self) { return at::reciprocal(self); });
}

Tensor& Tensor::reciprocal_() const {
return at::reciprocal_(const_cast<Tensor&>(*this));
}

Tensor& reciprocal_out(Tensor& out, const Tensor& self) {
return bridge::write(at::reciprocal(self), out);
}

Tensor& reciprocal_outf(const Tensor& self, Tensor& out) {
return at::reciprocal_out(out, self);
}

Tensor rsqrt(const Tensor& self) {
return minima::rsqrt(bridge::floating(bridge::native(self)));
}

Tensor Tensor::rsqrt() const {
return at::rsqrt(*this);
}

Tensor& rsqrt_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("rsqrt_", self, [&](const Tensor& self) { return at::rsqrt(self); });
}

Tensor& Tensor::rsqrt_() const {
return at::rsqrt_(const_cast<Tensor&>(*this));
}

Tensor& rsqrt_out(Tensor& out, const Tensor& self) {
return bridge::write(at::rsqrt(self), out);
}

Tensor& rsqrt_outf(const Tensor& self, Tensor& out) {
return at::rsqrt_out(out, self);
}

Tensor sigmoid(const Tensor& self) {
return minima::sigmoid(bridge::floating(bridge::native(self)));
}

Tensor Tensor::sigmoid() const {
return at::sigmoid(*this);
}

Tensor& sigmoid_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sigmoid_", self, [&](const Tensor& self) { return at::sigmoid(self); });
}

Tensor& Tensor::sigmoid_() const {
return at::sigmoid_(const_cast<Tensor&>(*this));
}

Tensor& sigmoid_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sigmoid(self), out);
}

Tensor& sigmoid_outf(const Tensor& self, Tensor& out) {
return at::sigmoid_out(out, self);
}

Tensor sin(const Tensor& self) {
return minima::sin(bridge::floating(bridge::native(self)));
}

Tensor Tensor::sin() const {
return at::sin(*this);
}

Tensor& sin_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sin_", self, [&](const Tensor& self) { return at::sin(self); });
}

Tensor& Tensor::sin_() const {
return at::sin_(const_cast<Tensor&>(*this));
}

Tensor& sin_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sin(self), out);
}

Tensor& sin_outf(const Tensor& self, Tensor& out) {
return at::sin_out(out, self);
}

Tensor sinc(const Tensor& self) {
return minima::sinc(bridge::floating(bridge::native(self)));
}

Tensor Tensor::sinc() const {
return at::sinc(*this);
}

Tensor& sinc_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sinc_", self, [&](const Tensor& self) { return at::sinc(self); });
}

Tensor& Tensor::sinc_() const {
return at::sinc_(const_cast<Tensor&>(*this));
}

Tensor& sinc_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sinc(self), out);
}

Tensor& sinc_outf(const Tensor& self, Tensor& out) {
return at::sinc_out(out, self);
}

Tensor sinh(const Tensor& self) {
return minima::sinh(bridge::floating(bridge::native(self)));
}

Tensor Tensor::sinh() const {
return at::sinh(*this);
}

Tensor& sinh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sinh_", self, [&](const Tensor& self) { return at::sinh(self); });
}

Tensor& Tensor::sinh_() const {
return at::sinh_(const_cast<Tensor&>(*this));
}

Tensor& sinh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sinh(self), out);
}

Tensor& sinh_outf(const Tensor& self, Tensor& out) {
return at::sinh_out(out, self);
}

Tensor sqrt(const Tensor& self) {
return minima::sqrt(bridge::floating(bridge::native(self)));
}

Tensor Tensor::sqrt() const {
return at::sqrt(*this);
}

Tensor& sqrt_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("sqrt_", self, [&](const Tensor& self) { return at::sqrt(self); });
}

Tensor& Tensor::sqrt_() const {
return at::sqrt_(const_cast<Tensor&>(*this));
}

Tensor& sqrt_out(Tensor& out, const Tensor& self) {
return bridge::write(at::sqrt(self), out);
}

Tensor& sqrt_outf(const Tensor& self, Tensor& out) {
return at::sqrt_out(out, self);
}

Tensor tan(const Tensor& self) {
return minima::tan(bridge::floating(bridge::native(self)));
}

Tensor Tensor::tan() const {
return at::tan(*this);
}

Tensor& tan_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("tan_", self, [&](const Tensor& self) { return at::tan(self); });
}

Tensor& Tensor::tan_() const {
return at::tan_(const_cast<Tensor&>(*this));
}

Tensor& tan_out(Tensor& out, const Tensor& self) {
return bridge::write(at::tan(self), out);
}

Tensor& tan_outf(const Tensor& self, Tensor& out) {
return at::tan_out(out, self);
}

Tensor tanh(const Tensor& self) {
return minima::tanh(bridge::floating(bridge::native(self)));
}

Tensor Tensor::tanh() const {
return at::tanh(*this);
}

Tensor& tanh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("tanh_", self, [&](const Tensor& self) { return at::tanh(self); });
}

Tensor& Tensor::tanh_() const {
return at::tanh_(const_cast<Tensor&>(*this));
}

Tensor& tanh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::tanh(self), out);
}

Tensor& tanh_outf(const Tensor& self, Tensor& out) {
return at::tanh_out(out, self);
}

Tensor logical_not(const Tensor& self) {
return minima::logical_not(bridge::native(self));
}

Tensor Tensor::logical_not() const {
return at::logical_not(*this);
}

Tensor& logical_not_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("logical_not_", self, [&](const Tensor& self) { return at::logical_not(self); });
}

Tensor& Tensor::logical_not_() const {
return at::logical_not_(const_cast<Tensor&>(*this));
}

Tensor& logical_not_out(Tensor& out, const Tensor& self) {
return bridge::write(at::logical_not(self), out);
}

Tensor& logical_not_outf(const Tensor& self, Tensor& out) {
return at::logical_not_out(out, self);
}

Tensor bitwise_not(const Tensor& self) {
return minima::bitwise_not(bridge::native(self));
}

Tensor Tensor::bitwise_not() const {
return at::bitwise_not(*this);
}

Tensor& bitwise_not_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_not_", self, [&](const Tensor& self) { return at::bitwise_not(self); });
}

Tensor& Tensor::bitwise_not_() const {
return at::bitwise_not_(const_cast<Tensor&>(*this));
}

Tensor& bitwise_not_out(Tensor& out, const Tensor& self) {
return bridge::write(at::bitwise_not(self), out);
}

Tensor& bitwise_not_outf(const Tensor& self, Tensor& out) {
return at::bitwise_not_out(out, self);
}

Tensor isposinf(const Tensor& self) {
return minima::isposinf(bridge::native(self));
}

Tensor Tensor::isposinf() const {
return at::isposinf(*this);
}

Tensor& isposinf_out(Tensor& out, const Tensor& self) {
return bridge::write(at::isposinf(self), out);
}

Tensor& isposinf_outf(const Tensor& self, Tensor& out) {
return at::isposinf_out(out, self);
}

Tensor isneginf(const Tensor& self) {
return minima::isneginf(bridge::native(self));
}

Tensor Tensor::isneginf() const {
return at::isneginf(*this);
}

Tensor& isneginf_out(Tensor& out, const Tensor& self) {
return bridge::write(at::isneginf(self), out);
}

Tensor& isneginf_outf(const Tensor& self, Tensor& out) {
return at::isneginf_out(out, self);
}

Tensor signbit(const Tensor& self) {
return minima::signbit(bridge::native(self));
}

Tensor Tensor::signbit() const {
return at::signbit(*this);
}

Tensor& signbit_out(Tensor& out, const Tensor& self) {
return bridge::write(at::signbit(self), out);
}

Tensor& signbit_outf(const Tensor& self, Tensor& out) {
return at::signbit_out(out, self);
}

Tensor isfinite(const Tensor& self) {
return minima::isfinite(bridge::native(self));
}

Tensor Tensor::isfinite() const {
return at::isfinite(*this);
}

Tensor& isfinite_out(Tensor& out, const Tensor& self) {
return bridge::write(at::isfinite(self), out);
}

Tensor& isfinite_outf(const Tensor& self, Tensor& out) {
return at::isfinite_out(out, self);
}

Tensor isinf(const Tensor& self) {
return minima::isinf(bridge::native(self));
}

Tensor Tensor::isinf() const {
return at::isinf(*this);
}

Tensor& isinf_out(Tensor& out, const Tensor& self) {
return bridge::write(at::isinf(self), out);
}

Tensor& isinf_outf(const Tensor& self, Tensor& out) {
return at::isinf_out(out, self);
}

Tensor isnan(const Tensor& self) {
return minima::isnan(bridge::native(self));
}

Tensor Tensor::isnan() const {
return at::isnan(*this);
}

Tensor& isnan_out(Tensor& out, const Tensor& self) {
return bridge::write(at::isnan(self), out);
}

Tensor& isnan_outf(const Tensor& self, Tensor& out) {
return at::isnan_out(out, self);
}

Tensor isreal(const Tensor& self) {
return bridge::is_real(bridge::native(self));
}

Tensor Tensor::isreal() const {
return at::isreal(*this);
}

Tensor& isreal_out(Tensor& out, const Tensor& self) {
return bridge::write(at::isreal(self), out);
}

Tensor& isreal_outf(const Tensor& self, Tensor& out) {
return at::isreal_out(out, self);
}

Tensor positive(const Tensor& self) {
return self;
}

Tensor Tensor::positive() const {
return at::positive(*this);
}

Tensor& positive_out(Tensor& out, const Tensor& self) {
return bridge::write(at::positive(self), out);
}

Tensor& positive_outf(const Tensor& self, Tensor& out) {
return at::positive_out(out, self);
}

Tensor round(const Tensor& self) {
return minima::round(bridge::native(self));
}

Tensor Tensor::round() const {
return at::round(*this);
}

Tensor& round_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("round_", self, [&](const Tensor& self) { return at::round(self); });
}

Tensor& Tensor::round_() const {
return at::round_(const_cast<Tensor&>(*this));
}

Tensor& round_out(Tensor& out, const Tensor& self) {
return bridge::write(at::round(self), out);
}

Tensor& round_outf(const Tensor& self, Tensor& out) {
return at::round_out(out, self);
}

Tensor round(const Tensor& self, int64_t decimals) {
return bridge::round(bridge::native(self), decimals);
}

Tensor Tensor::round(int64_t decimals) const {
return at::round(*this, decimals);
}

Tensor& round_(Tensor& self, int64_t decimals) {
torch::autograd::check_inplace(self);
return bridge::change("round_", self, [&](const Tensor& self) { return at::round(self, decimals); });
}

Tensor& Tensor::round_(int64_t decimals) const {
return at::round_(const_cast<Tensor&>(*this), decimals);
}

Tensor& round_out(Tensor& out, const Tensor& self, int64_t decimals) {
return bridge::write(at::round(self, decimals), out);
}

Tensor& round_outf(const Tensor& self, int64_t decimals, Tensor& out) {
return at::round_out(out, self, decimals);
}

Tensor logit(const Tensor& self, std::optional<double> eps) {
return minima::logit(bridge::native(self), eps.value_or(-1));
}

Tensor Tensor::logit(std::optional<double> eps) const {
return at::logit(*this, eps);
}

Tensor& logit_(Tensor& self, std::optional<double> eps) {
torch::autograd::check_inplace(self);
return bridge::change("logit_", self, [&](const Tensor& self) { return at::logit(self, eps); });
}

Tensor& Tensor::logit_(std::optional<double> eps) const {
return at::logit_(const_cast<Tensor&>(*this), eps);
}

Tensor& logit_out(Tensor& out, const Tensor& self, std::optional<double> eps) {
return bridge::write(at::logit(self, eps), out);
}

Tensor& logit_outf(const Tensor& self, std::optional<double> eps, Tensor& out) {
return at::logit_out(out, self, eps);
}

Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) {
return bridge::nan_to_num(bridge::native(self), nan, posinf, neginf);
}

Tensor Tensor::nan_to_num(std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) const {
return at::nan_to_num(*this, nan, posinf, neginf);
}

Tensor& nan_to_num_(Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) {
torch::autograd::check_inplace(self);
return bridge::change("nan_to_num_", self, [&](const Tensor& self) { return at::nan_to_num(self, nan, posinf, neginf); });
}

Tensor& Tensor::nan_to_num_(std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) const {
return at::nan_to_num_(const_cast<Tensor&>(*this), nan, posinf, neginf);
}

Tensor& nan_to_num_out(Tensor& out, const Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) {
return bridge::write(at::nan_to_num(self, nan, posinf, neginf), out);
}

Tensor& nan_to_num_outf(const Tensor& self, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf, Tensor& out) {
return at::nan_to_num_out(out, self, nan, posinf, neginf);
}

Tensor mvlgamma(const Tensor& self, int64_t p) {
return minima::mvlgamma(bridge::native(self), p);
}

Tensor Tensor::mvlgamma(int64_t p) const {
return at::mvlgamma(*this, p);
}

Tensor& mvlgamma_(Tensor& self, int64_t p) {
torch::autograd::check_inplace(self);
return bridge::change("mvlgamma_", self, [&](const Tensor& self) { return at::mvlgamma(self, p); });
}

Tensor& Tensor::mvlgamma_(int64_t p) const {
return at::mvlgamma_(const_cast<Tensor&>(*this), p);
}

Tensor& mvlgamma_out(Tensor& out, const Tensor& self, int64_t p) {
return bridge::write(at::mvlgamma(self, p), out);
}

Tensor& mvlgamma_outf(const Tensor& self, int64_t p, Tensor& out) {
return at::mvlgamma_out(out, self, p);
}

Tensor polygamma(int64_t n, const Tensor& self) {
return minima::polygamma(n, bridge::native(self));
}

Tensor Tensor::polygamma(int64_t n) const {
return at::polygamma(n, *this);
}

Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self) {
return bridge::write(at::polygamma(n, self), out);
}

Tensor& polygamma_outf(int64_t n, const Tensor& self, Tensor& out) {
return at::polygamma_out(out, n, self);
}

Tensor& Tensor::polygamma_(int64_t n) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::change("polygamma_", self, [n](const Tensor& x) { return at::polygamma(n, x); });
}

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
return bridge::tuple2(minima::frexp(bridge::native(self)));
}

std::tuple<Tensor, Tensor> Tensor::frexp() const {
return at::frexp(*this);
}

std::tuple<Tensor&, Tensor&> frexp_out(Tensor& out0, Tensor& out1, const Tensor& self) {
return bridge::write(at::frexp(self), out0, out1);
}

std::tuple<Tensor&, Tensor&> frexp_outf(const Tensor& self, Tensor& out0, Tensor& out1) {
return at::frexp_out(out0, out1, self);
}

Tensor conj_physical(const Tensor& self) {
return minima::conj(bridge::native(self));
}

Tensor Tensor::conj_physical() const {
return at::conj_physical(*this);
}

Tensor& conj_physical_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("conj_physical_", self, [&](const Tensor& self) { return at::conj_physical(self); });
}

Tensor& Tensor::conj_physical_() const {
return at::conj_physical_(const_cast<Tensor&>(*this));
}

Tensor& conj_physical_out(Tensor& out, const Tensor& self) {
return bridge::write(at::conj_physical(self), out);
}

Tensor& conj_physical_outf(const Tensor& self, Tensor& out) {
return at::conj_physical_out(out, self);
}

Tensor conj(const Tensor& self) {
return minima::conj(bridge::native(self));
}

Tensor Tensor::conj() const {
return at::conj(*this);
}

Tensor& conj_out(Tensor& out, const Tensor& self) {
return bridge::write(at::conj(self), out);
}

Tensor& conj_outf(const Tensor& self, Tensor& out) {
return at::conj_out(out, self);
}

Tensor resolve_conj(const Tensor& self) {
return minima::conj(bridge::native(self));
}

Tensor Tensor::resolve_conj() const {
return at::resolve_conj(*this);
}

Tensor& resolve_conj_out(Tensor& out, const Tensor& self) {
return bridge::write(at::resolve_conj(self), out);
}

Tensor& resolve_conj_outf(const Tensor& self, Tensor& out) {
return at::resolve_conj_out(out, self);
}

Tensor resolve_neg(const Tensor& self) {
return self;
}

Tensor Tensor::resolve_neg() const {
return at::resolve_neg(*this);
}

Tensor& resolve_neg_out(Tensor& out, const Tensor& self) {
return bridge::write(at::resolve_neg(self), out);
}

Tensor& resolve_neg_outf(const Tensor& self, Tensor& out) {
return at::resolve_neg_out(out, self);
}

int64_t numel(const Tensor& self) {
return self.numel();
}

int64_t size(const Tensor& self, int64_t dim) {
return self.size(dim);
}

int64_t stride(const Tensor& self, int64_t dim) {
return self.stride(dim);
}

bool is_conj(const Tensor&) {
return false;
}

bool is_neg(const Tensor&) {
return false;
}

bool is_complex(const Tensor& self) {
return self.is_complex();
}

bool is_floating_point(const Tensor& self) {
return self.is_floating_point();
}

bool is_signed(const Tensor& self) {
return self.is_signed();
}

bool is_inference(const Tensor& self) {
return self.is_inference();
}

bool is_distributed(const Tensor&) {
return false;
}

bool Tensor::is_distributed() const {
return at::is_distributed(*this);
}

Tensor _neg_view(const Tensor& self) {
return minima::neg(bridge::native(self));
}

Tensor real(const Tensor& self) {
return minima::real(bridge::native(self));
}

Tensor& real_out(Tensor& out, const Tensor& self) {
return bridge::write(at::real(self), out);
}

Tensor& real_outf(const Tensor& self, Tensor& out) {
return at::real_out(out, self);
}

Tensor imag(const Tensor& self) {
return minima::imag(bridge::native(self));
}

Tensor& imag_out(Tensor& out, const Tensor& self) {
return bridge::write(at::imag(self), out);
}

Tensor& imag_outf(const Tensor& self, Tensor& out) {
return at::imag_out(out, self);
}

Tensor view_as_real(const Tensor& self) {
return minima::view_as_real(bridge::native(self));
}

Tensor& view_as_real_out(Tensor& out, const Tensor& self) {
return bridge::write(at::view_as_real(self), out);
}

Tensor& view_as_real_outf(const Tensor& self, Tensor& out) {
return at::view_as_real_out(out, self);
}

Tensor view_as_complex(const Tensor& self) {
return minima::view_as_complex(bridge::native(self));
}

Tensor& view_as_complex_out(Tensor& out, const Tensor& self) {
return bridge::write(at::view_as_complex(self), out);
}

Tensor& view_as_complex_outf(const Tensor& self, Tensor& out) {
return at::view_as_complex_out(out, self);
}

Tensor complex(const Tensor& real, const Tensor& imag) {
return minima::complex(bridge::native(real), bridge::native(imag));
}

Tensor& complex_out(Tensor& out, const Tensor& real, const Tensor& imag) {
return bridge::write(at::complex(real, imag), out);
}

Tensor& complex_outf(const Tensor& real, const Tensor& imag, Tensor& out) {
return at::complex_out(out, real, imag);
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
return minima::polar(bridge::native(abs), bridge::native(angle));
}

Tensor& polar_out(Tensor& out, const Tensor& abs, const Tensor& angle) {
return bridge::write(at::polar(abs, angle), out);
}

Tensor& polar_outf(const Tensor& abs, const Tensor& angle, Tensor& out) {
return at::polar_out(out, abs, angle);
}

Tensor celu(const Tensor& self, const Scalar& alpha) {
return minima::celu(bridge::native(self), bridge::native(alpha).to<double>());
}

Tensor& celu_(Tensor& self, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("celu_", self, [&](const Tensor& self) { return at::celu(self, alpha); });
}

Tensor& celu_out(Tensor& out, const Tensor& self, const Scalar& alpha) {
return bridge::write(at::celu(self, alpha), out);
}

Tensor& celu_outf(const Tensor& self, const Scalar& alpha, Tensor& out) {
return at::celu_out(out, self, alpha);
}

Tensor elu(const Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
return bridge::elu(bridge::native(self), bridge::native(alpha), bridge::native(scale), bridge::native(input_scale));
}

Tensor& elu_(Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
torch::autograd::check_inplace(self);
return bridge::change("elu_", self, [&](const Tensor& self) { return at::elu(self, alpha, scale, input_scale); });
}

Tensor& elu_out(Tensor& out, const Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
return bridge::write(at::elu(self, alpha, scale, input_scale), out);
}

Tensor& elu_outf(const Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, Tensor& out) {
return at::elu_out(out, self, alpha, scale, input_scale);
}

Tensor gelu(const Tensor& self, std::string_view approximate) {
return bridge::gelu(bridge::native(self), approximate);
}

Tensor& gelu_(Tensor& self, std::string_view approximate) {
torch::autograd::check_inplace(self);
return bridge::change("gelu_", self, [&](const Tensor& self) { return at::gelu(self, approximate); });
}

Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate) {
return bridge::write(at::gelu(self, approximate), out);
}

Tensor& gelu_outf(const Tensor& self, std::string_view approximate, Tensor& out) {
return at::gelu_out(out, self, approximate);
}

Tensor glu(const Tensor& self, int64_t dim) {
return minima::glu(bridge::native(self), dim);
}

Tensor& glu_out(Tensor& out, const Tensor& self, int64_t dim) {
return bridge::write(at::glu(self, dim), out);
}

Tensor& glu_outf(const Tensor& self, int64_t dim, Tensor& out) {
return at::glu_out(out, self, dim);
}

Tensor hardshrink(const Tensor& self, const Scalar& lambd) {
return bridge::shrink(bridge::native(self), bridge::native(lambd), minima::hardshrink);
}

Tensor Tensor::hardshrink(const Scalar& lambd) const {
return at::hardshrink(*this, lambd);
}

Tensor& hardshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd) {
return bridge::write(at::hardshrink(self, lambd), out);
}

Tensor& hardshrink_outf(const Tensor& self, const Scalar& lambd, Tensor& out) {
return at::hardshrink_out(out, self, lambd);
}

Tensor softshrink(const Tensor& self, const Scalar& lambd) {
return bridge::shrink(bridge::native(self), bridge::native(lambd), minima::softshrink);
}

Tensor& softshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd) {
return bridge::write(at::softshrink(self, lambd), out);
}

Tensor& softshrink_outf(const Tensor& self, const Scalar& lambd, Tensor& out) {
return at::softshrink_out(out, self, lambd);
}

Tensor hardsigmoid(const Tensor& self) {
return minima::hardsigmoid(bridge::native(self));
}

Tensor& hardsigmoid_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("hardsigmoid_", self, [&](const Tensor& self) { return at::hardsigmoid(self); });
}

Tensor& hardsigmoid_out(Tensor& out, const Tensor& self) {
return bridge::write(at::hardsigmoid(self), out);
}

Tensor& hardsigmoid_outf(const Tensor& self, Tensor& out) {
return at::hardsigmoid_out(out, self);
}

Tensor hardswish(const Tensor& self) {
return minima::hardswish(bridge::native(self));
}

Tensor& hardswish_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("hardswish_", self, [&](const Tensor& self) { return at::hardswish(self); });
}

Tensor& hardswish_out(Tensor& out, const Tensor& self) {
return bridge::write(at::hardswish(self), out);
}

Tensor& hardswish_outf(const Tensor& self, Tensor& out) {
return at::hardswish_out(out, self);
}

Tensor mish(const Tensor& self) {
return minima::mish(bridge::native(self));
}

Tensor& mish_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("mish_", self, [&](const Tensor& self) { return at::mish(self); });
}

Tensor& mish_out(Tensor& out, const Tensor& self) {
return bridge::write(at::mish(self), out);
}

Tensor& mish_outf(const Tensor& self, Tensor& out) {
return at::mish_out(out, self);
}

Tensor silu(const Tensor& self) {
return minima::silu(bridge::native(self));
}

Tensor& silu_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("silu_", self, [&](const Tensor& self) { return at::silu(self); });
}

Tensor& silu_out(Tensor& out, const Tensor& self) {
return bridge::write(at::silu(self), out);
}

Tensor& silu_outf(const Tensor& self, Tensor& out) {
return at::silu_out(out, self);
}

Tensor selu(const Tensor& self) {
return minima::selu(bridge::native(self));
}

Tensor& selu_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("selu_", self, [&](const Tensor& self) { return at::selu(self); });
}

Tensor& selu_out(Tensor& out, const Tensor& self) {
return bridge::write(at::selu(self), out);
}

Tensor& selu_outf(const Tensor& self, Tensor& out) {
return at::selu_out(out, self);
}

Tensor relu6(const Tensor& self) {
return minima::relu6(bridge::native(self));
}

Tensor& relu6_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("relu6_", self, [&](const Tensor& self) { return at::relu6(self); });
}

Tensor& relu6_out(Tensor& out, const Tensor& self) {
return bridge::write(at::relu6(self), out);
}

Tensor& relu6_outf(const Tensor& self, Tensor& out) {
return at::relu6_out(out, self);
}

Tensor hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
return minima::hardtanh(bridge::native(self), bridge::native(min_val).to<double>(), bridge::native(max_val).to<double>());
}

Tensor& hardtanh_(Tensor& self, const Scalar& min_val, const Scalar& max_val) {
torch::autograd::check_inplace(self);
return bridge::change("hardtanh_", self, [&](const Tensor& self) { return at::hardtanh(self, min_val, max_val); });
}

Tensor& hardtanh_out(Tensor& out, const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
return bridge::write(at::hardtanh(self, min_val, max_val), out);
}

Tensor& hardtanh_outf(const Tensor& self, const Scalar& min_val, const Scalar& max_val, Tensor& out) {
return at::hardtanh_out(out, self, min_val, max_val);
}

Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope) {
return minima::leaky_relu(bridge::native(self), bridge::native(negative_slope).to<double>());
}

Tensor& leaky_relu_(Tensor& self, const Scalar& negative_slope) {
torch::autograd::check_inplace(self);
return bridge::change("leaky_relu_", self, [&](const Tensor& self) { return at::leaky_relu(self, negative_slope); });
}

Tensor& leaky_relu_out(Tensor& out, const Tensor& self, const Scalar& negative_slope) {
return bridge::write(at::leaky_relu(self, negative_slope), out);
}

Tensor& leaky_relu_outf(const Tensor& self, const Scalar& negative_slope, Tensor& out) {
return at::leaky_relu_out(out, self, negative_slope);
}

Tensor log_sigmoid(const Tensor& self) {
return minima::log_sigmoid(bridge::native(self));
}

Tensor& log_sigmoid_out(Tensor& out, const Tensor& self) {
return bridge::write(at::log_sigmoid(self), out);
}

Tensor& log_sigmoid_outf(const Tensor& self, Tensor& out) {
return at::log_sigmoid_out(out, self);
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
return minima::prelu(bridge::native(self), bridge::native(weight));
}

Tensor Tensor::prelu(const Tensor& weight) const {
return at::prelu(*this, weight);
}

Tensor& prelu_out(Tensor& out, const Tensor& self, const Tensor& weight) {
return bridge::write(at::prelu(self, weight), out);
}

Tensor& prelu_outf(const Tensor& self, const Tensor& weight, Tensor& out) {
return at::prelu_out(out, self, weight);
}

Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training, std::optional<Generator> generator) {
return minima::rrelu(bridge::native(self), bridge::native(lower).to<double>(), bridge::native(upper).to<double>(), training, bridge::native(generator));
}

Tensor& rrelu_(Tensor& self, const Scalar& lower, const Scalar& upper, bool training, std::optional<Generator> generator) {
torch::autograd::check_inplace(self);
return bridge::change("rrelu_", self, [&](const Tensor& self) { return at::rrelu(self, lower, upper, training, generator); });
}

Tensor& rrelu_out(Tensor& out, const Tensor& self, const Scalar& lower, const Scalar& upper, bool training, std::optional<Generator> generator) {
return bridge::write(at::rrelu(self, lower, upper, training, generator), out);
}

Tensor& rrelu_outf(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training, std::optional<Generator> generator, Tensor& out) {
return at::rrelu_out(out, self, lower, upper, training, generator);
}

Tensor softplus(const Tensor& self, const Scalar& beta, const Scalar& threshold) {
return minima::softplus(bridge::native(self), bridge::native(beta).to<double>(), bridge::native(threshold).to<double>());
}

Tensor& softplus_out(Tensor& out, const Tensor& self, const Scalar& beta, const Scalar& threshold) {
return bridge::write(at::softplus(self, beta, threshold), out);
}

Tensor& softplus_outf(const Tensor& self, const Scalar& beta, const Scalar& threshold, Tensor& out) {
return at::softplus_out(out, self, beta, threshold);
}

Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value) {
return minima::threshold(bridge::native(self), bridge::native(threshold), bridge::native(value));
}

Tensor& threshold_(Tensor& self, const Scalar& threshold, const Scalar& value) {
torch::autograd::check_inplace(self);
return bridge::change("threshold_", self, [&](const Tensor& self) { return at::threshold(self, threshold, value); });
}

Tensor& threshold_out(Tensor& out, const Tensor& self, const Scalar& threshold, const Scalar& value) {
return bridge::write(at::threshold(self, threshold, value), out);
}

Tensor& threshold_outf(const Tensor& self, const Scalar& threshold, const Scalar& value, Tensor& out) {
return at::threshold_out(out, self, threshold, value);
}

Tensor absolute(const Tensor& self) {
return at::abs(self);
}

Tensor Tensor::absolute() const {
return at::absolute(*this);
}

Tensor& absolute_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("absolute_", self, [&](const Tensor& self) { return at::absolute(self); });
}

Tensor& Tensor::absolute_() const {
return at::absolute_(const_cast<Tensor&>(*this));
}

Tensor& absolute_out(Tensor& out, const Tensor& self) {
return bridge::write(at::absolute(self), out);
}

Tensor& absolute_outf(const Tensor& self, Tensor& out) {
return at::absolute_out(out, self);
}

Tensor arccos(const Tensor& self) {
return at::acos(self);
}

Tensor Tensor::arccos() const {
return at::arccos(*this);
}

Tensor& arccos_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("arccos_", self, [&](const Tensor& self) { return at::arccos(self); });
}

Tensor& Tensor::arccos_() const {
return at::arccos_(const_cast<Tensor&>(*this));
}

Tensor& arccos_out(Tensor& out, const Tensor& self) {
return bridge::write(at::arccos(self), out);
}

Tensor& arccos_outf(const Tensor& self, Tensor& out) {
return at::arccos_out(out, self);
}

Tensor arccosh(const Tensor& self) {
return at::acosh(self);
}

Tensor Tensor::arccosh() const {
return at::arccosh(*this);
}

Tensor& arccosh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("arccosh_", self, [&](const Tensor& self) { return at::arccosh(self); });
}

Tensor& Tensor::arccosh_() const {
return at::arccosh_(const_cast<Tensor&>(*this));
}

Tensor& arccosh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::arccosh(self), out);
}

Tensor& arccosh_outf(const Tensor& self, Tensor& out) {
return at::arccosh_out(out, self);
}

Tensor arcsin(const Tensor& self) {
return at::asin(self);
}

Tensor Tensor::arcsin() const {
return at::arcsin(*this);
}

Tensor& arcsin_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("arcsin_", self, [&](const Tensor& self) { return at::arcsin(self); });
}

Tensor& Tensor::arcsin_() const {
return at::arcsin_(const_cast<Tensor&>(*this));
}

Tensor& arcsin_out(Tensor& out, const Tensor& self) {
return bridge::write(at::arcsin(self), out);
}

Tensor& arcsin_outf(const Tensor& self, Tensor& out) {
return at::arcsin_out(out, self);
}

Tensor arcsinh(const Tensor& self) {
return at::asinh(self);
}

Tensor Tensor::arcsinh() const {
return at::arcsinh(*this);
}

Tensor& arcsinh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("arcsinh_", self, [&](const Tensor& self) { return at::arcsinh(self); });
}

Tensor& Tensor::arcsinh_() const {
return at::arcsinh_(const_cast<Tensor&>(*this));
}

Tensor& arcsinh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::arcsinh(self), out);
}

Tensor& arcsinh_outf(const Tensor& self, Tensor& out) {
return at::arcsinh_out(out, self);
}

Tensor arctan(const Tensor& self) {
return at::atan(self);
}

Tensor Tensor::arctan() const {
return at::arctan(*this);
}

Tensor& arctan_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("arctan_", self, [&](const Tensor& self) { return at::arctan(self); });
}

Tensor& Tensor::arctan_() const {
return at::arctan_(const_cast<Tensor&>(*this));
}

Tensor& arctan_out(Tensor& out, const Tensor& self) {
return bridge::write(at::arctan(self), out);
}

Tensor& arctan_outf(const Tensor& self, Tensor& out) {
return at::arctan_out(out, self);
}

Tensor arctanh(const Tensor& self) {
return at::atanh(self);
}

Tensor Tensor::arctanh() const {
return at::arctanh(*this);
}

Tensor& arctanh_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("arctanh_", self, [&](const Tensor& self) { return at::arctanh(self); });
}

Tensor& Tensor::arctanh_() const {
return at::arctanh_(const_cast<Tensor&>(*this));
}

Tensor& arctanh_out(Tensor& out, const Tensor& self) {
return bridge::write(at::arctanh(self), out);
}

Tensor& arctanh_outf(const Tensor& self, Tensor& out) {
return at::arctanh_out(out, self);
}

Tensor negative(const Tensor& self) {
return at::neg(self);
}

Tensor Tensor::negative() const {
return at::negative(*this);
}

Tensor& negative_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("negative_", self, [&](const Tensor& self) { return at::negative(self); });
}

Tensor& Tensor::negative_() const {
return at::negative_(const_cast<Tensor&>(*this));
}

Tensor& negative_out(Tensor& out, const Tensor& self) {
return bridge::write(at::negative(self), out);
}

Tensor& negative_outf(const Tensor& self, Tensor& out) {
return at::negative_out(out, self);
}

Tensor fix(const Tensor& self) {
return at::trunc(self);
}

Tensor Tensor::fix() const {
return at::fix(*this);
}

Tensor& fix_(Tensor& self) {
torch::autograd::check_inplace(self);
return bridge::change("fix_", self, [&](const Tensor& self) { return at::fix(self); });
}

Tensor& Tensor::fix_() const {
return at::fix_(const_cast<Tensor&>(*this));
}

Tensor& fix_out(Tensor& out, const Tensor& self) {
return bridge::write(at::fix(self), out);
}

Tensor& fix_outf(const Tensor& self, Tensor& out) {
return at::fix_out(out, self);
}

}  // namespace at
