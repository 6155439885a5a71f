#include <minima/onnx/operators/operators.h>

#include <minima/io/onnx/onnx_file.h>
#include <minima/ops/ops.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor_impl.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace minima::onnx {

namespace elementwise {

namespace {

template <class F>
Implementation one(F f) {
  return [f](const Call& in) { return std::vector<Tensor>{f(in[0])}; };
}
template <class F>
Implementation two(F f) {
  return [f](const Call& in) { return std::vector<Tensor>{f(in[0], in[1])}; };
}
/// f of two tensors. Before opset 7 the dimensions of the second are those of the first from `axis` on.
template <class F>
Implementation broadcast_two(F f) {
  return [f](const Call& in) {
    const Tensor &a = in[0], &b = in[1];
    if (in.opset() >= 7 || in.i("broadcast") == 0) return std::vector<Tensor>{f(a, b)};
    Shape shape = b.shape();
    for (std::int64_t d = in.i("axis", a.rank() - b.rank()) + b.rank(); d < a.rank(); ++d) shape.push_back(1);
    return std::vector<Tensor>{f(a, reshape(b, shape))};
  };
}
/// Any number of tensors, from left to right.
template <class F>
Implementation all_of(F f) {
  return [f](const Call& in) {
    Tensor y = in[0];
    for (std::size_t i = 1; i < in.count(); ++i) y = f(y, in[i]);
    return std::vector<Tensor>{y};
  };
}

Tensor clipped(const Call& in) {
  if (in.opset() < 11) {
    const double infinity = std::numeric_limits<double>::infinity();
    return clamp(in[0], in.f("min", -infinity), in.f("max", infinity));
  }
  Tensor y = in[0];
  if (in.has(1)) y = maximum(y, in[1]);
  return in.has(2) ? minimum(y, in[2]) : y;
}

Tensor infinite(const Call& in) {
  const Tensor either = logical_not(logical_or(isfinite(in[0]), isnan(in[0])));
  const bool negative = in.i("detect_negative", 1) != 0, positive = in.i("detect_positive", 1) != 0;
  const Tensor none = zeros_like(in[0], {.dtype = boolean});
  return where(in[0] < 0, negative ? either : none, positive ? either : none);
}

/// Quotients of integers are cut off, those of negative ones too.
Tensor quotients(const Tensor& a, const Tensor& b) {
  if (is_floating(a.dtype())) return div(a, b);
  const Tensor low = floor_divide(a, b);
  return where(logical_and(low < 0, low * b != a), low + 1, low);
}

/// Rounding of integer powers is truncation; the result has the base's dtype.
Tensor power(const Tensor& a, const Tensor& b) {
  if (is_floating(a.dtype())) return pow(a, b.to(a.dtype()));
  return round(pow(a.to(float64), b.to(float64))).to(a.dtype());
}

Tensor shrunk(const Call& in) {
  const double lambda = in.f("lambd", 0.5), bias = in.f("bias", 0);
  if (bias == lambda) return softshrink(in[0], lambda);
  if (bias == 0) return hardshrink(in[0], lambda);
  const Tensor zero = zeros({}, {.dtype = in[0].dtype(), .device = in[0].device()});
  return where(in[0] > lambda, in[0] - bias, where(in[0] < -lambda, in[0] + bias, zero));
}

/// The same bits as another dtype of the same size.
Tensor reread(const Call& in) {
  const DType dtype = dtype_of_code(in.i("to"));
  if (size_of(dtype) != in[0].itemsize())
    throw DTypeError(str("onnx: BitCast of ", in[0], " to ", dtype, ", which has another size"));
  if (dtype == boolean) return in[0].to(uint8) != 0;
  const Tensor x = contiguous(in[0]);
  return Tensor(new TensorImpl(x.impl()->storage, x.layout(), dtype));
}

}  // namespace

}  // namespace elementwise

