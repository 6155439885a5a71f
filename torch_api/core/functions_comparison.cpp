// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor eq(const Tensor& self, const Tensor& other) {
return minima::eq(bridge::native(self), bridge::native(other));
}

Tensor Tensor::eq(const Tensor& other) const {
return at::eq(*this, other);
}

Tensor& eq_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("eq_", self, [&](const Tensor& self) { return at::eq(self, other); });
}

Tensor& Tensor::eq_(const Tensor& other) const {
return at::eq_(const_cast<Tensor&>(*this), other);
}

Tensor& eq_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::eq(self, other), out);
}

Tensor& eq_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::eq_out(out, self, other);
}

Tensor ne(const Tensor& self, const Tensor& other) {
return minima::ne(bridge::native(self), bridge::native(other));
}

Tensor Tensor::ne(const Tensor& other) const {
return at::ne(*this, other);
}

Tensor& ne_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("ne_", self, [&](const Tensor& self) { return at::ne(self, other); });
}

Tensor& Tensor::ne_(const Tensor& other) const {
return at::ne_(const_cast<Tensor&>(*this), other);
}

Tensor& ne_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::ne(self, other), out);
}

Tensor& ne_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::ne_out(out, self, other);
}

Tensor lt(const Tensor& self, const Tensor& other) {
return minima::lt(bridge::native(self), bridge::native(other));
}

Tensor Tensor::lt(const Tensor& other) const {
return at::lt(*this, other);
}

Tensor& lt_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("lt_", self, [&](const Tensor& self) { return at::lt(self, other); });
}

Tensor& Tensor::lt_(const Tensor& other) const {
return at::lt_(const_cast<Tensor&>(*this), other);
}

Tensor& lt_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::lt(self, other), out);
}

Tensor& lt_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::lt_out(out, self, other);
}

Tensor le(const Tensor& self, const Tensor& other) {
return minima::le(bridge::native(self), bridge::native(other));
}

Tensor Tensor::le(const Tensor& other) const {
return at::le(*this, other);
}

Tensor& le_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("le_", self, [&](const Tensor& self) { return at::le(self, other); });
}

Tensor& Tensor::le_(const Tensor& other) const {
return at::le_(const_cast<Tensor&>(*this), other);
}

Tensor& le_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::le(self, other), out);
}

Tensor& le_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::le_out(out, self, other);
}

Tensor gt(const Tensor& self, const Tensor& other) {
return minima::gt(bridge::native(self), bridge::native(other));
}

Tensor Tensor::gt(const Tensor& other) const {
return at::gt(*this, other);
}

Tensor& gt_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("gt_", self, [&](const Tensor& self) { return at::gt(self, other); });
}

Tensor& Tensor::gt_(const Tensor& other) const {
return at::gt_(const_cast<Tensor&>(*this), other);
}

Tensor& gt_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::gt(self, other), out);
}

Tensor& gt_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::gt_out(out, self, other);
}

Tensor ge(const Tensor& self, const Tensor& other) {
return minima::ge(bridge::native(self), bridge::native(other));
}

Tensor Tensor::ge(const Tensor& other) const {
return at::ge(*this, other);
}

Tensor& ge_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("ge_", self, [&](const Tensor& self) { return at::ge(self, other); });
}

Tensor& Tensor::ge_(const Tensor& other) const {
return at::ge_(const_cast<Tensor&>(*this), other);
}

Tensor& ge_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::ge(self, other), out);
}

Tensor& ge_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::ge_out(out, self, other);
}

Tensor eq(const Tensor& self, const Scalar& other) {
return bridge::binary(self, other, minima::eq, minima::eq);
}

Tensor Tensor::eq(const Scalar& other) const {
return at::eq(*this, other);
}

Tensor& eq_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("eq_", self, [&](const Tensor& self) { return at::eq(self, other); });
}

Tensor& Tensor::eq_(const Scalar& other) const {
return at::eq_(const_cast<Tensor&>(*this), other);
}

Tensor& eq_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::eq(self, other), out);
}

Tensor& eq_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::eq_out(out, self, other);
}

Tensor ne(const Tensor& self, const Scalar& other) {
return bridge::binary(self, other, minima::ne, minima::ne);
}

Tensor Tensor::ne(const Scalar& other) const {
return at::ne(*this, other);
}

Tensor& ne_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("ne_", self, [&](const Tensor& self) { return at::ne(self, other); });
}

