// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::add(bridge::native(self), bridge::native(other), bridge::native(alpha));
}

Tensor Tensor::add(const Tensor& other, const Scalar& alpha) const {
return at::add(*this, other, alpha);
}

Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::write(at::add(self, other, alpha), out);
}

Tensor& add_outf(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
return at::add_out(out, self, other, alpha);
}

Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::sub(bridge::native(self), bridge::native(other), bridge::native(alpha));
}

Tensor Tensor::sub(const Tensor& other, const Scalar& alpha) const {
return at::sub(*this, other, alpha);
}

Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::write(at::sub(self, other, alpha), out);
}

Tensor& sub_outf(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
return at::sub_out(out, self, other, alpha);
}

Tensor& Tensor::add_(const Tensor& other, const Scalar& alpha) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::add_(bridge::native(self), bridge::native(other), bridge::native(alpha));
return self;
}

Tensor& Tensor::sub_(const Tensor& other, const Scalar& alpha) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::sub_(bridge::native(self), bridge::native(other), bridge::native(alpha));
return self;
}

Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::add(self, other, alpha);
}

Tensor Tensor::add(const Scalar& other, const Scalar& alpha) const {
return at::add(*this, other, alpha);
}

Tensor& add_(Tensor& self, const Scalar& other, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("add_", self, [&](const Tensor& self) { return at::add(self, other, alpha); });
}

Tensor& Tensor::add_(const Scalar& other, const Scalar& alpha) const {
return at::add_(const_cast<Tensor&>(*this), other, alpha);
}

Tensor& add_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::write(at::add(self, other, alpha), out);
}

Tensor& add_outf(const Tensor& self, const Scalar& other, const Scalar& alpha, Tensor& out) {
return at::add_out(out, self, other, alpha);
}

Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::sub(self, other, alpha);
}

Tensor Tensor::sub(const Scalar& other, const Scalar& alpha) const {
return at::sub(*this, other, alpha);
}

Tensor& sub_(Tensor& self, const Scalar& other, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("sub_", self, [&](const Tensor& self) { return at::sub(self, other, alpha); });
}

Tensor& Tensor::sub_(const Scalar& other, const Scalar& alpha) const {
return at::sub_(const_cast<Tensor&>(*this), other, alpha);
}

Tensor& sub_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::write(at::sub(self, other, alpha), out);
}

Tensor& sub_outf(const Tensor& self, const Scalar& other, const Scalar& alpha, Tensor& out) {
return at::sub_out(out, self, other, alpha);
}

Tensor rsub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::sub(bridge::native(other), bridge::native(self), bridge::native(alpha));
}

Tensor& rsub_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::write(at::rsub(self, other, alpha), out);
}

Tensor& rsub_outf(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
return at::rsub_out(out, self, other, alpha);
}

Tensor rsub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::rsub(bridge::native(self), bridge::native(other), bridge::native(alpha));
}

Tensor& rsub_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::write(at::rsub(self, other, alpha), out);
}

Tensor& rsub_outf(const Tensor& self, const Scalar& other, const Scalar& alpha, Tensor& out) {
return at::rsub_out(out, self, other, alpha);
}

Tensor mul(const Tensor& self, const Tensor& other) {
return minima::mul(bridge::native(self), bridge::native(other));
}

Tensor Tensor::mul(const Tensor& other) const {
return at::mul(*this, other);
}

Tensor& mul_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
minima::mul_(bridge::native(self), bridge::native(other));
return self;
}

Tensor& Tensor::mul_(const Tensor& other) const {
return at::mul_(const_cast<Tensor&>(*this), other);
}

Tensor& mul_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::mul(self, other), out);
}

Tensor& mul_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::mul_out(out, self, other);
}

Tensor div(const Tensor& self, const Tensor& other) {
return minima::div(bridge::native(self), bridge::native(other));
}

Tensor Tensor::div(const Tensor& other) const {
return at::div(*this, other);
}

Tensor& div_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
minima::div_(bridge::native(self), bridge::native(other));
return self;
}

Tensor& Tensor::div_(const Tensor& other) const {
return at::div_(const_cast<Tensor&>(*this), other);
}

Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::div(self, other), out);
}

Tensor& div_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::div_out(out, self, other);
}

Tensor mul(const Tensor& self, const Scalar& other) {
return bridge::binary(self, other, minima::mul, minima::mul);
}

Tensor Tensor::mul(const Scalar& other) const {
return at::mul(*this, other);
}

Tensor& mul_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::mul(self, other), out);
}

Tensor& mul_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::mul_out(out, self, other);
}

Tensor div(const Tensor& self, const Scalar& other) {
return bridge::binary(self, other, minima::div, minima::div);
}

Tensor Tensor::div(const Scalar& other) const {
return at::div(*this, other);
}

Tensor& div_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::div(self, other), out);
}

Tensor& div_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::div_out(out, self, other);
}

Tensor& Tensor::mul_(const Scalar& other) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::mul_(bridge::native(self), bridge::native(other));
return self;
}

Tensor& Tensor::div_(const Scalar& other) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::div_(bridge::native(self), bridge::native(other));
return self;
}

Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
return bridge::div(bridge::native(self), bridge::native(other), rounding_mode);
}

Tensor Tensor::div(const Tensor& other, std::optional<std::string_view> rounding_mode) const {
return at::div(*this, other, rounding_mode);
}

Tensor& div_(Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
torch::autograd::check_inplace(self);
return bridge::change("div_", self, [&](const Tensor& self) { return at::div(self, other, rounding_mode); });
}

