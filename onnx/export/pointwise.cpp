#include <minima/onnx/export/activations.h>
#include <minima/onnx/export/emitter.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

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
    const std::string y = e.count() > 1 ? e.in(1, dtype) : e.scalar("value", e.output().dtype);
    e.bind(e.has_integer("reversed") ? e.node(op, {y, x}) : e.node(op, {x, y}));
  };
}

/// The dtype in which two inputs are compared.
DType common(const Emitter& e) {
  return e.count() > 1 ? promote(e.input(0).dtype, e.input(1).dtype) : e.input(0).dtype;
}

std::string compared(Emitter& e, const char* op) {
  const DType dtype = common(e);
  return e.node(op, {e.in(0, dtype), e.count() > 1 ? e.in(1, dtype) : e.scalar("value", dtype)});
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
  const auto cut = [](Emitter& e, const std::string& x) {
    return product(e, e.node("Sign", {x}), e.node("Floor", {e.node("Abs", {x})}));
  };
  t["trunc"] = by(cut);
  t["frac"] = by([cut](Emitter& e, const std::string& x) { return e.node("Sub", {x, cut(e, x)}); });
  t["cdist"] = by([](Emitter& e, const std::string& x) { return e.node("Sqrt", {e.node("Relu", {x})}); });
  t["entr"] = by([](Emitter& e, const std::string& x) {
    const std::string inside = e.node("Neg", {product(e, x, e.node("Log", {x}))});
    const std::string below = like(e, -std::numeric_limits<double>::infinity());
    return e.node("Where", {e.node("Less", {x, like(e, 0)}), below,
                            e.node("Where", {e.node("Equal", {x, like(e, 0)}), like(e, 0), inside})});
  });
  t["nan_to_num"] = by([](Emitter& e, const std::string& x) {
    std::string y = e.node("Where", {e.node("IsNaN", {x}), like(e, e.number("nan")), x});
    y = e.node("Where", {e.node("IsInf", {x}, {integer("detect_negative", 0)}), like(e, e.number("infinity")), y});
    return e.node("Where",
                  {e.node("IsInf", {x}, {integer("detect_positive", 0)}), like(e, e.number("minus_infinity")), y});
  });
}