Tensor& Tensor::ne_(const Scalar& other) const {
return at::ne_(const_cast<Tensor&>(*this), other);
}

Tensor& ne_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::ne(self, other), out);
}

Tensor& ne_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::ne_out(out, self, other);
}

Tensor lt(const Tensor& self, const Scalar& other) {
return minima::lt(bridge::native(self), bridge::native(other));
}

Tensor Tensor::lt(const Scalar& other) const {
return at::lt(*this, other);
}

Tensor& lt_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("lt_", self, [&](const Tensor& self) { return at::lt(self, other); });
}

Tensor& Tensor::lt_(const Scalar& other) const {
return at::lt_(const_cast<Tensor&>(*this), other);
}

Tensor& lt_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::lt(self, other), out);
}

Tensor& lt_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::lt_out(out, self, other);
}

Tensor le(const Tensor& self, const Scalar& other) {
return minima::le(bridge::native(self), bridge::native(other));
}

Tensor Tensor::le(const Scalar& other) const {
return at::le(*this, other);
}

Tensor& le_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("le_", self, [&](const Tensor& self) { return at::le(self, other); });
}

Tensor& Tensor::le_(const Scalar& other) const {
return at::le_(const_cast<Tensor&>(*this), other);
}

Tensor& le_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::le(self, other), out);
}

Tensor& le_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::le_out(out, self, other);
}

Tensor gt(const Tensor& self, const Scalar& other) {
return minima::gt(bridge::native(self), bridge::native(other));
}

Tensor Tensor::gt(const Scalar& other) const {
return at::gt(*this, other);
}

Tensor& gt_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("gt_", self, [&](const Tensor& self) { return at::gt(self, other); });
}

Tensor& Tensor::gt_(const Scalar& other) const {
return at::gt_(const_cast<Tensor&>(*this), other);
}

Tensor& gt_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::gt(self, other), out);
}

Tensor& gt_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::gt_out(out, self, other);
}

Tensor ge(const Tensor& self, const Scalar& other) {
return minima::ge(bridge::native(self), bridge::native(other));
}

Tensor Tensor::ge(const Scalar& other) const {
return at::ge(*this, other);
}

Tensor& ge_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("ge_", self, [&](const Tensor& self) { return at::ge(self, other); });
}

Tensor& Tensor::ge_(const Scalar& other) const {
return at::ge_(const_cast<Tensor&>(*this), other);
}

Tensor& ge_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::ge(self, other), out);
}

Tensor& ge_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::ge_out(out, self, other);
}

Tensor logical_and(const Tensor& self, const Tensor& other) {
return minima::logical_and(bridge::native(self), bridge::native(other));
}

Tensor Tensor::logical_and(const Tensor& other) const {
return at::logical_and(*this, other);
}

Tensor& logical_and_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("logical_and_", self, [&](const Tensor& self) { return at::logical_and(self, other); });
}

Tensor& Tensor::logical_and_(const Tensor& other) const {
return at::logical_and_(const_cast<Tensor&>(*this), other);
}

Tensor& logical_and_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::logical_and(self, other), out);
}

Tensor& logical_and_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::logical_and_out(out, self, other);
}

Tensor logical_or(const Tensor& self, const Tensor& other) {
return minima::logical_or(bridge::native(self), bridge::native(other));
}

Tensor Tensor::logical_or(const Tensor& other) const {
return at::logical_or(*this, other);
}

Tensor& logical_or_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("logical_or_", self, [&](const Tensor& self) { return at::logical_or(self, other); });
}

Tensor& Tensor::logical_or_(const Tensor& other) const {
return at::logical_or_(const_cast<Tensor&>(*this), other);
}

Tensor& logical_or_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::logical_or(self, other), out);
}

Tensor& logical_or_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::logical_or_out(out, self, other);
}

Tensor logical_xor(const Tensor& self, const Tensor& other) {
return minima::logical_xor(bridge::native(self), bridge::native(other));
}

Tensor Tensor::logical_xor(const Tensor& other) const {
return at::logical_xor(*this, other);
}

Tensor& logical_xor_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("logical_xor_", self, [&](const Tensor& self) { return at::logical_xor(self, other); });
}

Tensor& Tensor::logical_xor_(const Tensor& other) const {
return at::logical_xor_(const_cast<Tensor&>(*this), other);
}

Tensor& logical_xor_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::logical_xor(self, other), out);
}

