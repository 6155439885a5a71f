#include <minima/ops/inplace/in_place.h>

#include <minima/autograd/mode.h>
#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>

namespace minima {

namespace {

/// x as it was, for formulas that look at their input again after x has changed.
Tensor before(const Tensor& x) { return is_grad_enabled() && x.requires_grad() ? clone(x) : x; }

}  // namespace

void clamp_(const Tensor& x, Scalar low, Scalar high) { copy_(x, clamp(before(x), low, high)); }
void masked_fill_(const Tensor& x, const Tensor& mask, Scalar value) { copy_(x, masked_fill(x, mask, value)); }
void exp_(const Tensor& x) { copy_(x, exp(before(x))); }
void sqrt_(const Tensor& x) { copy_(x, sqrt(before(x))); }
void neg_(const Tensor& x) { copy_(x, neg(before(x))); }
void sigmoid_(const Tensor& x) { copy_(x, sigmoid(before(x))); }
void tanh_(const Tensor& x) { copy_(x, tanh(before(x))); }
void addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) { add_(x, a * b * value); }
void lerp_(const Tensor& x, const Tensor& end, double weight) { add_(x, (end - x) * weight); }

}  // namespace minima