void add_elementwise(Operators& o) {
  using namespace elementwise;
  using T = const Tensor&;
  const std::pair<const char*, Tensor (*)(T)> unary[] = {{"Abs", abs},
                                                         {"Acos", acos},
                                                         {"Acosh", acosh},
                                                         {"Asin", asin},
                                                         {"Asinh", asinh},
                                                         {"Atan", atan},
                                                         {"Atanh", atanh},
                                                         {"Ceil", ceil},
                                                         {"Cos", cos},
                                                         {"Cosh", cosh},
                                                         {"Erf", erf},
                                                         {"Exp", exp},
                                                         {"Floor", floor},
                                                         {"HardSwish", hardswish},
                                                         {"IsNaN", isnan},
                                                         {"Log", log},
                                                         {"BitwiseNot", bitwise_not},
                                                         {"Mish", mish},
                                                         {"Neg", neg},
                                                         {"Not", logical_not},
                                                         {"Reciprocal", reciprocal},
                                                         {"Relu", relu},
                                                         {"Round", round},
                                                         {"Sigmoid", sigmoid},
                                                         {"Sign", sign},
                                                         {"Sin", sin},
                                                         {"Sinh", sinh},
                                                         {"Softsign", softsign},
                                                         {"Sqrt", sqrt},
                                                         {"Tan", tan},
                                                         {"Tanh", tanh}};
  for (const auto& [name, f] : unary) o[name] = one(f);
  const std::pair<const char*, Tensor (*)(T, T)> binary[] = {{"Add", add},
                                                             {"Sub", sub},
                                                             {"Mul", mul},
                                                             {"And", logical_and},
                                                             {"Or", logical_or},
                                                             {"Xor", ne},
                                                             {"BitwiseAnd", bitwise_and},
                                                             {"BitwiseOr", bitwise_or},
                                                             {"BitwiseXor", bitwise_xor},
                                                             {"Equal", eq},
                                                             {"Greater", gt},
                                                             {"GreaterOrEqual", ge},
                                                             {"Less", lt},
                                                             {"LessOrEqual", le}};
  for (const auto& [name, f] : binary) o[name] = broadcast_two(f);
  o["BitShift"] = call([](const Call& in) {
    return in.word("direction", {"LEFT", "RIGHT"}) == "LEFT" ? bitwise_left_shift(in[0], in[1])
                                                             : bitwise_right_shift(in[0], in[1]);
  });
  o["Div"] = broadcast_two(quotients);
  o["Pow"] = broadcast_two(power);
  o["Mod"] = call([](const Call& in) { return in.i("fmod") != 0 ? fmod(in[0], in[1]) : remainder(in[0], in[1]); });
  o["Max"] = all_of([](T a, T b) { return maximum(a, b); });
  o["Min"] = all_of([](T a, T b) { return minimum(a, b); });
  o["Sum"] = all_of([](T a, T b) { return add(a, b); });
  o["Mean"] = [](const Call& in) {
    Tensor y = in[0];
    for (std::size_t i = 1; i < in.count(); ++i) y = y + in[i];
    return std::vector<Tensor>{y / static_cast<double>(in.count())};
  };
  o["Where"] = call([](const Call& in) { return where(in[0], in[1], in[2]); });
  o["Identity"] = one([](T x) { return x; });
  o["Clip"] = call(clipped);
  o["IsInf"] = call(infinite);
  o["Softplus"] = one([](T x) { return softplus(x); });
  o["Selu"] = call([](const Call& in) {
    const double alpha = in.f("alpha", 1.67326319217681884765625), gamma = in.f("gamma", 1.05070102214813232421875);
    const bool is_usual =
        std::abs(alpha - 1.67326319217681884765625) < 1e-6 && std::abs(gamma - 1.05070102214813232421875) < 1e-6;
    return is_usual ? selu(in[0]) : elu(in[0], alpha) * gamma;
  });
  o["Elu"] = call([](const Call& in) { return elu(in[0], in.f("alpha", 1)); });
  o["Celu"] = call([](const Call& in) { return celu(in[0], in.f("alpha", 1)); });
  o["LeakyRelu"] = call([](const Call& in) { return leaky_relu(in[0], in.f("alpha", 0.01)); });
  o["HardSigmoid"] = call([](const Call& in) {
    const double alpha = in.f("alpha", 0.2), beta = in.f("beta", 0.5);
    if (std::abs(alpha - 1.0 / 6) < 1e-7 && beta == 0.5) return hardsigmoid(in[0]);
    return clamp(in[0] * alpha + beta, 0, 1);
  });
  o["ThresholdedRelu"] = call([](const Call& in) { return where(in[0] > in.f("alpha", 1), in[0], zeros_like(in[0])); });
  o["Shrink"] = call(shrunk);
  o["PRelu"] = call([](const Call& in) {
    Tensor slope = in[1];
    if (in.opset() < 7 && slope.rank() == 1)  // of channels
      for (int d = 2; d < in[0].rank(); ++d) slope = unsqueeze(slope, -1);
    return where(in[0] > 0, in[0], in[0] * slope);
  });
  o["Cast"] = call([](const Call& in) {
    in.i("saturate");  // of dtypes of eight bits, which none here is
    return in[0].to(dtype_of_code(in.i("to")));
  });
  o["BitCast"] = call(reread);
  o["CastLike"] = call([](const Call& in) { return in[0].to(in[1].dtype()); });
}

}  // namespace minima::onnx