Tensor& logical_xor_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::logical_xor_out(out, self, other);
}

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
return bridge::isclose(bridge::native(self), bridge::native(other), rtol, atol, equal_nan);
}

Tensor Tensor::isclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
return at::isclose(*this, other, rtol, atol, equal_nan);
}

Tensor& isclose_out(Tensor& out, const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
return bridge::write(at::isclose(self, other, rtol, atol, equal_nan), out);
}

Tensor& isclose_outf(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan, Tensor& out) {
return at::isclose_out(out, self, other, rtol, atol, equal_nan);
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
return bridge::holds(bridge::isclose(bridge::native(self), bridge::native(other), rtol, atol, equal_nan));
}

bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
return at::allclose(*this, other, rtol, atol, equal_nan);
}

bool is_nonzero(const Tensor& self) {
return bridge::is_nonzero(bridge::native(self));
}

bool Tensor::is_nonzero() const {
return at::is_nonzero(*this);
}

bool is_same_size(const Tensor& self, const Tensor& other) {
return bridge::native(self).shape() == bridge::native(other).shape();
}

bool Tensor::is_same_size(const Tensor& other) const {
return at::is_same_size(*this, other);
}

bool equal(const Tensor& self, const Tensor& other) {
return bridge::equal(bridge::native(self), bridge::native(other));
}

bool Tensor::equal(const Tensor& other) const {
return at::equal(*this, other);
}

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
return bridge::where(bridge::native(condition), bridge::native(self), bridge::native(other));
}

Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
return at::where(condition, *this, other);
}

Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other) {
return bridge::write(at::where(condition, self, other), out);
}

Tensor& where_outf(const Tensor& condition, const Tensor& self, const Tensor& other, Tensor& out) {
return at::where_out(out, condition, self, other);
}

Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
return bridge::where(bridge::native(condition), bridge::native(self), bridge::native(other));
}

Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
return at::where(condition, *this, other);
}

Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Scalar& other) {
return bridge::write(at::where(condition, self, other), out);
}

Tensor& where_outf(const Tensor& condition, const Tensor& self, const Scalar& other, Tensor& out) {
return at::where_out(out, condition, self, other);
}

Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
return bridge::where(bridge::native(condition), bridge::native(self), bridge::native(other));
}

Tensor& where_out(Tensor& out, const Tensor& condition, const Scalar& self, const Tensor& other) {
return bridge::write(at::where(condition, self, other), out);
}

Tensor& where_outf(const Tensor& condition, const Scalar& self, const Tensor& other, Tensor& out) {
return at::where_out(out, condition, self, other);
}

Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other) {
return bridge::where(bridge::native(condition), bridge::native(self), bridge::native(other));
}

Tensor& where_out(Tensor& out, const Tensor& condition, const Scalar& self, const Scalar& other) {
return bridge::write(at::where(condition, self, other), out);
}

Tensor& where_outf(const Tensor& condition, const Scalar& self, const Scalar& other, Tensor& out) {
return at::where_out(out, condition, self, other);
}

std::vector<Tensor> where(const Tensor& condition) {
return bridge::list(bridge::columns(minima::nonzero(bridge::native(condition))));
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
return bridge::isin(bridge::native(elements), bridge::native(test_elements), invert);
}

Tensor& isin_out(Tensor& out, const Tensor& elements, const Tensor& test_elements, bool assume_unique, bool invert) {
return bridge::write(at::isin(elements, test_elements, assume_unique, invert), out);
}

Tensor& isin_outf(const Tensor& elements, const Tensor& test_elements, bool assume_unique, bool invert, Tensor& out) {
return at::isin_out(out, elements, test_elements, assume_unique, invert);
}

Tensor isin(const Tensor& elements, const Scalar& test_element, bool, bool invert) {
return bridge::isin(bridge::native(elements), bridge::tensor(bridge::native(test_element)), invert);
}

Tensor& isin_out(Tensor& out, const Tensor& elements, const Scalar& test_element, bool assume_unique, bool invert) {
return bridge::write(at::isin(elements, test_element, assume_unique, invert), out);
}

Tensor& isin_outf(const Tensor& elements, const Scalar& test_element, bool assume_unique, bool invert, Tensor& out) {
return at::isin_out(out, elements, test_element, assume_unique, invert);
}