Tensor& Tensor::div_(const Tensor& other, std::optional<std::string_view> rounding_mode) const {
return at::div_(const_cast<Tensor&>(*this), other, rounding_mode);
}

Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
return bridge::write(at::div(self, other, rounding_mode), out);
}

Tensor& div_outf(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode, Tensor& out) {
return at::div_out(out, self, other, rounding_mode);
}

Tensor div(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
return bridge::div(bridge::native(self), bridge::native(other), rounding_mode);
}

Tensor Tensor::div(const Scalar& other, std::optional<std::string_view> rounding_mode) const {
return at::div(*this, other, rounding_mode);
}

Tensor& div_(Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
torch::autograd::check_inplace(self);
return bridge::change("div_", self, [&](const Tensor& self) { return at::div(self, other, rounding_mode); });
}

Tensor& Tensor::div_(const Scalar& other, std::optional<std::string_view> rounding_mode) const {
return at::div_(const_cast<Tensor&>(*this), other, rounding_mode);
}

Tensor& div_out(Tensor& out, const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
return bridge::write(at::div(self, other, rounding_mode), out);
}

Tensor& div_outf(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode, Tensor& out) {
return at::div_out(out, self, other, rounding_mode);
}

Tensor true_divide(const Tensor& self, const Tensor& other) {
return minima::div(bridge::native(self), bridge::native(other));
}

Tensor Tensor::true_divide(const Tensor& other) const {
return at::true_divide(*this, other);
}

Tensor& true_divide_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("true_divide_", self, [&](const Tensor& self) { return at::true_divide(self, other); });
}

Tensor& Tensor::true_divide_(const Tensor& other) const {
return at::true_divide_(const_cast<Tensor&>(*this), other);
}

Tensor& true_divide_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::true_divide(self, other), out);
}

Tensor& true_divide_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::true_divide_out(out, self, other);
}

Tensor true_divide(const Tensor& self, const Scalar& other) {
return minima::div(bridge::native(self), bridge::native(other));
}

Tensor Tensor::true_divide(const Scalar& other) const {
return at::true_divide(*this, other);
}

Tensor& true_divide_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("true_divide_", self, [&](const Tensor& self) { return at::true_divide(self, other); });
}

Tensor& Tensor::true_divide_(const Scalar& other) const {
return at::true_divide_(const_cast<Tensor&>(*this), other);
}

Tensor& true_divide_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::true_divide(self, other), out);
}

Tensor& true_divide_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::true_divide_out(out, self, other);
}

Tensor floor_divide(const Tensor& self, const Tensor& other) {
return minima::floor_divide(bridge::native(self), bridge::native(other));
}

Tensor Tensor::floor_divide(const Tensor& other) const {
return at::floor_divide(*this, other);
}

Tensor& floor_divide_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("floor_divide_", self, [&](const Tensor& self) { return at::floor_divide(self, other); });
}

Tensor& Tensor::floor_divide_(const Tensor& other) const {
return at::floor_divide_(const_cast<Tensor&>(*this), other);
}

Tensor& floor_divide_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::floor_divide(self, other), out);
}

Tensor& floor_divide_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::floor_divide_out(out, self, other);
}

Tensor fmod(const Tensor& self, const Tensor& other) {
return minima::fmod(bridge::native(self), bridge::native(other));
}

Tensor Tensor::fmod(const Tensor& other) const {
return at::fmod(*this, other);
}

Tensor& fmod_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("fmod_", self, [&](const Tensor& self) { return at::fmod(self, other); });
}

Tensor& Tensor::fmod_(const Tensor& other) const {
return at::fmod_(const_cast<Tensor&>(*this), other);
}

Tensor& fmod_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::fmod(self, other), out);
}

Tensor& fmod_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::fmod_out(out, self, other);
}

Tensor remainder(const Tensor& self, const Tensor& other) {
return minima::remainder(bridge::native(self), bridge::native(other));
}

Tensor Tensor::remainder(const Tensor& other) const {
return at::remainder(*this, other);
}

Tensor& remainder_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("remainder_", self, [&](const Tensor& self) { return at::remainder(self, other); });
}

Tensor& Tensor::remainder_(const Tensor& other) const {
return at::remainder_(const_cast<Tensor&>(*this), other);
}

Tensor& remainder_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::remainder(self, other), out);
}

Tensor& remainder_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::remainder_out(out, self, other);
}

Tensor floor_divide(const Tensor& self, const Scalar& other) {
return minima::floor_divide(bridge::native(self), bridge::native(other));
}

Tensor Tensor::floor_divide(const Scalar& other) const {
return at::floor_divide(*this, other);
}

Tensor& floor_divide_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("floor_divide_", self, [&](const Tensor& self) { return at::floor_divide(self, other); });
}

Tensor& Tensor::floor_divide_(const Scalar& other) const {
return at::floor_divide_(const_cast<Tensor&>(*this), other);
}

Tensor& floor_divide_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::floor_divide(self, other), out);
}

Tensor& floor_divide_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::floor_divide_out(out, self, other);
}

Tensor fmod(const Tensor& self, const Scalar& other) {
return minima::fmod(bridge::native(self), bridge::native(other));
}

Tensor Tensor::fmod(const Scalar& other) const {
return at::fmod(*this, other);
}

Tensor& fmod_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("fmod_", self, [&](const Tensor& self) { return at::fmod(self, other); });
}

