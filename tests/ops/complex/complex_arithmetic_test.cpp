#include "tests/ops/complex/complex_cases.h"

#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/trigonometry.h>

#include <cmath>

namespace minima::complex_arithmetic_test {
namespace {

using namespace test;

/// Numbers off the axes and off 0, where derivatives and branches are plain.
Draw off_axes() { return uniform({}, 0.3, 1.5); }

template <class F, class R>
OpCases unary(OpCases cases, F f, R reference, const std::string& python) {
  OpCases table = of_complex(std::move(cases));
  table.on(with_parts(f), complex_elementwise(reference)).pytorch(parts_in_python(python)).tolerance(4);
  return complex_inputs(table, off_axes());
}

template <class R>
OpCases binary(const char* name, Tensor (*f)(const Tensor&, const Tensor&), R reference) {
  OpCases table = of_complex(OpCases(std::string(name) + " complex"));
  table.on(with_parts(f), complex_elementwise(reference))
      .pytorch(parts_in_python(std::string("torch.") + name + "(z, w)", true))
      .tolerance(4);
  return two_complex_inputs(table, off_axes());
}

using One = Tensor (*)(const Tensor&);

OpCases numbers() {
  OpCases table = of_complex(OpCases("number complex"));
  table.on([](In in) { return parts(2 - (complex(in[0], in[1]) * 3 - 1) / 4 + 1 / complex(in[0], in[1])); },
           complex_elementwise([](C z) { return 2. - (z * 3. - 1.) / 4. + 1. / z; }));
  return complex_inputs(table, off_axes());
}

OpCases choices() {
  OpCases table = of_complex(OpCases("where complex"));
  table.on(
      [](In in) {
        const Tensor z = complex(in[0], in[1]), w = complex(in[2], in[3]);
        return parts(where(real(z) > real(w), z, w));
      },
      complex_elementwise([](C a, C b) { return a.real() > b.real() ? a : b; }));
  return two_complex_inputs(table, normal({}));
}

[[maybe_unused]] const bool cases[] = {
    numbers().check(),
    choices().check(),
    binary("add", add, [](C a, C b) { return a + b; }).check(),
    binary("sub", sub, [](C a, C b) { return a - b; }).check(),
    binary("mul", mul, [](C a, C b) { return a * b; }).check(),
    binary("div", div, [](C a, C b) { return a / b; }).check(),
    binary("pow", pow, [](C a, C b) { return std::pow(a, b); }).check(),
    unary(
        OpCases("neg complex"), One(neg), [](C z) { return -z; }, "-z")
        .check(),
    unary(
        OpCases("conj"), One(conj), [](C z) { return std::conj(z); }, "torch.conj_physical(z)")
        .check(),
    unary(
        OpCases("abs complex"), One(minima::abs), [](C z) { return std::abs(z); }, "torch.abs(z)")
        .check(),
    unary(
        OpCases("angle"), One(angle), [](C z) { return std::arg(z); }, "torch.angle(z)")
        .check(),
    unary(
        OpCases("sgn"), One(sgn), [](C z) { return z / std::abs(z); }, "torch.sgn(z)")
        .check(),
    unary(
        OpCases("square complex"), One(square), [](C z) { return z * z; }, "torch.square(z)")
        .check(),
    unary(
        OpCases("reciprocal complex"), One(reciprocal), [](C z) { return 1. / z; }, "torch.reciprocal(z)")
        .check(),
    unary(
        OpCases("exp complex"), One(minima::exp), [](C z) { return std::exp(z); }, "torch.exp(z)")
        .check(),
    unary(
        OpCases("log complex"), One(minima::log), [](C z) { return std::log(z); }, "torch.log(z)")
        .check(),
    unary(
        OpCases("sqrt complex"), One(minima::sqrt), [](C z) { return std::sqrt(z); }, "torch.sqrt(z)")
        .check(),
    unary(
        OpCases("sin complex"), One(minima::sin), [](C z) { return std::sin(z); }, "torch.sin(z)")
        .check(),
    unary(
        OpCases("cos complex"), One(minima::cos), [](C z) { return std::cos(z); }, "torch.cos(z)")
        .check(),
    unary(
        OpCases("tanh complex"), One(minima::tanh), [](C z) { return std::tanh(z); }, "torch.tanh(z)")
        .check(),
    unary(
        OpCases("sigmoid complex"), One(sigmoid), [](C z) { return 1. / (1. + std::exp(-z)); }, "torch.sigmoid(z)")
        .check(),
    unary(
        OpCases("real"), One(real), [](C z) { return z.real(); }, "z.real.clone()")
        .check(),
    unary(
        OpCases("imag"), One(imag), [](C z) { return z.imag(); }, "z.imag.clone()")
        .check(),
};

}  // namespace
}  // namespace minima::complex_arithmetic_test