Tensor isin(const Scalar& element, const Tensor& test_elements, bool, bool invert) {
return bridge::isin(bridge::tensor(bridge::native(element)), bridge::native(test_elements), invert);
}

Tensor& isin_out(Tensor& out, const Scalar& element, const Tensor& test_elements, bool assume_unique, bool invert) {
return bridge::write(at::isin(element, test_elements, assume_unique, invert), out);
}

Tensor& isin_outf(const Scalar& element, const Tensor& test_elements, bool assume_unique, bool invert, Tensor& out) {
return at::isin_out(out, element, test_elements, assume_unique, invert);
}

Tensor bitwise_and(const Tensor& self, const Tensor& other) {
return minima::bitwise_and(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_and(const Tensor& other) const {
return at::bitwise_and(*this, other);
}

Tensor& bitwise_and_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_and_", self, [&](const Tensor& self) { return at::bitwise_and(self, other); });
}

Tensor& Tensor::bitwise_and_(const Tensor& other) const {
return at::bitwise_and_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_and_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::bitwise_and(self, other), out);
}

Tensor& bitwise_and_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::bitwise_and_out(out, self, other);
}

Tensor bitwise_or(const Tensor& self, const Tensor& other) {
return minima::bitwise_or(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_or(const Tensor& other) const {
return at::bitwise_or(*this, other);
}

Tensor& bitwise_or_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_or_", self, [&](const Tensor& self) { return at::bitwise_or(self, other); });
}

Tensor& Tensor::bitwise_or_(const Tensor& other) const {
return at::bitwise_or_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_or_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::bitwise_or(self, other), out);
}

Tensor& bitwise_or_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::bitwise_or_out(out, self, other);
}

Tensor bitwise_xor(const Tensor& self, const Tensor& other) {
return minima::bitwise_xor(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_xor(const Tensor& other) const {
return at::bitwise_xor(*this, other);
}

Tensor& bitwise_xor_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_xor_", self, [&](const Tensor& self) { return at::bitwise_xor(self, other); });
}

Tensor& Tensor::bitwise_xor_(const Tensor& other) const {
return at::bitwise_xor_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_xor_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::bitwise_xor(self, other), out);
}

Tensor& bitwise_xor_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::bitwise_xor_out(out, self, other);
}

Tensor bitwise_and(const Tensor& self, const Scalar& other) {
return minima::bitwise_and(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_and(const Scalar& other) const {
return at::bitwise_and(*this, other);
}

Tensor& bitwise_and_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_and_", self, [&](const Tensor& self) { return at::bitwise_and(self, other); });
}

Tensor& Tensor::bitwise_and_(const Scalar& other) const {
return at::bitwise_and_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_and_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::bitwise_and(self, other), out);
}

Tensor& bitwise_and_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::bitwise_and_out(out, self, other);
}

Tensor bitwise_or(const Tensor& self, const Scalar& other) {
return minima::bitwise_or(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_or(const Scalar& other) const {
return at::bitwise_or(*this, other);
}

Tensor& bitwise_or_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_or_", self, [&](const Tensor& self) { return at::bitwise_or(self, other); });
}

Tensor& Tensor::bitwise_or_(const Scalar& other) const {
return at::bitwise_or_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_or_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::bitwise_or(self, other), out);
}

Tensor& bitwise_or_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::bitwise_or_out(out, self, other);
}

Tensor bitwise_xor(const Tensor& self, const Scalar& other) {
return minima::bitwise_xor(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_xor(const Scalar& other) const {
return at::bitwise_xor(*this, other);
}

Tensor& bitwise_xor_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_xor_", self, [&](const Tensor& self) { return at::bitwise_xor(self, other); });
}

Tensor& Tensor::bitwise_xor_(const Scalar& other) const {
return at::bitwise_xor_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_xor_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::bitwise_xor(self, other), out);
}

Tensor& bitwise_xor_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::bitwise_xor_out(out, self, other);
}

Tensor bitwise_and(const Scalar& self, const Tensor& other) {
return minima::bitwise_and(bridge::native(other), bridge::native(self));
}

Tensor& bitwise_and_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::bitwise_and(self, other), out);
}

Tensor& bitwise_and_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::bitwise_and_out(out, self, other);
}

Tensor bitwise_or(const Scalar& self, const Tensor& other) {
return minima::bitwise_or(bridge::native(other), bridge::native(self));
}

Tensor& bitwise_or_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::bitwise_or(self, other), out);
}