Tensor& Tensor::fmod_(const Scalar& other) const {
return at::fmod_(const_cast<Tensor&>(*this), other);
}

Tensor& fmod_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::fmod(self, other), out);
}

Tensor& fmod_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::fmod_out(out, self, other);
}

Tensor remainder(const Tensor& self, const Scalar& other) {
return minima::remainder(bridge::native(self), bridge::native(other));
}

Tensor Tensor::remainder(const Scalar& other) const {
return at::remainder(*this, other);
}

Tensor& remainder_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("remainder_", self, [&](const Tensor& self) { return at::remainder(self, other); });
}

Tensor& Tensor::remainder_(const Scalar& other) const {
return at::remainder_(const_cast<Tensor&>(*this), other);
}

Tensor& remainder_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::remainder(self, other), out);
}

Tensor& remainder_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::remainder_out(out, self, other);
}

Tensor remainder(const Scalar& self, const Tensor& other) {
return minima::remainder(bridge::native(self), bridge::native(other));
}

Tensor& remainder_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::remainder(self, other), out);
}

Tensor& remainder_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::remainder_out(out, self, other);
}

Tensor pow(const Tensor& self, const Tensor& exponent) {
return bridge::pow(bridge::native(self), bridge::native(exponent));
}

Tensor Tensor::pow(const Tensor& exponent) const {
return at::pow(*this, exponent);
}

Tensor& pow_(Tensor& self, const Tensor& exponent) {
torch::autograd::check_inplace(self);
return bridge::change("pow_", self, [&](const Tensor& self) { return at::pow(self, exponent); });
}

Tensor& Tensor::pow_(const Tensor& exponent) const {
return at::pow_(const_cast<Tensor&>(*this), exponent);
}

Tensor& pow_out(Tensor& out, const Tensor& self, const Tensor& exponent) {
return bridge::write(at::pow(self, exponent), out);
}

Tensor& pow_outf(const Tensor& self, const Tensor& exponent, Tensor& out) {
return at::pow_out(out, self, exponent);
}

Tensor pow(const Tensor& self, const Scalar& exponent) {
return bridge::binary(self, exponent, bridge::pow, bridge::pow);
}

Tensor Tensor::pow(const Scalar& exponent) const {
return at::pow(*this, exponent);
}

Tensor& pow_(Tensor& self, const Scalar& exponent) {
torch::autograd::check_inplace(self);
return bridge::change("pow_", self, [&](const Tensor& self) { return at::pow(self, exponent); });
}

Tensor& Tensor::pow_(const Scalar& exponent) const {
return at::pow_(const_cast<Tensor&>(*this), exponent);
}

Tensor& pow_out(Tensor& out, const Tensor& self, const Scalar& exponent) {
return bridge::write(at::pow(self, exponent), out);
}

Tensor& pow_outf(const Tensor& self, const Scalar& exponent, Tensor& out) {
return at::pow_out(out, self, exponent);
}

Tensor pow(const Scalar& self, const Tensor& exponent) {
return bridge::pow(bridge::native(self), bridge::native(exponent));
}

Tensor& pow_out(Tensor& out, const Scalar& self, const Tensor& exponent) {
return bridge::write(at::pow(self, exponent), out);
}

Tensor& pow_outf(const Scalar& self, const Tensor& exponent, Tensor& out) {
return at::pow_out(out, self, exponent);
}

Tensor float_power(const Tensor& self, const Tensor& exponent) {
return minima::pow(bridge::doubled(bridge::native(self)), bridge::doubled(bridge::native(exponent)));
}

Tensor Tensor::float_power(const Tensor& exponent) const {
return at::float_power(*this, exponent);
}

Tensor& float_power_(Tensor& self, const Tensor& exponent) {
torch::autograd::check_inplace(self);
return bridge::change("float_power_", self, [&](const Tensor& self) { return at::float_power(self, exponent); });
}

Tensor& Tensor::float_power_(const Tensor& exponent) const {
return at::float_power_(const_cast<Tensor&>(*this), exponent);
}

Tensor& float_power_out(Tensor& out, const Tensor& self, const Tensor& exponent) {
return bridge::write(at::float_power(self, exponent), out);
}

Tensor& float_power_outf(const Tensor& self, const Tensor& exponent, Tensor& out) {
return at::float_power_out(out, self, exponent);
}

Tensor float_power(const Tensor& self, const Scalar& exponent) {
return minima::pow(bridge::doubled(bridge::native(self)), bridge::native(exponent));
}

Tensor Tensor::float_power(const Scalar& exponent) const {
return at::float_power(*this, exponent);
}

Tensor& float_power_(Tensor& self, const Scalar& exponent) {
torch::autograd::check_inplace(self);
return bridge::change("float_power_", self, [&](const Tensor& self) { return at::float_power(self, exponent); });
}

Tensor& Tensor::float_power_(const Scalar& exponent) const {
return at::float_power_(const_cast<Tensor&>(*this), exponent);
}

Tensor& float_power_out(Tensor& out, const Tensor& self, const Scalar& exponent) {
return bridge::write(at::float_power(self, exponent), out);
}

Tensor& float_power_outf(const Tensor& self, const Scalar& exponent, Tensor& out) {
return at::float_power_out(out, self, exponent);
}

Tensor float_power(const Scalar& self, const Tensor& exponent) {
return minima::pow(bridge::native(self), bridge::doubled(bridge::native(exponent)));
}

