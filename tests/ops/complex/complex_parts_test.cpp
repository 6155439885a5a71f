#include "tests/ops/complex/complex_cases.h"

#include "tests/support/device.h"

#include <minima/autograd/gradcheck.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/flip.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/pad.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/print.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace minima::complex_parts_test {
namespace {

using namespace test;
using Z = Complex<double>;

OpCases two_parts(OpCases table) {
  return table.dtypes(full_floating_dtypes())
      .without("hidden", "complex() and real() are operators, too")
      .without("random", "parts overflow where their products do");
}

std::vector<Doubles> interleaved(const std::vector<Doubles>& in) {
  const Shape shape = broadcast_all(in);
  const Doubles re = broadcast_to(in[0], shape), im = broadcast_to(in[1], shape);
  Shape doubled = shape;
  doubled.push_back(2);
  Doubles y(doubled);
  for (std::size_t i = 0; i < re.values.size(); ++i) {
    y.values[2 * i] = re.values[i];
    y.values[2 * i + 1] = im.values[i];
  }
  return {y};
}

/// Σ over the dimensions of [..., M, K] × [..., K, N] of complex numbers, for equal batches.
std::vector<Doubles> reference_matmul(const std::vector<Doubles>& in) {
  const Shape a = in[0].shape, b = in[2].shape;
  const std::int64_t m = a[a.rank() - 2], k = a.back(), n = b.back();
  Shape shape = a;
  shape[shape.rank() - 1] = n;
  Numbers y(static_cast<std::size_t>(numel(shape)));
  const Numbers x = numbers_of(in[0], in[1]), w = numbers_of(in[2], in[3]);
  const std::int64_t batch = m * n == 0 ? 0 : numel(shape) / (m * n);
  for (std::int64_t i = 0; i < batch * m * n; ++i)
    for (std::int64_t j = 0; j < k; ++j)
      y[static_cast<std::size_t>(i)] +=
          x[static_cast<std::size_t>(i / n * k + j)] * w[static_cast<std::size_t>(((i / (m * n)) * k + j) * n + i % n)];
  return both_parts(shape, y);
}

/// Pairs as view_as_complex takes them: not apart, and not at an odd offset.
Tensor adjacent(const Tensor& x) {
  if (!x.defined()) return x;
  return contiguous(x.layout().offset % 2 == 0 ? x : clone(x));
}

[[maybe_unused]] const bool cases[] = {
    two_parts(OpCases("complex"))
        .on([](In in) { return view_as_real(complex(in[0], in[1])); }, Reference(interleaved))
        .pytorch("lambda a, b: torch.view_as_real(torch.complex(*torch.broadcast_tensors(a, b)))")
        .pointwise_inputs(2, {}, false)
        .error<DTypeError>([] { complex(sized({2}, float64), sized({2})); },
                           "complex: dtypes differ: float64 [2] and float32 [2]; convert one with to()")
        .error<DTypeError>([] { complex(sized({2}, int64), sized({2})); },
                           "complex: needs float32 or float64, got int64 [2]; convert it with to()")
        .error<ShapeError>([] { complex(sized({2}), sized({3})); },
                           "complex: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check(),
    two_parts(OpCases("polar"))
        .on([](In in) { return parts(polar(in[0], in[1])); },
            [](const std::vector<Doubles>& in) {
              const Shape shape = broadcast_all(in);
              Numbers y = numbers_of(broadcast_to(in[0], shape), broadcast_to(in[1], shape));
              for (C& z : y) z = z.real() * C(std::cos(z.imag()), std::sin(z.imag()));
              return both_parts(shape, y);
            })
        .pytorch("lambda a, b: (lambda y: (y.real, y.imag))(torch.polar(*torch.broadcast_tensors(a, b)))")
        .without("large", "those of its operators")
        .inputs(uniform({3, 4}, 0.3, 1.5), normal({3, 4}))  // PyTorch's gradient takes abs to be positive
        .inputs(uniform({3, 1}, 0.3, 1.5), normal({4}))
        .inputs(uniform({}, 0.3, 1.5), normal({}))
        .inputs(uniform({0, 2}, 0.3, 1.5), normal({0, 2}))
        .inputs(uniform({2, 3, 2, 2}, 0.3, 1.5), normal({2, 3, 2, 2}))
        .error<DTypeError>([] { polar(sized({2}, int64), sized({2})); },
                           "polar: needs float32 or float64, got int64 [2]; convert it with to()")
        .error<ShapeError>([] { polar(sized({2}), sized({3})); },
                           "polar: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check(),
    two_parts(OpCases("view_as_complex"))
        .on([](In in) { return parts(view_as_complex(adjacent(in[0]))); },
            [](const std::vector<Doubles>& in) {
              Shape shape = in[0].shape;
              shape.resize(shape.rank() - 1);
              Doubles re(shape), im(shape);
              for (std::size_t i = 0; i < re.values.size(); ++i)
                re.values[i] = in[0].values[2 * i], im.values[i] = in[0].values[2 * i + 1];
              return std::vector<Doubles>{re, im};
            })
        .pytorch("lambda x: (lambda y: (y.real, y.imag))(torch.view_as_complex(x.contiguous()))")
        .inputs(normal({3, 2}))
        .inputs(normal({2}))
        .inputs(normal({0, 2}))
        .inputs(normal({2, 3, 1, 2}))
        .inputs(normal({150, 150, 2}))
        .error<DTypeError>([] { view_as_complex(sized({2}, int64)); },
                           "view_as_complex: needs float32 or float64, got int64 [2]; convert it with to()")
        .error<ShapeError>([] { view_as_complex(sized({2, 3})); },
                           "view_as_complex: the last dimension must have size 2, got float32 [2, 3]")
        .check(),
    of_complex(OpCases("view_as_real"))
        .on([](In in) { return view_as_real(complex(in[0], in[1]) * 1); }, Reference(interleaved))
        .without("large", "that of complex has them")
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({}), normal({}))
        .inputs(normal({0, 2}), normal({0, 2}))
        .inputs(normal({2, 3, 1, 4}), normal({2, 3, 1, 4}))
        .check(),
    of_complex(OpCases("matmul complex"))
        .on(with_parts(matmul), Reference(reference_matmul))
        .tolerance(8)
        .pytorch(parts_in_python("z @ w", true))
        .inputs(normal({3, 4}), normal({3, 4}), normal({4, 2}), normal({4, 2}))
        .inputs(normal({2, 3, 2}), normal({2, 3, 2}), normal({2, 2, 3}), normal({2, 2, 3}))
        .inputs(normal({0, 2}), normal({0, 2}), normal({2, 3}), normal({2, 3}))
        .inputs(normal({120, 90}), normal({120, 90}), normal({90, 130}), normal({90, 130}))
        .check(),
    of_complex(OpCases("sum complex"))
        .on([](In in) { return parts(sum(complex(in[0], in[1]), {1}, true) + mean(complex(in[0], in[1]), {1}, true)); },
            [](const std::vector<Doubles>& in) {
              std::vector<Doubles> y;
              for (const Doubles& x : in) {
                y.push_back(fold(x, {1}, true, 0, [](double a, double b) { return a + b; }));
                for (double& each : y.back().values) each += each / static_cast<double>(x.shape[1]);
              }
              return y;
            },
            "and mean over dimension 1")
        .pytorch(parts_in_python("z.sum(1, True) + z.mean(1, True)"))
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({2, 3, 2, 2}), normal({2, 3, 2, 2}))
        .inputs(normal({0, 3}), normal({0, 3}))
        .without("large", "the sums of real numbers that it is made of have them")
        .check(),
};

const Tensor z3 = from_vector<Z>({{1, 2}, {-3, 0.5}, {0, -1}}, {3});

TEST(Complex, DtypesPromoteAsInPyTorch) {
  EXPECT_EQ(promote(complex64, float64), complex128);
  EXPECT_EQ(promote(complex64, float32), complex64);
  EXPECT_EQ(promote(int64, complex64), complex64);
  EXPECT_EQ(promote(complex64, complex128), complex128);
  EXPECT_EQ(promote(complex64, Scalar(2.5)), complex64);
  EXPECT_EQ(size_of(complex64), sizeof(Complex<float>));
  EXPECT_EQ(size_of(complex128), sizeof(Complex<double>));
  const Tensor wide = ones({2}, {.dtype = float64}), one = scalar_tensor(1, {.dtype = complex64});
  EXPECT_EQ((wide * one).dtype(), complex128);  // a scalar raises the category, not the width
  EXPECT_EQ((ones({2}, {.dtype = complex64}) * scalar_tensor(1, {.dtype = complex128})).dtype(), complex64);
  EXPECT_EQ((ones({2}, {.dtype = int64}) + ones({2}, {.dtype = complex64})).dtype(), complex64);
  EXPECT_FALSE(is_floating(complex64));
}

TEST(Complex, PrintsBothParts) {
  EXPECT_EQ(to_string(z3), "[ 1.0000+2.0000j, -3.0000+0.5000j,  0.0000-1.0000j]  complex128 [3]");
  EXPECT_EQ(to_string(ones({2}, {.dtype = complex64})), "[1.+0.j, 1.+0.j]  complex64 [2]");
}

TEST(Complex, CopiesAnyLayoutAndDtype) {
  const Tensor z = complex(randn({40, 33}, {.dtype = float64}), randn({40, 33}, {.dtype = float64}));
  const Tensor turned = contiguous(transpose(z, 0, 1));
  EXPECT_TRUE(allclose(transpose(view_as_real(turned), 0, 1), view_as_real(z), {0, 0}).ok);
  EXPECT_TRUE(allclose(z.to(complex64).to(complex128), z, {1e-6, 0}).ok);
  EXPECT_TRUE(allclose(real(real(z).to(complex64)), real(z).to(float32), {0, 0}).ok);
  EXPECT_TRUE(allclose(imag(real(z).to(complex64)), zeros({40, 33}), {0, 0}).ok);
  const Tensor strided = slice(z, 1, 1, 33, 3);
  EXPECT_TRUE(allclose(real(clone(strided)), slice(real(z), 1, 1, 33, 3), {0, 0}).ok);
  EXPECT_TRUE(allclose(real(cat({z, z}, 1)), cat({real(z), real(z)}, 1), {0, 0}).ok);
  EXPECT_TRUE(allclose(imag(pad(z, {1, 2, -3, 1})), pad(imag(z), {1, 2, -3, 1}), {0, 0}).ok);
  EXPECT_TRUE(allclose(imag(roll(z, 5, 1)), roll(imag(z), 5, 1), {0, 0}).ok);
  EXPECT_TRUE(allclose(imag(expand(slice(z, 1, 0, 1), {40, 6}) * 2), expand(slice(imag(z), 1, 0, 1), {40, 6}) * 2).ok);
}

TEST(Complex, ChangesInPlace) {
  const Tensor z = clone(z3);
  z[0] = 4;
  slice(z, 0, 1) *= z3[0];
  EXPECT_TRUE(allclose(z, from_vector<Z>({{4, 0}, {-4, -5.5}, {2, -1}}, {3})).ok);
  add_(z, ones({3}));
  div_(z, 2);
  EXPECT_TRUE(allclose(z, from_vector<Z>({{2.5, 0}, {-1.5, -2.75}, {1.5, -0.5}}, {3})).ok);
  const Tensor x = ones({3}, {.dtype = float64});
  EXPECT_THROW(mul_(x, z3), DTypeError);
  EXPECT_THROW(copy_(x, z3), DTypeError);
}

TEST(Complex, ComparesBothParts) {
  EXPECT_EQ((z3 == from_vector<Z>({{1, 2}, {-3, 0}, {1, -1}}, {3})).to_vector<bool>(),
            (std::vector<bool>{true, false, false}));
  EXPECT_EQ((z3 != Scalar(1)).to_vector<bool>(), (std::vector<bool>{true, true, true}));
}

TEST(Complex, AngleAndSignAreZeroAtZero) {
  Tensor zero = zeros({1}, {.dtype = complex128});
  EXPECT_EQ(sgn(zero).item<Z>(), Z(0));
  zero.requires_grad(true);
  sum(abs(zero)).backward();
  EXPECT_EQ(zero.grad().item<Z>(), Z(0));
  EXPECT_TRUE(allclose(angle(tensor<double>({-2, 0, 3})), tensor<double>({std::numbers::pi, 0, 0})).ok);
}

TEST(Complex, GradientsFollowPyTorchsConvention) {
  Tensor z = clone(z3), w = tensor<double>({1, 2, 3});
  z.requires_grad(true);
  w.requires_grad(true);
  sum(square(abs(z))).backward();  // |z|² has the gradient 2z
  EXPECT_TRUE(allclose(z.grad(), z3 * 2).ok);
  z.zero_grad();
  sum(real(z * w * z3)).backward();
  EXPECT_TRUE(allclose(z.grad(), conj(z3 * w.detach())).ok);
  EXPECT_TRUE(allclose(w.grad(), real(z3 * z3)).ok) << "a real input gets the real part";
  EXPECT_THROW(sum(z).backward(), AutogradError);
}

/// z² with a gradient that lacks the conjugate.
struct Wrong {
  static constexpr Traits traits{.name = "wrong"};
  TensorSpec result(const Tensor& z) const { return spec_like(z); }
  void cpu(const Tensor& z, Tensor& y) const { copy_(y, z * z); }
  Tensor gradient(Grad g, Input<0> z) const { return g * 2 * z; }
};

TEST(Complex, GradcheckSeesConjugateMistakes) {
  const Tensor x = clone(z3).requires_grad(true);
  EXPECT_TRUE(gradcheck([](auto& in) { return std::vector{exp(in[0]) * conj(in[0])}; }, {x}).ok);
  EXPECT_TRUE(gradgradcheck([](auto& in) { return std::vector{exp(in[0]) * conj(in[0])}; }, {x}).ok);
  EXPECT_FALSE(gradcheck([](auto& in) { return std::vector{apply(Wrong{}, in[0])}; }, {x}).ok);
}

TEST(Complex, MatmulTakesVectorsAndBroadcasts) {
  const auto draw = [](const Shape& shape) {
    return complex(randn(shape, {.dtype = float64}), randn(shape, {.dtype = float64})).requires_grad(true);
  };
  const std::pair<Shape, Shape> shapes[] = {{{3}, {3}}, {{2, 3}, {3}}, {{3}, {2, 3, 2}}, {{2, 2, 3}, {3, 2}}};
  for (const auto& [a, b] : shapes) {
    const Tensor x = draw(a), y = draw(b);
    EXPECT_TRUE(gradcheck([](auto& in) { return std::vector{matmul(in[0], in[1])}; }, {x, y}).ok);
    const Tensor xd = x.detach(), yd = y.detach();
    EXPECT_TRUE(allclose(real(matmul(xd, yd)), matmul(real(xd), real(yd)) - matmul(imag(xd), imag(yd))).ok);
  }
}

TEST(Complex, RefusesWhatHasNoComplexForm) {
  try {
    softmax(z3, 0);
    ADD_FAILURE() << "did not throw";
  } catch (const DTypeError& error) {
    EXPECT_NE(std::string(error.what()).find("softmax"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("complex128"), std::string::npos) << error.what();
  }
  EXPECT_THROW(z3 < z3, DTypeError);
  EXPECT_THROW(maximum(z3, z3), DTypeError);
  EXPECT_THROW(z3.to(float64), DTypeError);
  EXPECT_THROW(z3.to_vector<double>(), DTypeError);
  EXPECT_THROW(imag(ones({2})), DTypeError);
  EXPECT_THROW(view_as_real(ones({2})), DTypeError);
  EXPECT_THROW(matmul(z3, ones({3})), DTypeError);
  EXPECT_TRUE(real(ones({2})).defined());
}

/// Small products and large ones are computed in two ways; batches broadcast in both, and operands have any layout.
TEST(ComplexMatmul, OfAnySizeIsThatOfTheParts) {
  for (const std::int64_t size : {9, 70}) {
    const auto random = [&](const Shape& shape) {
      return complex(randn(shape, {.dtype = float64}), randn(shape, {.dtype = float64}));
    };
    const Tensor x = transpose(random({2, 1, 70, size}), -1, -2),
                 y = conj(transpose(random({3, size + 1, 70}), -1, -2));
    const Tensor product = matmul(x, y);
    const auto part = [&](const Tensor& a, const Tensor& b) { return matmul(a, b); };
    EXPECT_TRUE(allclose(real(product), part(real(x), real(y)) - part(imag(x), imag(y))).ok);
    EXPECT_TRUE(allclose(imag(product), part(real(x), imag(y)) + part(imag(x), real(y))).ok);
  }
}

}  // namespace
}  // namespace minima::complex_parts_test