Tensor& bitwise_or_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::bitwise_or_out(out, self, other);
}

Tensor bitwise_xor(const Scalar& self, const Tensor& other) {
return minima::bitwise_xor(bridge::native(other), bridge::native(self));
}

Tensor& bitwise_xor_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::bitwise_xor(self, other), out);
}

Tensor& bitwise_xor_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::bitwise_xor_out(out, self, other);
}

Tensor bitwise_left_shift(const Tensor& self, const Tensor& other) {
return minima::bitwise_left_shift(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_left_shift(const Tensor& other) const {
return at::bitwise_left_shift(*this, other);
}

Tensor& bitwise_left_shift_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_left_shift_", self, [&](const Tensor& self) { return at::bitwise_left_shift(self, other); });
}

Tensor& Tensor::bitwise_left_shift_(const Tensor& other) const {
return at::bitwise_left_shift_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_left_shift_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::bitwise_left_shift(self, other), out);
}

Tensor& bitwise_left_shift_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::bitwise_left_shift_out(out, self, other);
}

Tensor bitwise_right_shift(const Tensor& self, const Tensor& other) {
return minima::bitwise_right_shift(bridge::native(self), bridge::native(other));
}

Tensor Tensor::bitwise_right_shift(const Tensor& other) const {
return at::bitwise_right_shift(*this, other);
}

Tensor& bitwise_right_shift_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_right_shift_", self, [&](const Tensor& self) { return at::bitwise_right_shift(self, other); });
}

Tensor& Tensor::bitwise_right_shift_(const Tensor& other) const {
return at::bitwise_right_shift_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_right_shift_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::bitwise_right_shift(self, other), out);
}

Tensor& bitwise_right_shift_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::bitwise_right_shift_out(out, self, other);
}

Tensor bitwise_left_shift(const Tensor& self, const Scalar& other) {
return minima::bitwise_left_shift(bridge::native(self), bridge::like(bridge::native(self), bridge::native(other)));
}

Tensor Tensor::bitwise_left_shift(const Scalar& other) const {
return at::bitwise_left_shift(*this, other);
}

Tensor& bitwise_left_shift_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_left_shift_", self, [&](const Tensor& self) { return at::bitwise_left_shift(self, other); });
}

Tensor& Tensor::bitwise_left_shift_(const Scalar& other) const {
return at::bitwise_left_shift_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_left_shift_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::bitwise_left_shift(self, other), out);
}

Tensor& bitwise_left_shift_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::bitwise_left_shift_out(out, self, other);
}

Tensor bitwise_right_shift(const Tensor& self, const Scalar& other) {
return minima::bitwise_right_shift(bridge::native(self), bridge::like(bridge::native(self), bridge::native(other)));
}

Tensor Tensor::bitwise_right_shift(const Scalar& other) const {
return at::bitwise_right_shift(*this, other);
}

Tensor& bitwise_right_shift_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("bitwise_right_shift_", self, [&](const Tensor& self) { return at::bitwise_right_shift(self, other); });
}

Tensor& Tensor::bitwise_right_shift_(const Scalar& other) const {
return at::bitwise_right_shift_(const_cast<Tensor&>(*this), other);
}

Tensor& bitwise_right_shift_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::bitwise_right_shift(self, other), out);
}

Tensor& bitwise_right_shift_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::bitwise_right_shift_out(out, self, other);
}

Tensor bitwise_left_shift(const Scalar& self, const Tensor& other) {
return minima::bitwise_left_shift(bridge::like(bridge::native(other), bridge::native(self)), bridge::native(other));
}

Tensor& bitwise_left_shift_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::bitwise_left_shift(self, other), out);
}

Tensor& bitwise_left_shift_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::bitwise_left_shift_out(out, self, other);
}

Tensor bitwise_right_shift(const Scalar& self, const Tensor& other) {
return minima::bitwise_right_shift(bridge::like(bridge::native(other), bridge::native(self)), bridge::native(other));
}

Tensor& bitwise_right_shift_out(Tensor& out, const Scalar& self, const Tensor& other) {
return bridge::write(at::bitwise_right_shift(self, other), out);
}

Tensor& bitwise_right_shift_outf(const Scalar& self, const Tensor& other, Tensor& out) {
return at::bitwise_right_shift_out(out, self, other);
}

Tensor greater(const Tensor& self, const Tensor& other) {
return at::gt(self, other);
}

