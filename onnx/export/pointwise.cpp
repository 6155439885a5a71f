#include <minima/onnx/export/activations.h>
#include <minima/onnx/export/emitter.h>
#include <minima/tensor/base/dtype.h>

#include <cmath>
#include <limits>

namespace minima::onnx::detail {

namespace {

using Strings = std::vector<std::string>;

/// ONNX's operator of one input, which takes floating tensors here.
Translation one(const char* op) {
  return [op](Emitter& e) { e.bind(e.node(op, {e.in(0, e.output().dtype)})); };
}

/// f(emitter, x) with x in the result's dtype.
template <class F>
Translation by(F f) {
  return [f](Emitter& e) { e.bind(f(e, e.in(0, e.output().dtype))); };
}

std::string like(Emitter& e, double value) { return e.constant(value, e.output().dtype); }

/// x op y, x op number or, if it says so, number op x; in the result's dtype.
Translation arithmetic(const char* op) {
  return [op](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string x = e.in(0, dtype);
    const std::string y = e.count() > 1 ? e.in(1, dtype) : like(e, e.value("value"));
    e.bind(e.has_integer("reversed") ? e.node(op, {y, x}) : e.node(op, {x, y}));
  };
}

/// The dtype in which two inputs are compared.
DType common(const Emitter& e) {
  return e.count() > 1 ? promote(e.input(0).dtype, e.input(1).dtype) : e.input(0).dtype;
}

std::string compared(Emitter& e, const char* op) {
  const DType dtype = common(e);
  return e.node(op, {e.in(0, dtype), e.count() > 1 ? e.in(1, dtype) : e.constant(e.value("value"), dtype)});
}

Translation comparison(const char* op) {
  return [op](Emitter& e) { e.bind(compared(e, op)); };
}

Translation logical(const char* op) {
  return [op](Emitter& e) { e.bind(e.node(op, {e.in(0, DType::boolean), e.in(1, DType::boolean)})); };
}

/// Numbers between two bounds, of which infinite ones are left out.
std::string clipped(Emitter& e, const std::string& x, double low, double high) {
  const auto bound = [&](double value) { return std::isinf(value) ? std::string() : like(e, value); };
  return e.node("Clip", {x, bound(low), bound(high)});
}

void add_unary(Translations& t) {
  const std::pair<const char*, const char*> same[] = {{"relu", "Relu"},
                                                      {"sigmoid", "Sigmoid"},
                                                      {"tanh", "Tanh"},
                                                      {"exp", "Exp"},
                                                      {"log", "Log"},
                                                      {"sqrt", "Sqrt"},
                                                      {"neg", "Neg"},
                                                      {"abs", "Abs"},
                                                      {"erf", "Erf"},
                                                      {"floor", "Floor"},
                                                      {"ceil", "Ceil"},
                                                      {"round", "Round"},
                                                      {"sin", "Sin"},
                                                      {"cos", "Cos"},
                                                      {"tan", "Tan"},
                                                      {"asin", "Asin"},
                                                      {"acos", "Acos"},
                                                      {"atan", "Atan"},
                                                      {"sinh", "Sinh"},
                                                      {"cosh", "Cosh"},
                                                      {"asinh", "Asinh"},
                                                      {"acosh", "Acosh"},
                                                      {"atanh", "Atanh"},
                                                      {"sign", "Sign"},
                                                      {"reciprocal", "Reciprocal"},
                                                      {"softsign", "Softsign"},
                                                      {"mish", "Mish"},
                                                      {"hardswish", "HardSwish"},
                                                      {"bitwise_not", "BitwiseNot"}};
  for (const auto& [name, op] : same) t[name] = one(op);
  t["logical_not"] = [](Emitter& e) { e.bind(e.node("Not", {e.in(0, DType::boolean)})); };
  t["isnan"] = [](Emitter& e) { e.bind(e.node("IsNaN", {e.in(0)})); };
  t["isfinite"] = [](Emitter& e) {
    const std::string x = e.in(0);
    e.bind(e.node("Not", {e.node("Or", {e.node("IsInf", {x}), e.node("IsNaN", {x})})}));
  };
  t["square"] = by([](Emitter& e, const std::string& x) { return product(e, x, x); });
  t["rsqrt"] = by([](Emitter& e, const std::string& x) { return e.node("Reciprocal", {e.node("Sqrt", {x})}); });
  t["exp2"] = by([](Emitter& e, const std::string& x) { return e.node("Pow", {like(e, 2), x}); });
  t["expm1"] = by([](Emitter& e, const std::string& x) { return e.node("Sub", {e.node("Exp", {x}), like(e, 1)}); });
  t["log1p"] = by([](Emitter& e, const std::string& x) { return e.node("Log", {sum(e, x, like(e, 1))}); });
  t["log2"] =
      by([](Emitter& e, const std::string& x) { return product(e, e.node("Log", {x}), like(e, 1 / std::log(2.0))); });
  t["log10"] =
      by([](Emitter& e, const std::string& x) { return product(e, e.node("Log", {x}), like(e, 1 / std::log(10.0))); });
  t["erfc"] = by([](Emitter& e, const std::string& x) { return e.node("Sub", {like(e, 1), e.node("Erf", {x})}); });
  t["trunc"] = by([](Emitter& e, const std::string& x) {
    return product(e, e.node("Sign", {x}), e.node("Floor", {e.node("Abs", {x})}));
  });
}

void add_activations(Translations& t) {
  t["gelu"] = by([](Emitter& e, const std::string& x) { return activated(e, x, "gelu"); });
  t["gelu_tanh"] = by([](Emitter& e, const std::string& x) { return activated(e, x, "gelu_tanh"); });
  t["silu"] = by([](Emitter& e, const std::string& x) { return product(e, x, e.node("Sigmoid", {x})); });
  t["glu"] = [](Emitter& e) { e.bind(product(e, e.in(0), e.node("Sigmoid", {e.in(1)}))); };
  t["log_sigmoid"] =
      by([](Emitter& e, const std::string& x) { return e.node("Neg", {e.node("Softplus", {e.node("Neg", {x})})}); });
  t["leaky_relu"] = by(
      [](Emitter& e, const std::string& x) { return e.node("LeakyRelu", {x}, {number("alpha", e.number("slope"))}); });
  t["elu"] =
      by([](Emitter& e, const std::string& x) { return e.node("Elu", {x}, {number("alpha", e.number("alpha"))}); });
  t["selu"] = by([](Emitter& e, const std::string& x) {
    return e.node("Selu", {x}, {number("alpha", e.number("alpha")), number("gamma", e.number("scale"))});
  });
  t["celu"] =
      by([](Emitter& e, const std::string& x) { return e.node("Celu", {x}, {number("alpha", e.number("alpha"))}); });
  t["softplus"] = by([](Emitter& e, const std::string& x) {  // beyond the threshold the two differ by rounding
    const double beta = e.number("beta");
    if (beta == 1) return e.node("Softplus", {x});
    return e.node("Div", {e.node("Softplus", {product(e, x, like(e, beta))}), like(e, beta)});
  });
  t["hardsigmoid"] = by([](Emitter& e, const std::string& x) {
    return e.node("HardSigmoid", {x}, {number("alpha", 1.0 / 6), number("beta", 0.5)});
  });
  t["hardtanh"] = t["relu6"] =
      by([](Emitter& e, const std::string& x) { return clipped(e, x, e.number("low"), e.number("high")); });
  t["clamp"] = by([](Emitter& e, const std::string& x) {
    const auto bound = [&](const char* name, double none) {
      const double value = e.value(name);
      return std::fabs(value) >= 9e18 ? none : value;  // integers have no infinity
    };
    const double infinity = std::numeric_limits<double>::infinity();
    return clipped(e, x, bound("low", -infinity), bound("high", infinity));
  });
  t["hardshrink"] = by([](Emitter& e, const std::string& x) {
    return e.node("Shrink", {x}, {number("lambd", e.number("lambda")), number("bias", 0)});
  });
  t["softshrink"] = by([](Emitter& e, const std::string& x) {
    return e.node("Shrink", {x}, {number("lambd", e.number("lambda")), number("bias", e.number("lambda"))});
  });
  t["relu_squared"] = by([](Emitter& e, const std::string& x) {
    const std::string y = e.node("Relu", {x});
    return product(e, y, y);
  });
}

void add_binary(Translations& t) {
  const std::pair<const char*, const char*> pairs[] = {{"add", "Add"},    {"sub", "Sub"}, {"mul", "Mul"},
                                                       {"div", "Div"},    {"pow", "Pow"}, {"maximum", "Max"},
                                                       {"minimum", "Min"}};
  for (const auto& [name, op] : pairs) t[name] = arithmetic(op);
  const std::pair<const char*, const char*> comparisons[] = {
      {"eq", "Equal"}, {"lt", "Less"}, {"le", "LessOrEqual"}, {"gt", "Greater"}, {"ge", "GreaterOrEqual"}};
  for (const auto& [name, op] : comparisons) t[name] = comparison(op);
  t["ne"] = [](Emitter& e) { e.bind(e.node("Not", {compared(e, "Equal")})); };
  t["logical_and"] = logical("And");
  t["logical_or"] = logical("Or");
  t["bitwise_and"] = arithmetic("BitwiseAnd");
  t["bitwise_or"] = arithmetic("BitwiseOr");
  t["bitwise_xor"] = arithmetic("BitwiseXor");
  t["floor_divide"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string x = e.in(0, dtype), y = e.count() > 1 ? e.in(1, dtype) : like(e, e.value("value"));
    if (is_floating(dtype)) return e.bind(e.node("Floor", {e.node("Div", {x, y})}));
    // Div cuts off; Mod with the divisor's sign is what is left of the floor.
    e.bind(e.node("Div", {e.node("Sub", {x, e.node("Mod", {x, y})}), y}));
  };
  t["remainder"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string x = e.in(0, dtype), y = e.count() > 1 ? e.in(1, dtype) : like(e, e.value("value"));
    if (!is_floating(dtype)) return e.bind(e.node("Mod", {x, y}));
    e.bind(e.node("Sub", {x, product(e, y, e.node("Floor", {e.node("Div", {x, y})}))}));
  };
  t["fmod"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string y = e.count() > 1 ? e.in(1, dtype) : like(e, e.value("value"));
    e.bind(e.node("Mod", {e.in(0, dtype), y}, {integer("fmod", 1)}));
  };
  t["lerp"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string start = e.in(0, dtype);
    const std::string distance = e.node("Sub", {e.in(1, dtype), start});
    e.bind(sum(e, start, product(e, distance, like(e, e.number("weight")))));
  };
  t["where"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    e.bind(e.node("Where", {e.in(0), e.in(1, dtype), e.in(2, dtype)}));
  };
}

void add_copies(Translations& t) {
  t["copy"] = t["to"] = [](Emitter& e) { e.bind(e.in(0, e.output().dtype)); };
  t["copy_"] = [](Emitter& e) { e.bind(e.in(1, e.output().dtype)); };
  t["fill_"] = [](Emitter& e) { e.bind(e.node("Expand", {like(e, e.value("value")), e.shape(e.output_shapes())})); };
}

}  // namespace

std::string sum(Emitter& e, const std::string& a, const std::string& b) { return e.node("Add", {a, b}); }
std::string product(Emitter& e, const std::string& a, const std::string& b) { return e.node("Mul", {a, b}); }

std::string activated(Emitter& e, const std::string& x, const std::string& activation) {
  if (activation == "none") return x;
  if (activation == "relu") return e.node("Relu", {x});
  const bool by_tanh = activation == "gelu_tanh";
  if (e.opset() >= 20) return e.node("Gelu", {x}, {word("approximate", by_tanh ? "tanh" : "none")});
  const std::string half = product(e, x, like(e, 0.5));
  if (!by_tanh) return product(e, half, sum(e, e.node("Erf", {product(e, x, like(e, std::sqrt(0.5)))}), like(e, 1)));
  const std::string cube = product(e, product(e, x, x), product(e, x, like(e, 0.044715)));
  const std::string inner = product(e, sum(e, x, cube), like(e, 0.79788456080286536));
  return product(e, half, sum(e, e.node("Tanh", {inner}), like(e, 1)));
}

void add_pointwise(Translations& t) {
  add_unary(t);
  add_activations(t);
  add_binary(t);
  add_copies(t);
}

}  // namespace minima::onnx::detail