Tensor& float_power_out(Tensor& out, const Scalar& self, const Tensor& exponent) {
return bridge::write(at::float_power(self, exponent), out);
}

Tensor& float_power_outf(const Scalar& self, const Tensor& exponent, Tensor& out) {
return at::float_power_out(out, self, exponent);
}

Tensor fmax(const Tensor& self, const Tensor& other) {
return minima::fmax(bridge::native(self), bridge::native(other));
}

Tensor Tensor::fmax(const Tensor& other) const {
return at::fmax(*this, other);
}

Tensor& fmax_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::fmax(self, other), out);
}

Tensor& fmax_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::fmax_out(out, self, other);
}

Tensor fmin(const Tensor& self, const Tensor& other) {
return minima::fmin(bridge::native(self), bridge::native(other));
}

Tensor Tensor::fmin(const Tensor& other) const {
return at::fmin(*this, other);
}

Tensor& fmin_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::fmin(self, other), out);
}

Tensor& fmin_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::fmin_out(out, self, other);
}

Tensor maximum(const Tensor& self, const Tensor& other) {
return minima::maximum(bridge::native(self), bridge::native(other));
}

Tensor Tensor::maximum(const Tensor& other) const {
return at::maximum(*this, other);
}

Tensor& maximum_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::maximum(self, other), out);
}

Tensor& maximum_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::maximum_out(out, self, other);
}

Tensor minimum(const Tensor& self, const Tensor& other) {
return minima::minimum(bridge::native(self), bridge::native(other));
}

Tensor Tensor::minimum(const Tensor& other) const {
return at::minimum(*this, other);
}

Tensor& minimum_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::minimum(self, other), out);
}

Tensor& minimum_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::minimum_out(out, self, other);
}

Tensor logaddexp(const Tensor& self, const Tensor& other) {
return minima::logaddexp(bridge::native(self), bridge::native(other));
}

Tensor Tensor::logaddexp(const Tensor& other) const {
return at::logaddexp(*this, other);
}

Tensor& logaddexp_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::logaddexp(self, other), out);
}

Tensor& logaddexp_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::logaddexp_out(out, self, other);
}

Tensor logaddexp2(const Tensor& self, const Tensor& other) {
return minima::logaddexp2(bridge::native(self), bridge::native(other));
}

Tensor Tensor::logaddexp2(const Tensor& other) const {
return at::logaddexp2(*this, other);
}

Tensor& logaddexp2_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::logaddexp2(self, other), out);
}

Tensor& logaddexp2_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::logaddexp2_out(out, self, other);
}

Tensor atan2(const Tensor& self, const Tensor& other) {
return minima::atan2(bridge::native(self), bridge::native(other));
}

Tensor Tensor::atan2(const Tensor& other) const {
return at::atan2(*this, other);
}

Tensor& atan2_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("atan2_", self, [&](const Tensor& self) { return at::atan2(self, other); });
}

Tensor& Tensor::atan2_(const Tensor& other) const {
return at::atan2_(const_cast<Tensor&>(*this), other);
}

Tensor& atan2_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::atan2(self, other), out);
}

Tensor& atan2_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::atan2_out(out, self, other);
}

Tensor copysign(const Tensor& self, const Tensor& other) {
return minima::copysign(bridge::native(self), bridge::native(other));
}

Tensor Tensor::copysign(const Tensor& other) const {
return at::copysign(*this, other);
}

Tensor& copysign_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("copysign_", self, [&](const Tensor& self) { return at::copysign(self, other); });
}

Tensor& Tensor::copysign_(const Tensor& other) const {
return at::copysign_(const_cast<Tensor&>(*this), other);
}

Tensor& copysign_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::copysign(self, other), out);
}

Tensor& copysign_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::copysign_out(out, self, other);
}

Tensor gcd(const Tensor& self, const Tensor& other) {
return minima::gcd(bridge::native(self), bridge::native(other));
}

Tensor Tensor::gcd(const Tensor& other) const {
return at::gcd(*this, other);
}

Tensor& gcd_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("gcd_", self, [&](const Tensor& self) { return at::gcd(self, other); });
}

Tensor& Tensor::gcd_(const Tensor& other) const {
return at::gcd_(const_cast<Tensor&>(*this), other);
}

Tensor& gcd_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::gcd(self, other), out);
}

Tensor& gcd_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::gcd_out(out, self, other);
}

Tensor heaviside(const Tensor& self, const Tensor& other) {
return minima::heaviside(bridge::native(self), bridge::native(other));
}

Tensor Tensor::heaviside(const Tensor& other) const {
return at::heaviside(*this, other);
}

Tensor& heaviside_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("heaviside_", self, [&](const Tensor& self) { return at::heaviside(self, other); });
}

Tensor& Tensor::heaviside_(const Tensor& other) const {
return at::heaviside_(const_cast<Tensor&>(*this), other);
}

Tensor& heaviside_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::heaviside(self, other), out);
}

Tensor& heaviside_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::heaviside_out(out, self, other);
}

Tensor hypot(const Tensor& self, const Tensor& other) {
return minima::hypot(bridge::native(self), bridge::native(other));
}

Tensor Tensor::hypot(const Tensor& other) const {
return at::hypot(*this, other);
}

Tensor& hypot_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("hypot_", self, [&](const Tensor& self) { return at::hypot(self, other); });
}

Tensor& Tensor::hypot_(const Tensor& other) const {
return at::hypot_(const_cast<Tensor&>(*this), other);
}

Tensor& hypot_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::hypot(self, other), out);
}