Tensor Tensor::greater(const Tensor& other) const {
return at::greater(*this, other);
}

Tensor& greater_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("greater_", self, [&](const Tensor& self) { return at::greater(self, other); });
}

Tensor& Tensor::greater_(const Tensor& other) const {
return at::greater_(const_cast<Tensor&>(*this), other);
}

Tensor& greater_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::greater(self, other), out);
}

Tensor& greater_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::greater_out(out, self, other);
}

Tensor greater(const Tensor& self, const Scalar& other) {
return at::gt(self, other);
}

Tensor Tensor::greater(const Scalar& other) const {
return at::greater(*this, other);
}

Tensor& greater_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("greater_", self, [&](const Tensor& self) { return at::greater(self, other); });
}

Tensor& Tensor::greater_(const Scalar& other) const {
return at::greater_(const_cast<Tensor&>(*this), other);
}

Tensor& greater_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::greater(self, other), out);
}

Tensor& greater_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::greater_out(out, self, other);
}

Tensor greater_equal(const Tensor& self, const Tensor& other) {
return at::ge(self, other);
}

Tensor Tensor::greater_equal(const Tensor& other) const {
return at::greater_equal(*this, other);
}

Tensor& greater_equal_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("greater_equal_", self, [&](const Tensor& self) { return at::greater_equal(self, other); });
}

Tensor& Tensor::greater_equal_(const Tensor& other) const {
return at::greater_equal_(const_cast<Tensor&>(*this), other);
}

Tensor& greater_equal_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::greater_equal(self, other), out);
}

Tensor& greater_equal_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::greater_equal_out(out, self, other);
}

Tensor greater_equal(const Tensor& self, const Scalar& other) {
return at::ge(self, other);
}

Tensor Tensor::greater_equal(const Scalar& other) const {
return at::greater_equal(*this, other);
}

Tensor& greater_equal_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("greater_equal_", self, [&](const Tensor& self) { return at::greater_equal(self, other); });
}

Tensor& Tensor::greater_equal_(const Scalar& other) const {
return at::greater_equal_(const_cast<Tensor&>(*this), other);
}

Tensor& greater_equal_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::greater_equal(self, other), out);
}

Tensor& greater_equal_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::greater_equal_out(out, self, other);
}

Tensor less(const Tensor& self, const Tensor& other) {
return at::lt(self, other);
}

Tensor Tensor::less(const Tensor& other) const {
return at::less(*this, other);
}

Tensor& less_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("less_", self, [&](const Tensor& self) { return at::less(self, other); });
}

Tensor& Tensor::less_(const Tensor& other) const {
return at::less_(const_cast<Tensor&>(*this), other);
}

Tensor& less_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::less(self, other), out);
}

Tensor& less_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::less_out(out, self, other);
}

Tensor less(const Tensor& self, const Scalar& other) {
return at::lt(self, other);
}

Tensor Tensor::less(const Scalar& other) const {
return at::less(*this, other);
}

Tensor& less_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("less_", self, [&](const Tensor& self) { return at::less(self, other); });
}

Tensor& Tensor::less_(const Scalar& other) const {
return at::less_(const_cast<Tensor&>(*this), other);
}

Tensor& less_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::less(self, other), out);
}

Tensor& less_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::less_out(out, self, other);
}

Tensor less_equal(const Tensor& self, const Tensor& other) {
return at::le(self, other);
}

Tensor Tensor::less_equal(const Tensor& other) const {
return at::less_equal(*this, other);
}

Tensor& less_equal_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("less_equal_", self, [&](const Tensor& self) { return at::less_equal(self, other); });
}

Tensor& Tensor::less_equal_(const Tensor& other) const {
return at::less_equal_(const_cast<Tensor&>(*this), other);
}

Tensor& less_equal_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::less_equal(self, other), out);
}

Tensor& less_equal_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::less_equal_out(out, self, other);
}

Tensor less_equal(const Tensor& self, const Scalar& other) {
return at::le(self, other);
}

Tensor Tensor::less_equal(const Scalar& other) const {
return at::less_equal(*this, other);
}

Tensor& less_equal_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("less_equal_", self, [&](const Tensor& self) { return at::less_equal(self, other); });
}

Tensor& Tensor::less_equal_(const Scalar& other) const {
return at::less_equal_(const_cast<Tensor&>(*this), other);
}

Tensor& less_equal_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::less_equal(self, other), out);
}

