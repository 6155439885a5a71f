#include <core/bridge.h>

#include <c10/core/InferenceMode.h>

#include <cmath>

namespace at::bridge {

namespace m = minima;

minima::TensorOptions options_as(const MT& x, const TensorOptions& options) {
  return options.native().or_else({.dtype = x.dtype(), .device = x.device()});
}

TensorOptions torch_options_as(const Tensor& x, const TensorOptions& options) { return x.options().merge_in(options); }

std::optional<std::pair<double, double>> range(std::optional<ArrayRef<double>> ends) {
  if (!ends) return std::nullopt;
  TORCH_CHECK(ends->size() == 2, "histogram: range should have 2 elements, but got ", ends->size());
  return std::pair((*ends)[0], (*ends)[1]);
}

minima::Reduction reduction(std::int64_t reduction) {
  TORCH_CHECK(reduction >= 0 && reduction < Reduction::END, reduction, " is not a valid value for reduction");
  return static_cast<m::Reduction>(reduction);
}

Number scalar_of(const MT& x) { return Tensor(x).item().native(); }
MT tensor(Number value) { return full({}, Scalar(value), {}); }
MT like(const MT& x, Number value) {
  const m::DType dtype = m::promote(x.dtype(), value);
  return m::full(Shape(), value, {.dtype = dtype, .device = x.device()});
}
MT floating(const MT& x) {
  return m::is_floating(x.dtype()) || m::is_complex(x.dtype()) ? x : x.to(native(get_default_dtype_as_scalartype()));
}
MT widened(const MT& x, bool half_to_float) { return half_to_float ? x.to(m::float32) : x; }
MT scaled(const MT& x, Number factor) {
  const bool is_one = !factor.is_boolean() && factor.to<double>() == 1;
  return is_one ? x : m::mul(x, factor);
}

Tensor made(const MT& x, const TensorOptions& options, std::optional<MemoryFormat> format) {
  if (!format) format = options.memory_format_opt();
  Tensor y = x;
  if (format && *format != MemoryFormat::Preserve) y = contiguous(y, *format);
  y.native().impl()->inference = c10::InferenceMode::is_enabled();
  if (options.requires_grad()) y.set_requires_grad(true);
  return y;
}

Tensor& write(const Tensor& result, Tensor& out) {
  TORCH_CHECK(out.defined(), "out: the result's tensor is undefined; give it empty({0}, options)");
  TORCH_CHECK(canCast(result.scalar_type(), out.scalar_type()), "result type ", result.scalar_type(),
              " can't be cast to the desired output type ", out.scalar_type());
  TORCH_CHECK(!m::is_grad_enabled() || !(result.native().requires_grad() || out.native().requires_grad()),
              "functions with out=... arguments don't support automatic differentiation, but one of the arguments "
              "requires grad.");
  torch::autograd::check_inplace(out);
  if (out.sizes() != result.sizes()) resize(out, result.native().shape());
  m::copy_(out, result);
  return out;
}

Tensor& assign(const char* name, Tensor& x, const Tensor& result) {
  TORCH_CHECK(canCast(result.scalar_type(), x.scalar_type()), "result type ", result.scalar_type(),
              " can't be cast to the desired output type ", x.scalar_type());
  TORCH_CHECK(x.sizes() == result.sizes(), name, ": output with shape ", x.sizes(),
              " doesn't match the broadcast shape ", result.sizes());
  m::copy_(x, result);
  return x;
}

Tensor input_of_change(const Tensor& x) {
  return m::is_grad_enabled() && x.native().requires_grad() ? Tensor(m::clone(x)) : x;
}

Tensor& become(Tensor& x, const Tensor& other) {
  // set_data keeps other handles up to date, but has no history.
  if (m::is_grad_enabled() && other.native().requires_grad()) return x = other;
  x.native().set_data(other);
  return x;
}

MT add(const MT& a, const MT& b, Number alpha) { return m::add(a, scaled(b, alpha)); }
MT sub(const MT& a, const MT& b, Number alpha) { return m::sub(a, scaled(b, alpha)); }
void add_(const MT& a, const MT& b, Number alpha) { m::add_(a, scaled(b, alpha)); }
void sub_(const MT& a, const MT& b, Number alpha) { m::sub_(a, scaled(b, alpha)); }

MT binary(const Tensor& a, const Scalar& b, MT (*of_tensor)(const MT&, const MT&), MT (*of_number)(const MT&, Number)) {
  return b.isComplex() ? of_tensor(a, scalar_like(b, a)) : of_number(a, b.native());
}

namespace {
Scalar times(const Scalar& a, const Scalar& b) {
  if (a.isComplex() || b.isComplex()) return a.toComplexDouble() * b.toComplexDouble();
  if (a.isFloatingPoint() || b.isFloatingPoint()) return a.toDouble() * b.toDouble();
  return a.toLong() * b.toLong();
}
}  // namespace

MT add(const Tensor& a, const Scalar& b, const Scalar& alpha) { return binary(a, times(b, alpha), m::add, m::add); }
MT sub(const Tensor& a, const Scalar& b, const Scalar& alpha) { return binary(a, times(b, alpha), m::sub, m::sub); }
MT rsub(const MT& a, Number b, Number alpha) { return m::sub(b, scaled(a, alpha)); }

MT div(const MT& a, const MT& b, std::optional<std::string_view> rounding) {
  if (!rounding) return m::div(a, b);
  if (*rounding == "floor") return m::floor_divide(a, b);
  TORCH_CHECK(*rounding == "trunc", "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
              *rounding, "'");
  if (m::is_floating(a.dtype()) || m::is_floating(b.dtype())) return m::trunc(m::div(a, b));
  // Floor and trunc of integers differ where the quotient is negative and has a rest.
  const MT floor = m::floor_divide(a, b);
  return m::add(floor, m::logical_and(m::lt(floor, 0), m::ne(m::remainder(a, b), 0)));
}
MT div(const MT& a, Number b, std::optional<std::string_view> rounding) {
  return rounding ? div(a, like(a, b), rounding) : m::div(a, b);
}

namespace {
bool is_whole(const MT& x) { return !m::is_floating(x.dtype()) && !m::is_complex(x.dtype()); }
}  // namespace

MT pow(const MT& x, const MT& exponent) {
  if (!is_whole(x) || !is_whole(exponent)) return m::pow(x, exponent);
  return m::pow(x.to(m::float64), exponent.to(m::float64)).to(m::promote(x.dtype(), exponent.dtype()));
}
MT pow(const MT& x, Number exponent) {
  if (!is_whole(x) || exponent.is_floating()) return m::pow(x, exponent);
  TORCH_CHECK(exponent.to<std::int64_t>() >= 0, "Integers to negative integer powers are not allowed.");
  return m::pow(x.to(m::float64), exponent).to(m::promote(x.dtype(), exponent));
}
MT pow(Number x, const MT& exponent) {
  if (!is_whole(exponent) || x.is_floating()) return m::pow(x, exponent);
  return m::pow(x, exponent.to(m::float64)).to(m::promote(exponent.dtype(), x));
}

MT round(const MT& x, std::int64_t decimals) {
  if (decimals == 0) return m::round(x);
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return decimals > 0 ? m::div(m::round(m::mul(x, scale)), scale) : m::mul(m::round(m::div(x, scale)), scale);
}

MT nan_to_num(const MT& x, std::optional<double> nan, std::optional<double> high, std::optional<double> low) {
  if (!m::is_floating(x.dtype())) return x;
  m::NanToNumOptions options{.nan = nan.value_or(0)};
  if (high) options.posinf = *high;
  if (low) options.neginf = *low;
  return m::nan_to_num(x, options);
}

MT clamp(const MT& x, std::optional<Number> low, std::optional<Number> high) {
  TORCH_CHECK(low || high, "torch.clamp: At least one of 'min' or 'max' must not be None");
  const auto fits = [&](Number bound) { return m::promote(x.dtype(), bound) == x.dtype(); };
  if ((low && !fits(*low)) || (high && !fits(*high)))  // LibTorch promotes; minima keeps x's dtype
    return clamp(x.to(m::promote(x.dtype(), low && !fits(*low) ? *low : *high)), low, high);
  if (low && high) return m::clamp(x, *low, *high);
  return low ? m::clamp_min(x, *low) : m::clamp_max(x, *high);
}
MT clamp(const MT& x, const MT& low, const MT& high) {
  TORCH_CHECK(low.defined() || high.defined(), "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (low.defined() && high.defined()) return m::clamp(x, low, high);
  return low.defined() ? m::maximum(x, low) : m::minimum(x, high);
}

MT elu(const MT& x, Number alpha, Number scale, Number input_scale) {
  if (scale.to<double>() == 1 && input_scale.to<double>() == 1) return m::elu(x, alpha.to<double>());
  const MT below = m::mul(m::expm1(m::mul(m::clamp_max(x, 0), input_scale)), alpha);
  return m::mul(m::where(m::gt(x, 0), x, below), scale);
}
MT gelu(const MT& x, std::string_view approximate) {
  TORCH_CHECK(approximate == "none" || approximate == "tanh", "approximate argument must be either none or tanh.");
  return approximate == "tanh" ? m::gelu_tanh(x) : m::gelu(x);
}

MT shrink(const MT& x, Number lambda, MT (*f)(const MT&, double)) {
  return lambda.to<double>() < 0 ? m::clone(x) : f(x, lambda.to<double>());
}

MT is_real(const MT& x) {
  return m::is_complex(x.dtype()) ? m::eq(m::imag(x), 0)
                                  : m::ones(x.shape(), {.dtype = m::boolean, .device = x.device()});
}
MT isclose(const MT& a, const MT& b, double rtol, double atol, bool equal_nan) {
  TORCH_CHECK(a.dtype() == b.dtype(), scalar_type(a.dtype()), " did not match ", scalar_type(b.dtype()));
  if (!m::is_complex(a.dtype())) return m::isclose(a, b, {.rtol = rtol, .atol = atol, .equal_nan = equal_nan});
  const MT limit = m::add(m::mul(m::abs(b), rtol), atol);
  return m::logical_or(m::eq(a, b), m::le(m::abs(m::sub(a, b)), limit));
}
bool holds(const MT& all) { return all.numel() == 0 || m::all(all).item<bool>(); }
bool is_nonzero(const MT& x) {
  TORCH_CHECK(x.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  TORCH_CHECK(x.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return static_cast<bool>(x);
}
bool equal(const MT& a, const MT& b) {
  TORCH_CHECK(a.dtype() == b.dtype(), "Expected object of data type ", scalar_type(a.dtype()), " but got data type ",
              scalar_type(b.dtype()), " for argument #2 'other' in call to equal");
  return a.shape() == b.shape() && holds(m::eq(a, b));
}

namespace {
MT truth(const MT& condition) {
  TORCH_CHECK(condition.dtype() == m::boolean || condition.dtype() == m::uint8,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ",
              scalar_type(condition.dtype()));
  return condition.to(m::boolean);
}
}  // namespace

MT where(const MT& condition, const MT& a, const MT& b) { return m::where(truth(condition), a, b); }
MT where(const MT& condition, const MT& a, Number b) { return m::where(truth(condition), a, like(a, b)); }
MT where(const MT& condition, Number a, const MT& b) { return m::where(truth(condition), like(b, a), b); }
MT where(const MT& condition, Number a, Number b) { return m::where(truth(condition), tensor(a), tensor(b)); }

MT isin(const MT& x, const MT& elements, bool invert) {
  const MT found = m::isin(x, elements);
  return invert ? m::logical_not(found) : found;
}

MT product(const MT& a, const MT& b, MT (*f)(const MT&, const MT&)) {
  if (m::is_floating(a.dtype()) || m::is_complex(a.dtype()) || a.dtype() != b.dtype()) return f(a, b);
  return f(a.to(m::float64), b.to(m::float64)).to(a.dtype());
}

MT fused(const MT& x, const MT& a, const MT& b, Number beta, Number alpha,
         MT (*f)(const MT&, const MT&, const MT&, double, double)) {
  const double by_x = beta.to<double>(), by_product = alpha.to<double>();
  if (m::is_floating(x.dtype()) || m::is_complex(x.dtype())) return f(x, a, b, by_x, by_product);
  return f(x.to(m::float64), a.to(m::float64), b.to(m::float64), by_x, by_product).to(x.dtype());
}

}  // namespace at::bridge