Tensor& hypot_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::hypot_out(out, self, other);
}

Tensor igamma(const Tensor& self, const Tensor& other) {
return minima::igamma(bridge::native(self), bridge::native(other));
}

Tensor Tensor::igamma(const Tensor& other) const {
return at::igamma(*this, other);
}

Tensor& igamma_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("igamma_", self, [&](const Tensor& self) { return at::igamma(self, other); });
}

Tensor& Tensor::igamma_(const Tensor& other) const {
return at::igamma_(const_cast<Tensor&>(*this), other);
}

Tensor& igamma_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::igamma(self, other), out);
}

Tensor& igamma_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::igamma_out(out, self, other);
}

Tensor igammac(const Tensor& self, const Tensor& other) {
return minima::igammac(bridge::native(self), bridge::native(other));
}

Tensor Tensor::igammac(const Tensor& other) const {
return at::igammac(*this, other);
}

Tensor& igammac_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("igammac_", self, [&](const Tensor& self) { return at::igammac(self, other); });
}

Tensor& Tensor::igammac_(const Tensor& other) const {
return at::igammac_(const_cast<Tensor&>(*this), other);
}

Tensor& igammac_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::igammac(self, other), out);
}

Tensor& igammac_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::igammac_out(out, self, other);
}

Tensor lcm(const Tensor& self, const Tensor& other) {
return minima::lcm(bridge::native(self), bridge::native(other));
}

Tensor Tensor::lcm(const Tensor& other) const {
return at::lcm(*this, other);
}

Tensor& lcm_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("lcm_", self, [&](const Tensor& self) { return at::lcm(self, other); });
}

Tensor& Tensor::lcm_(const Tensor& other) const {
return at::lcm_(const_cast<Tensor&>(*this), other);
}

Tensor& lcm_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::lcm(self, other), out);
}

Tensor& lcm_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::lcm_out(out, self, other);
}

Tensor ldexp(const Tensor& self, const Tensor& other) {
return minima::ldexp(bridge::native(self), bridge::native(other));
}

Tensor Tensor::ldexp(const Tensor& other) const {
return at::ldexp(*this, other);
}

Tensor& ldexp_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("ldexp_", self, [&](const Tensor& self) { return at::ldexp(self, other); });
}

Tensor& Tensor::ldexp_(const Tensor& other) const {
return at::ldexp_(const_cast<Tensor&>(*this), other);
}

Tensor& ldexp_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::ldexp(self, other), out);
}

Tensor& ldexp_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::ldexp_out(out, self, other);
}

Tensor nextafter(const Tensor& self, const Tensor& other) {
return minima::nextafter(bridge::native(self), bridge::native(other));
}

Tensor Tensor::nextafter(const Tensor& other) const {
return at::nextafter(*this, other);
}

Tensor& nextafter_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("nextafter_", self, [&](const Tensor& self) { return at::nextafter(self, other); });
}

Tensor& Tensor::nextafter_(const Tensor& other) const {
return at::nextafter_(const_cast<Tensor&>(*this), other);
}

Tensor& nextafter_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::nextafter(self, other), out);
}

Tensor& nextafter_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::nextafter_out(out, self, other);
}

Tensor xlogy(const Tensor& self, const Tensor& other) {
return minima::xlogy(bridge::native(self), bridge::native(other));
}

Tensor Tensor::xlogy(const Tensor& other) const {
return at::xlogy(*this, other);
}

Tensor& xlogy_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("xlogy_", self, [&](const Tensor& self) { return at::xlogy(self, other); });
}

Tensor& Tensor::xlogy_(const Tensor& other) const {
return at::xlogy_(const_cast<Tensor&>(*this), other);
}

Tensor& xlogy_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::xlogy(self, other), out);
}

Tensor& xlogy_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::xlogy_out(out, self, other);
}

Tensor copysign(const Tensor& self, const Scalar& other) {
return minima::copysign(bridge::native(self), bridge::like(bridge::native(self), bridge::native(other)));
}

Tensor Tensor::copysign(const Scalar& other) const {
return at::copysign(*this, other);
}

Tensor& copysign_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("copysign_", self, [&](const Tensor& self) { return at::copysign(self, other); });
}

Tensor& Tensor::copysign_(const Scalar& other) const {
return at::copysign_(const_cast<Tensor&>(*this), other);
}

Tensor& copysign_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::copysign(self, other), out);
}

Tensor& copysign_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::copysign_out(out, self, other);
}

Tensor xlogy(const Tensor& self, const Scalar& other) {
return minima::xlogy(bridge::native(self), bridge::like(bridge::native(self), bridge::native(other)));
}

Tensor Tensor::xlogy(const Scalar& other) const {
return at::xlogy(*this, other);
}

Tensor& xlogy_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("xlogy_", self, [&](const Tensor& self) { return at::xlogy(self, other); });
}

Tensor& Tensor::xlogy_(const Scalar& other) const {
return at::xlogy_(const_cast<Tensor&>(*this), other);
}

Tensor& xlogy_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::xlogy(self, other), out);
}

Tensor& xlogy_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::xlogy_out(out, self, other);
}

Tensor xlogy(const Scalar& self, const Tensor& other) {
return minima::xlogy(bridge::like(bridge::native(other), bridge::native(self)), bridge::native(other));
}

Tensor& xlogy_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::xlogy(self, other), out);
}

Tensor& xlogy_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::xlogy_out(out, self, other);
}

Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
return minima::lerp(bridge::native(self), bridge::native(end), bridge::native(weight).to<double>());
}

