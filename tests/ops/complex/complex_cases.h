#pragma once

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/complex/complex.h>

#include <complex>
#include <string>
#include <vector>

// Tables of complex operators have real inputs and outputs: the parts of each complex tensor, one after the other.

namespace minima::test {

using C = std::complex<double>;
using Numbers = std::vector<C>;

inline std::vector<Tensor> parts(const Tensor& y) {
  return is_complex(y) ? std::vector<Tensor>{real(y), imag(y)} : std::vector<Tensor>{y};
}

/// f of complex tensors: of one, or of two.
inline auto with_parts(Tensor (*f)(const Tensor&)) {
  return [f](In in) { return parts(f(complex(in[0], in[1]))); };
}
inline auto with_parts(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](In in) { return parts(f(complex(in[0], in[1]), complex(in[2], in[3]))); };
}

/// The same in Python: `call` is an expression in z, or in z and w.
inline std::string parts_in_python(const std::string& call, bool two = false) {
  const std::string out = "(lambda y: (y.real, y.imag) if y.is_complex() else y)";
  return two ? "lambda a, b, c, d: " + out + "((lambda z, w: " + call + ")(torch.complex(a, b), torch.complex(c, d)))"
             : "lambda a, b: " + out + "((lambda z: " + call + ")(torch.complex(a, b)))";
}

/// The table of a complex operator, whose inputs become complex by complex().
inline OpCases of_complex(OpCases cases) {
  return cases.dtypes(full_floating_dtypes())
      .of_parts()
      .also_calls("complex")
      .without("DTypeError", "complex() refuses other dtypes")
      .without("errors", "Complex.RefusesWhatHasNoComplexForm has them")
      .without("hidden", "complex() and real() are operators, too")
      .without("random", "parts overflow where their products do");
}

inline std::vector<Doubles> both_parts(const Shape& shape, const Numbers& values) {
  Doubles re(shape), im(shape);
  for (std::size_t i = 0; i < values.size(); ++i) re.values[i] = values[i].real(), im.values[i] = values[i].imag();
  return {re, im};
}

/// Rows for one complex input, and for two.
inline OpCases& complex_inputs(OpCases& table, const Draw& like) {
  for (const Shape& shape : {Shape{3, 4}, Shape{}, Shape{0, 3}, Shape{2, 3, 2, 2}, Shape{3, 5, 6}}) {
    Draw draw = like;
    draw.shape = shape;
    table.inputs(draw, draw);
  }
  return table.without("large", "they are the loops of real operators, with larger elements");
}
inline OpCases& two_complex_inputs(OpCases& table, const Draw& like) {
  const std::pair<Shape, Shape> shapes[] = {{{3, 4}, {3, 4}}, {{3, 4}, {4}},    {{3, 1}, {1, 5}},
                                            {{}, {2, 3}},     {{0, 2}, {1, 2}}, {{3, 5, 6}, {3, 5, 6}}};
  for (const auto& [a, b] : shapes) {
    Draw left = like, right = like;
    left.shape = a, right.shape = b;
    table.inputs(left, left, right, right);
  }
  return table.without("large", "they are the loops of real operators, with larger elements");
}

inline Numbers numbers_of(const Doubles& re, const Doubles& im) {
  Numbers values;
  for (std::size_t i = 0; i < re.values.size(); ++i) values.emplace_back(re.values[i], im.values[i]);
  return values;
}

inline Shape broadcast_all(const std::vector<Doubles>& in) {
  Shape shape = in[0].shape;
  for (const Doubles& x : in) shape = broadcast(shape, x.shape, "reference");
  return shape;
}

/// A reference of a function of one or two complex numbers with a complex or real result.
template <class F>
Reference complex_elementwise(F f) {
  return [f](const std::vector<Doubles>& in) {
    const Shape shape = broadcast_all(in);
    std::vector<Doubles> x;
    for (const Doubles& each : in) x.push_back(broadcast_to(each, shape));
    Numbers results;
    constexpr bool two = std::is_invocable_v<F, C, C>;
    bool is_real = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(numel(shape)); ++i)
      if constexpr (two) results.push_back(f(C(x[0].values[i], x[1].values[i]), C(x[2].values[i], x[3].values[i])));
      else results.push_back(f(C(x[0].values[i], x[1].values[i])));
    if constexpr (two) is_real = std::is_same_v<std::invoke_result_t<F, C, C>, double>;
    else is_real = std::is_same_v<std::invoke_result_t<F, C>, double>;
    std::vector<Doubles> outputs = both_parts(shape, results);
    if (is_real) outputs.pop_back();
    return outputs;
  };
}

}  // namespace minima::test