Tensor& less_equal_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::less_equal_out(out, self, other);
}

Tensor not_equal(const Tensor& self, const Tensor& other) {
return at::ne(self, other);
}

Tensor Tensor::not_equal(const Tensor& other) const {
return at::not_equal(*this, other);
}

Tensor& not_equal_(Tensor& self, const Tensor& other) {
torch::autograd::check_inplace(self);
return bridge::change("not_equal_", self, [&](const Tensor& self) { return at::not_equal(self, other); });
}

Tensor& Tensor::not_equal_(const Tensor& other) const {
return at::not_equal_(const_cast<Tensor&>(*this), other);
}

Tensor& not_equal_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::not_equal(self, other), out);
}

Tensor& not_equal_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::not_equal_out(out, self, other);
}

Tensor not_equal(const Tensor& self, const Scalar& other) {
return at::ne(self, other);
}

Tensor Tensor::not_equal(const Scalar& other) const {
return at::not_equal(*this, other);
}

Tensor& not_equal_(Tensor& self, const Scalar& other) {
torch::autograd::check_inplace(self);
return bridge::change("not_equal_", self, [&](const Tensor& self) { return at::not_equal(self, other); });
}

Tensor& Tensor::not_equal_(const Scalar& other) const {
return at::not_equal_(const_cast<Tensor&>(*this), other);
}

Tensor& not_equal_out(Tensor& out, const Tensor& self, const Scalar& other) {
return bridge::write(at::not_equal(self, other), out);
}

Tensor& not_equal_outf(const Tensor& self, const Scalar& other, Tensor& out) {
return at::not_equal_out(out, self, other);
}

Tensor __and__(const Tensor& self, const Tensor& other) {
return at::bitwise_and(self, other);
}

Tensor Tensor::__and__(const Tensor& other) const {
return at::__and__(*this, other);
}

Tensor __and__(const Tensor& self, const Scalar& other) {
return at::bitwise_and(self, other);
}

Tensor Tensor::__and__(const Scalar& other) const {
return at::__and__(*this, other);
}

Tensor __and__(const Scalar& self, const Tensor& other) {
return at::bitwise_and(self, other);
}

Tensor __or__(const Tensor& self, const Tensor& other) {
return at::bitwise_or(self, other);
}

Tensor Tensor::__or__(const Tensor& other) const {
return at::__or__(*this, other);
}

Tensor __or__(const Tensor& self, const Scalar& other) {
return at::bitwise_or(self, other);
}

Tensor Tensor::__or__(const Scalar& other) const {
return at::__or__(*this, other);
}

Tensor __or__(const Scalar& self, const Tensor& other) {
return at::bitwise_or(self, other);
}

Tensor __xor__(const Tensor& self, const Tensor& other) {
return at::bitwise_xor(self, other);
}

Tensor Tensor::__xor__(const Tensor& other) const {
return at::__xor__(*this, other);
}

Tensor __xor__(const Tensor& self, const Scalar& other) {
return at::bitwise_xor(self, other);
}

Tensor Tensor::__xor__(const Scalar& other) const {
return at::__xor__(*this, other);
}

Tensor __xor__(const Scalar& self, const Tensor& other) {
return at::bitwise_xor(self, other);
}

Tensor __lshift__(const Tensor& self, const Tensor& other) {
return at::bitwise_left_shift(self, other);
}

Tensor Tensor::__lshift__(const Tensor& other) const {
return at::__lshift__(*this, other);
}

Tensor __lshift__(const Tensor& self, const Scalar& other) {
return at::bitwise_left_shift(self, other);
}

Tensor Tensor::__lshift__(const Scalar& other) const {
return at::__lshift__(*this, other);
}

Tensor __lshift__(const Scalar& self, const Tensor& other) {
return at::bitwise_left_shift(self, other);
}

Tensor __rshift__(const Tensor& self, const Tensor& other) {
return at::bitwise_right_shift(self, other);
}

Tensor Tensor::__rshift__(const Tensor& other) const {
return at::__rshift__(*this, other);
}

Tensor __rshift__(const Tensor& self, const Scalar& other) {
return at::bitwise_right_shift(self, other);
}

Tensor Tensor::__rshift__(const Scalar& other) const {
return at::__rshift__(*this, other);
}

Tensor __rshift__(const Scalar& self, const Tensor& other) {
return at::bitwise_right_shift(self, other);
}

}  // namespace at