Tensor Tensor::lerp(const Tensor& end, const Scalar& weight) const {
return at::lerp(*this, end, weight);
}

Tensor& lerp_(Tensor& self, const Tensor& end, const Scalar& weight) {
torch::autograd::check_inplace(self);
return bridge::change("lerp_", self, [&](const Tensor& self) { return at::lerp(self, end, weight); });
}

Tensor& Tensor::lerp_(const Tensor& end, const Scalar& weight) const {
return at::lerp_(const_cast<Tensor&>(*this), end, weight);
}

Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, const Scalar& weight) {
return bridge::write(at::lerp(self, end, weight), out);
}

Tensor& lerp_outf(const Tensor& self, const Tensor& end, const Scalar& weight, Tensor& out) {
return at::lerp_out(out, self, end, weight);
}

Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
return minima::lerp(bridge::native(self), bridge::native(end), bridge::native(weight));
}

Tensor Tensor::lerp(const Tensor& end, const Tensor& weight) const {
return at::lerp(*this, end, weight);
}

Tensor& lerp_(Tensor& self, const Tensor& end, const Tensor& weight) {
torch::autograd::check_inplace(self);
return bridge::change("lerp_", self, [&](const Tensor& self) { return at::lerp(self, end, weight); });
}

Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) const {
return at::lerp_(const_cast<Tensor&>(*this), end, weight);
}

Tensor& lerp_out(Tensor& out, const Tensor& self, const Tensor& end, const Tensor& weight) {
return bridge::write(at::lerp(self, end, weight), out);
}

Tensor& lerp_outf(const Tensor& self, const Tensor& end, const Tensor& weight, Tensor& out) {
return at::lerp_out(out, self, end, weight);
}

Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
return minima::addcmul(bridge::native(self), bridge::native(tensor1), bridge::native(tensor2), bridge::native(value));
}

Tensor Tensor::addcmul(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
return at::addcmul(*this, tensor1, tensor2, value);
}

Tensor& addcmul_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
torch::autograd::check_inplace(self);
minima::addcmul_(bridge::native(self), bridge::native(tensor1), bridge::native(tensor2), bridge::native(value));
return self;
}

Tensor& Tensor::addcmul_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
return at::addcmul_(const_cast<Tensor&>(*this), tensor1, tensor2, value);
}

Tensor& addcmul_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
return bridge::write(at::addcmul(self, tensor1, tensor2, value), out);
}

Tensor& addcmul_outf(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value, Tensor& out) {
return at::addcmul_out(out, self, tensor1, tensor2, value);
}

Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
return minima::addcdiv(bridge::native(self), bridge::native(tensor1), bridge::native(tensor2), bridge::native(value));
}

Tensor Tensor::addcdiv(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
return at::addcdiv(*this, tensor1, tensor2, value);
}

Tensor& addcdiv_(Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
torch::autograd::check_inplace(self);
return bridge::change("addcdiv_", self, [&](const Tensor& self) { return at::addcdiv(self, tensor1, tensor2, value); });
}

Tensor& Tensor::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
return at::addcdiv_(const_cast<Tensor&>(*this), tensor1, tensor2, value);
}

Tensor& addcdiv_out(Tensor& out, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
return bridge::write(at::addcdiv(self, tensor1, tensor2, value), out);
}

Tensor& addcdiv_outf(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value, Tensor& out) {
return at::addcdiv_out(out, self, tensor1, tensor2, value);
}

Tensor clamp(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
return bridge::clamp(bridge::native(self), bridge::native(min), bridge::native(max));
}

Tensor Tensor::clamp(const std::optional<Scalar>& min, const std::optional<Scalar>& max) const {
return at::clamp(*this, min, max);
}

Tensor& clamp_(Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
torch::autograd::check_inplace(self);
return bridge::change("clamp_", self, [&](const Tensor& self) { return at::clamp(self, min, max); });
}

Tensor& Tensor::clamp_(const std::optional<Scalar>& min, const std::optional<Scalar>& max) const {
return at::clamp_(const_cast<Tensor&>(*this), min, max);
}

Tensor& clamp_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
return bridge::write(at::clamp(self, min, max), out);
}

Tensor& clamp_outf(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max, Tensor& out) {
return at::clamp_out(out, self, min, max);
}

Tensor clamp(const Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
return bridge::clamp(bridge::native(self), bridge::native(min), bridge::native(max));
}

Tensor Tensor::clamp(const std::optional<Tensor>& min, const std::optional<Tensor>& max) const {
return at::clamp(*this, min, max);
}

Tensor& clamp_(Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
torch::autograd::check_inplace(self);
return bridge::change("clamp_", self, [&](const Tensor& self) { return at::clamp(self, min, max); });
}

Tensor& Tensor::clamp_(const std::optional<Tensor>& min, const std::optional<Tensor>& max) const {
return at::clamp_(const_cast<Tensor&>(*this), min, max);
}

Tensor& clamp_out(Tensor& out, const Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
return bridge::write(at::clamp(self, min, max), out);
}

Tensor& clamp_outf(const Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max, Tensor& out) {
return at::clamp_out(out, self, min, max);
}

Tensor clamp_min(const Tensor& self, const Scalar& min) {
return minima::clamp_min(bridge::native(self), bridge::native(min));
}

Tensor Tensor::clamp_min(const Scalar& min) const {
return at::clamp_min(*this, min);
}