void add_activations(Translations& t) {
  t["gelu"] = by([](Emitter& e, const std::string& x) { return activated(e, x, "gelu"); });
  t["gelu_tanh"] = by([](Emitter& e, const std::string& x) { return activated(e, x, "gelu_tanh"); });
  t["silu"] = by([](Emitter& e, const std::string& x) { return product(e, x, e.node("Sigmoid", {x})); });
  t["glu"] = [](Emitter& e) { e.bind(product(e, e.in(0), e.node("Sigmoid", {e.in(1)}))); };
  t["swiglu"] = [](Emitter& e) { e.bind(product(e, product(e, e.in(0), e.node("Sigmoid", {e.in(0)})), e.in(1))); };
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

/// x with a number as its least or greatest value: Clip, one node for both bounds where the other came before.
Translation bounded(const char* op, bool is_upper) {
  const Translation otherwise = arithmetic(op);
  return [otherwise, is_upper](Emitter& e) {
    const auto is_number = [&](const std::vector<int>& inputs) { return inputs.size() == 2 && e.is_number(inputs[1]); };
    if (!is_floating(e.output().dtype) || !is_number(e.call().inputs) || e.input(0).shape != e.output().shape ||
        e.input(0).dtype != e.output().dtype || e.input(1).dtype != e.output().dtype)
      return otherwise(e);
    if (!is_upper) return e.bind(e.node("Clip", {e.in(0), e.in(1), ""}));
    const RecordedCall* before = e.maker(e.call().inputs[0]);
    const bool is_both = before && before->op == "maximum" && is_number(before->inputs) &&
                         e.is_like(before->inputs[0]) && e.dtype_of(before->inputs[1]) == e.output().dtype;
    if (is_both) return e.bind(e.node("Clip", {e.name(before->inputs[0]), e.name(before->inputs[1]), e.in(1)}));
    e.bind(e.node("Clip", {e.in(0), "", e.in(1)}));
  };
}

void add_binary(Translations& t) {
  const std::pair<const char*, const char*> pairs[] = {{"add", "Add"},    {"sub", "Sub"}, {"mul", "Mul"},
                                                       {"div", "Div"},    {"pow", "Pow"}, {"maximum", "Max"},
                                                       {"minimum", "Min"}};
  for (const auto& [name, op] : pairs) t[name] = arithmetic(op);
  t["maximum"] = bounded("Max", false);
  t["minimum"] = bounded("Min", true);
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
    const std::string x = e.in(0, dtype), y = e.count() > 1 ? e.in(1, dtype) : e.scalar("value", e.output().dtype);
    if (is_floating(dtype)) return e.bind(e.node("Floor", {e.node("Div", {x, y})}));
    // Div cuts off; Mod with the divisor's sign is what is left of the floor.
    e.bind(e.node("Div", {e.node("Sub", {x, e.node("Mod", {x, y})}), y}));
  };
  t["remainder"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string x = e.in(0, dtype), y = e.count() > 1 ? e.in(1, dtype) : e.scalar("value", e.output().dtype);
    if (!is_floating(dtype)) return e.bind(e.node("Mod", {x, y}));
    e.bind(e.node("Sub", {x, product(e, y, e.node("Floor", {e.node("Div", {x, y})}))}));
  };
  t["fmod"] = [](Emitter& e) {
    const DType dtype = e.output().dtype;
    const std::string y = e.count() > 1 ? e.in(1, dtype) : e.scalar("value", e.output().dtype);
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

/// -0 is negative, too.
std::string is_negative(Emitter& e, const std::string& x, DType dtype) {
  const std::string zero = e.constant(0, dtype);
  return e.node("Less", {e.node("Where", {e.node("Equal", {x, zero}), e.node("Reciprocal", {x}), x}), zero});
}

/// The angle of (x, y).
std::string angle(Emitter& e, const std::string& y, const std::string& x) {
  const double pi = std::numbers::pi;
  const auto is_zero = [&](const std::string& of) { return e.node("Equal", {of, like(e, 0)}); };
  const std::string below = is_negative(e, y, e.output().dtype);
  // A quotient of zeros, or of infinities, is as if both were 1, but for an x of zero that has no part in the angle.
  const std::string same = e.node("And", {e.node("IsInf", {x}), e.node("IsInf", {y})});
  const std::string one =
      e.node("Where", {e.node("Equal", {e.node("Sign", {x}), e.node("Sign", {y})}), like(e, 1), like(e, -1)});
  std::string ratio = e.node("Where", {same, one, e.node("Div", {y, x})});
  ratio = e.node("Where", {e.node("And", {is_zero(x), is_zero(y)}), y, ratio});
  const std::string turned = sum(e, e.node("Atan", {ratio}), e.node("Where", {below, like(e, -pi), like(e, pi)}));
  const std::string left = is_negative(e, x, e.output().dtype);
  const std::string half = e.node("Where", {e.node("And", {is_zero(x), e.node("Not", {is_zero(y)})}),
                                            e.node("Where", {below, like(e, -pi / 2), like(e, pi / 2)}), turned});
  return e.node("Where", {left, half, e.node("Atan", {ratio})});
}

void add_functions_of_several(Translations& t) {
  const auto by_two = [](auto f) -> Translation {
    return [f](Emitter& e) {
      const DType dtype = e.output().dtype;
      const std::string x = e.in(0, dtype);
      e.bind(f(e, x, e.count() > 1 ? e.in(1, dtype) : e.scalar("value", e.output().dtype)));
    };
  };
  const auto product_with = [](Emitter& e, const std::string& x, const std::string& y, const std::string& log) {
    const std::string none = e.node("And", {e.node("Equal", {x, like(e, 0)}), e.node("Not", {e.node("IsNaN", {y})})});
    return e.node("Where", {none, like(e, 0), product(e, x, log)});
  };
  t["xlogy"] = by_two([product_with](Emitter& e, const std::string& x, const std::string& y) {
    return product_with(e, x, y, e.node("Log", {y}));
  });
  t["xlog1py"] = by_two([product_with](Emitter& e, const std::string& x, const std::string& y) {
    return product_with(e, x, y, e.node("Log", {sum(e, y, like(e, 1))}));
  });
  t["logaddexp"] = by_two([](Emitter& e, const std::string& x, const std::string& y) {
    const std::string distance = e.node("Abs", {e.node("Sub", {x, y})});
    const std::string different = sum(e, e.node("Max", {x, y}), e.node("Softplus", {e.node("Neg", {distance})}));
    return e.node("Where", {e.node("Equal", {x, y}), sum(e, x, like(e, std::numbers::ln2)), different});  // infinities
  });
  t["hypot"] = by_two([](Emitter& e, const std::string& x, const std::string& y) {
    const std::string a = e.node("Abs", {x}), b = e.node("Abs", {y}), most = e.node("Max", {a, b});
    const std::string plain = e.node("Or", {e.node("Equal", {most, like(e, 0)}), e.node("IsInf", {most})});
    const std::string part = e.node("Div", {e.node("Min", {a, b}), most});
    const std::string scaled = product(e, most, e.node("Sqrt", {sum(e, product(e, part, part), like(e, 1))}));
    return e.node("Where", {plain, most, scaled});
  });
  t["copysign"] = by_two([](Emitter& e, const std::string& x, const std::string& y) {
    const std::string size = e.node("Abs", {x});
    return e.node("Where", {is_negative(e, y, e.output().dtype), e.node("Neg", {size}), size});
  });
  t["atan2"] = by_two(angle);
  t["signbit"] = [](Emitter& e) { e.bind(is_negative(e, e.in(0), e.input(0).dtype)); };
  const auto by_three = [](const char* op) -> Translation {
    return [op](Emitter& e) {
      const DType dtype = e.output().dtype;
      const std::string term = e.node(op, {e.in(1, dtype), e.in(2, dtype)});
      e.bind(sum(e, e.in(0, dtype), product(e, term, like(e, e.number("value")))));
    };
  };
  t["addcmul"] = by_three("Mul");
  t["addcdiv"] = by_three("Div");
  t["cross"] = [](Emitter& e) {
    const Named axis = integer("axis", e.integer("dim"));
    const auto turned = [&](std::size_t i, const Shape& order) {
      return e.node("Gather", {e.in(i, e.output().dtype), e.constant(order)}, {axis});
    };
    e.bind(e.node("Sub", {product(e, turned(0, {1, 2, 0}), turned(1, {2, 0, 1})),
                          product(e, turned(0, {2, 0, 1}), turned(1, {1, 2, 0}))}));
  };
}

void add_copies(Translations& t) {
  t["copy"] = t["to"] = [](Emitter& e) { e.bind(e.in(0, e.output().dtype)); };
  t["copy_"] = [](Emitter& e) {
    const std::string y = e.in(1, e.output().dtype);
    e.bind(e.input_shapes(1) == e.output_shapes() ? y : e.node("Expand", {y, e.shape(e.output_shapes())}));
  };
  t["fill_"] = [](Emitter& e) {
    e.bind(e.node("Expand", {e.scalar("value", e.output().dtype), e.shape(e.output_shapes())}));
  };
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
  add_functions_of_several(t);
  add_copies(t);
}

}  // namespace minima::onnx::detail