Tensor& clamp_min_(Tensor& self, const Scalar& min) {
torch::autograd::check_inplace(self);
return bridge::change("clamp_min_", self, [&](const Tensor& self) { return at::clamp_min(self, min); });
}

Tensor& Tensor::clamp_min_(const Scalar& min) const {
return at::clamp_min_(const_cast<Tensor&>(*this), min);
}

Tensor& clamp_min_out(Tensor& out, const Tensor& self, const Scalar& min) {
return bridge::write(at::clamp_min(self, min), out);
}

Tensor& clamp_min_outf(const Tensor& self, const Scalar& min, Tensor& out) {
return at::clamp_min_out(out, self, min);
}

Tensor clamp_max(const Tensor& self, const Scalar& max) {
return minima::clamp_max(bridge::native(self), bridge::native(max));
}

Tensor Tensor::clamp_max(const Scalar& max) const {
return at::clamp_max(*this, max);
}

Tensor& clamp_max_(Tensor& self, const Scalar& max) {
torch::autograd::check_inplace(self);
return bridge::change("clamp_max_", self, [&](const Tensor& self) { return at::clamp_max(self, max); });
}

Tensor& Tensor::clamp_max_(const Scalar& max) const {
return at::clamp_max_(const_cast<Tensor&>(*this), max);
}

Tensor& clamp_max_out(Tensor& out, const Tensor& self, const Scalar& max) {
return bridge::write(at::clamp_max(self, max), out);
}

Tensor& clamp_max_outf(const Tensor& self, const Scalar& max, Tensor& out) {
return at::clamp_max_out(out, self, max);
}

Tensor clamp_min(const Tensor& self, const Tensor& min) {
return minima::maximum(bridge::native(self), bridge::native(min));
}

Tensor Tensor::clamp_min(const Tensor& min) const {
return at::clamp_min(*this, min);
}

Tensor& clamp_min_(Tensor& self, const Tensor& min) {
torch::autograd::check_inplace(self);
return bridge::change("clamp_min_", self, [&](const Tensor& self) { return at::clamp_min(self, min); });
}

Tensor& Tensor::clamp_min_(const Tensor& min) const {
return at::clamp_min_(const_cast<Tensor&>(*this), min);
}

Tensor& clamp_min_out(Tensor& out, const Tensor& self, const Tensor& min) {
return bridge::write(at::clamp_min(self, min), out);
}

Tensor& clamp_min_outf(const Tensor& self, const Tensor& min, Tensor& out) {
return at::clamp_min_out(out, self, min);
}

Tensor clamp_max(const Tensor& self, const Tensor& max) {
return minima::minimum(bridge::native(self), bridge::native(max));
}

Tensor Tensor::clamp_max(const Tensor& max) const {
return at::clamp_max(*this, max);
}

Tensor& clamp_max_(Tensor& self, const Tensor& max) {
torch::autograd::check_inplace(self);
return bridge::change("clamp_max_", self, [&](const Tensor& self) { return at::clamp_max(self, max); });
}

Tensor& Tensor::clamp_max_(const Tensor& max) const {
return at::clamp_max_(const_cast<Tensor&>(*this), max);
}

Tensor& clamp_max_out(Tensor& out, const Tensor& self, const Tensor& max) {
return bridge::write(at::clamp_max(self, max), out);
}

Tensor& clamp_max_outf(const Tensor& self, const Tensor& max, Tensor& out) {
return at::clamp_max_out(out, self, max);
}

Tensor& Tensor::divide_(const Scalar& other) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::div_(bridge::native(self), bridge::native(other));
return self;
}

Tensor& Tensor::multiply_(const Scalar& other) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::mul_(bridge::native(self), bridge::native(other));
return self;
}

Tensor& Tensor::subtract_(const Tensor& other, const Scalar& alpha) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
bridge::sub_(bridge::native(self), bridge::native(other), bridge::native(alpha));
return self;
}

Tensor arctan2(const Tensor& self, const Tensor& other) {
return at::atan2(self, other);
}

Tensor Tensor::arctan2(const Tensor& other) const {
return at::arctan2(*this, other);
}

Tensor& arctan2_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("arctan2_", self, [&](const Tensor& self) { return at::arctan2(self, other); });
}

Tensor& Tensor::arctan2_(const Tensor& other) const {
return at::arctan2_(const_cast<Tensor&>(*this), other);
}

Tensor& arctan2_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::arctan2(self, other), out);
}

Tensor& arctan2_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::arctan2_out(out, self, other);
}

Tensor clip(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
return at::clamp(self, min, max);
}

Tensor Tensor::clip(const std::optional<Scalar>& min, const std::optional<Scalar>& max) const {
return at::clip(*this, min, max);
}

Tensor& clip_(Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
torch::autograd::check_inplace(self);
return bridge::change("clip_", self, [&](const Tensor& self) { return at::clip(self, min, max); });
}

Tensor& Tensor::clip_(const std::optional<Scalar>& min, const std::optional<Scalar>& max) const {
return at::clip_(const_cast<Tensor&>(*this), min, max);
}

Tensor& clip_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
return bridge::write(at::clip(self, min, max), out);
}

Tensor& clip_outf(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max, Tensor& out) {
return at::clip_out(out, self, min, max);
}

Tensor clip(const Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
return at::clamp(self, min, max);
}

Tensor Tensor::clip(const std::optional<Tensor>& min, const std::optional<Tensor>& max) const {
return at::clip(*this, min, max);
}

Tensor& clip_(Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
torch::autograd::check_inplace(self);
return bridge::change("clip_", self, [&](const Tensor& self) { return at::clip(self, min, max); });
}

Tensor& Tensor::clip_(const std::optional<Tensor>& min, const std::optional<Tensor>& max) const {
return at::clip_(const_cast<Tensor&>(*this), min, max);
}

Tensor& clip_out(Tensor& out, const Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
return bridge::write(at::clip(self, min, max), out);
}

Tensor& clip_outf(const Tensor& self, const std::optional<Tensor>& min, const std::optional<Tensor>& max, Tensor& out) {
return at::clip_out(out, self, min, max);
}

Tensor divide(const Tensor& self, const Tensor& other) {
return at::div(self, other);
}

Tensor Tensor::divide(const Tensor& other) const {
return at::divide(*this, other);
}

Tensor& divide_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("divide_", self, [&](const Tensor& self) { return at::divide(self, other); });
}

Tensor& Tensor::divide_(const Tensor& other) const {
return at::divide_(const_cast<Tensor&>(*this), other);
}

Tensor& divide_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::divide(self, other), out);
}

Tensor& divide_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::divide_out(out, self, other);
}

Tensor divide(const Tensor& self, const Scalar& other) {
return at::div(self, other);
}

Tensor Tensor::divide(const Scalar& other) const {
return at::divide(*this, other);
}

Tensor& divide_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::divide(self, other), out);
}

Tensor& divide_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::divide_out(out, self, other);
}

Tensor divide(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
return at::div(self, other, rounding_mode);
}

Tensor Tensor::divide(const Tensor& other, std::optional<std::string_view> rounding_mode) const {
return at::divide(*this, other, rounding_mode);
}

Tensor& divide_(Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
torch::autograd::check_inplace(self);
return bridge::change("divide_", self, [&](const Tensor& self) { return at::divide(self, other, rounding_mode); });
}

Tensor& Tensor::divide_(const Tensor& other, std::optional<std::string_view> rounding_mode) const {
return at::divide_(const_cast<Tensor&>(*this), other, rounding_mode);
}

Tensor& divide_out(Tensor& out, const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
return bridge::write(at::divide(self, other, rounding_mode), out);
}

Tensor& divide_outf(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode, Tensor& out) {
return at::divide_out(out, self, other, rounding_mode);
}

Tensor divide(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
return at::div(self, other, rounding_mode);
}

Tensor Tensor::divide(const Scalar& other, std::optional<std::string_view> rounding_mode) const {
return at::divide(*this, other, rounding_mode);
}

Tensor& divide_(Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
torch::autograd::check_inplace(self);
return bridge::change("divide_", self, [&](const Tensor& self) { return at::divide(self, other, rounding_mode); });
}

Tensor& Tensor::divide_(const Scalar& other, std::optional<std::string_view> rounding_mode) const {
return at::divide_(const_cast<Tensor&>(*this), other, rounding_mode);
}

Tensor& divide_out(Tensor& out, const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
return bridge::write(at::divide(self, other, rounding_mode), out);
}

Tensor& divide_outf(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode, Tensor& out) {
return at::divide_out(out, self, other, rounding_mode);
}

Tensor multiply(const Tensor& self, const Tensor& other) {
return at::mul(self, other);
}

Tensor Tensor::multiply(const Tensor& other) const {
return at::multiply(*this, other);
}

Tensor& multiply_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("multiply_", self, [&](const Tensor& self) { return at::multiply(self, other); });
}

Tensor& Tensor::multiply_(const Tensor& other) const {
return at::multiply_(const_cast<Tensor&>(*this), other);
}

Tensor& multiply_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::multiply(self, other), out);
}

Tensor& multiply_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::multiply_out(out, self, other);
}

Tensor multiply(const Tensor& self, const Scalar& other) {
return at::mul(self, other);
}

Tensor Tensor::multiply(const Scalar& other) const {
return at::multiply(*this, other);
}

Tensor& multiply_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::multiply(self, other), out);
}

Tensor& multiply_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::multiply_out(out, self, other);
}

Tensor subtract(const Tensor& self, const Tensor& other, const Scalar& alpha) {
return at::sub(self, other, alpha);
}

Tensor Tensor::subtract(const Tensor& other, const Scalar& alpha) const {
return at::subtract(*this, other, alpha);
}

Tensor& subtract_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
return bridge::write(at::subtract(self, other, alpha), out);
}

Tensor& subtract_outf(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
return at::subtract_out(out, self, other, alpha);
}

Tensor subtract(const Tensor& self, const Scalar& other, const Scalar& alpha) {
return at::sub(self, other, alpha);
}

Tensor Tensor::subtract(const Scalar& other, const Scalar& alpha) const {
return at::subtract(*this, other, alpha);
}

Tensor& subtract_(Tensor& self, const Scalar& other, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("subtract_", self, [&](const Tensor& self) { return at::subtract(self, other, alpha); });
}

Tensor& Tensor::subtract_(const Scalar& other, const Scalar& alpha) const {
return at::subtract_(const_cast<Tensor&>(*this), other, alpha);
}

Tensor& subtract_out(Tensor& out, const Tensor& self, const Scalar& other, const Scalar& alpha) {
return bridge::write(at::subtract(self, other, alpha), out);
}

Tensor& subtract_outf(const Tensor& self, const Scalar& other, const Scalar& alpha, Tensor& out) {
return at::subtract_out(out, self, other, alpha);
}

}  // namespace at
