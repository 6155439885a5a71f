#include "tests/support/device.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <vector>

// Real and imaginary parts, and complex numbers of pairs, are views: in-place changes and gradients go both ways.

namespace minima::complex_views_test {
namespace {

using test::message_of;

Tensor on_device(std::vector<double> values, const Shape& shape) {
  return from_vector(values, shape).to(test::test_device());
}
Tensor leaf(std::vector<double> values, const Shape& shape) {
  return on_device(std::move(values), shape).requires_grad(true);
}
std::vector<double> numbers(const Tensor& x) { return contiguous(x.detach()).to(Device()).to_vector<double>(); }
using Numbers = std::vector<double>;

class ComplexViews : public testing::Test {
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
};

TEST_F(ComplexViews, ShareTheirMemory) {
  const Tensor z = complex(on_device({1, 2}, {2}), on_device({3, 4}, {2}));
  const Tensor re = real(z), im = imag(z), both = view_as_real(z);
  mul_(re, 10);
  fill_(select(im, 0, 1), -7);
  EXPECT_EQ(numbers(both), Numbers({10, 3, 20, -7}));
  const Tensor again = view_as_complex(both);
  mul_(again, complex(on_device({0}, {}), on_device({1}, {})));
  EXPECT_EQ(numbers(re), Numbers({-3, 7}));
  EXPECT_EQ(numbers(im), Numbers({10, 20}));
  // Views of views: columns of a transposed matrix.
  const Tensor m = complex(on_device({1, 2, 3, 4, 5, 6}, {2, 3}), on_device({6, 5, 4, 3, 2, 1}, {2, 3}));
  const Tensor column = imag(select(transpose(m, 0, 1), 0, 2));
  zero_(column);
  EXPECT_EQ(numbers(imag(m)), Numbers({6, 5, 0, 3, 2, 0}));
  const Tensor rows = on_device({0, 0, 3, 4, 6, 8}, {3, 2});
  EXPECT_EQ(numbers(abs(view_as_complex(slice(rows, 0, 1)))), Numbers({5, 10}));
}

TEST_F(ComplexViews, ShareTheirVersion) {
  const Tensor a = leaf({1, 2}, {2}), z = complex(a, a);
  const Tensor y = z * z, part = imag(z.detach());
  mul_(part, 2);
  EXPECT_THROW(sum(real(y)).backward(), AutogradError);
}

TEST_F(ComplexViews, ChangesOfPartsReachTheGradientOfTheWhole) {
  const Tensor a = leaf({1, 2, 3}, {3}), b = leaf({4, 5, 6}, {3});
  const Tensor z = complex(a, b);
  mul_(imag(z), 3);
  sum(real(z * z)).backward();  // Σ a² - 9 b²
  EXPECT_EQ(numbers(a.grad()), Numbers({2, 4, 6}));
  EXPECT_EQ(numbers(b.grad()), Numbers({-72, -90, -108}));
}

TEST_F(ComplexViews, ChangesOfTheWholeReachEarlierParts) {
  const Tensor a = leaf({1, 2}, {2}), b = leaf({3, 4}, {2});
  const Tensor z = complex(a, b), re = real(z), both = view_as_real(z);
  mul_(z, complex(on_device({0}, {}), on_device({1}, {})));  // -b + i·a
  EXPECT_EQ(numbers(re), Numbers({-3, -4}));
  sum(re * 5 + select(both, -1, 1) * 7).backward();
  EXPECT_EQ(numbers(a.grad()), Numbers({7, 7}));
  EXPECT_EQ(numbers(b.grad()), Numbers({-5, -5}));
}

TEST_F(ComplexViews, ChangesOfComplexNumbersReachTheGradientOfTheirPairs) {
  const Tensor pairs = leaf({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  const Tensor x = pairs * 1;
  const Tensor z = view_as_complex(slice(x, 0, 1, 4, 2));
  mul_(z, complex(on_device({0}, {}), on_device({2}, {})));  // rows 1 and 3 become (-2 im, 2 re)
  EXPECT_EQ(numbers(x), Numbers({1, 2, -8, 6, 5, 6, -16, 14}));
  sum(x * on_device({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})).backward();
  EXPECT_EQ(numbers(pairs.grad()), Numbers({1, 2, 8, -6, 5, 6, 16, -14}));
}

TEST_F(ComplexViews, HaveGradientsOfSecondOrder) {
  const auto f = [](const std::vector<Tensor>& in) {
    const Tensor z = complex(in[0], in[1]);
    mul_(real(z), imag(z).detach() * 0 + 2);
    const Tensor pairs = view_as_real(z) * view_as_real(z);
    mul_(view_as_complex(pairs), z);
    return std::vector<Tensor>{sum(square(pairs), {1})};
  };
  const std::vector<Tensor> in{leaf({0.3, -0.7, 1.1}, {3}), leaf({0.9, 0.2, -0.4}, {3})};
  EXPECT_TRUE(gradcheck(f, in).ok);
  EXPECT_TRUE(gradgradcheck(f, in).ok);
}

TEST_F(ComplexViews, TakeGradientsThatBeginAtOddOffsets) {
  const Tensor z = complex(on_device({1, 2}, {2}), on_device({3, 4}, {2})).requires_grad(true);
  const Tensor slope = on_device({0, 1, 2, 3, 4}, {5});
  view_as_real(z).backward(reshape(slice(slope, 0, 1), {2, 2}));
  EXPECT_EQ(numbers(view_as_real(z.grad())), Numbers({1, 2, 3, 4}));
}

TEST_F(ComplexViews, RefuseWhatOnlyACopyCouldDo) {
  const Tensor x = tensor<double>({{1, 2}, {3, 4}});
  EXPECT_EQ(message_of<ValueError>([&] { view_as_complex(transpose(x, 0, 1)); }),
            "view_as_complex: needs pairs that are adjacent and begin at even offsets, got float64 [2, 2] with strides "
            "[1, 2] and offset 0; take contiguous() of it first");
  const Tensor odd = on_device({1, 2, 3, 4, 5}, {5});
  EXPECT_EQ(message_of<ValueError>([&] { view_as_complex(reshape(slice(odd.to(Device::cpu()), 0, 1), {2, 2})); }),
            "view_as_complex: needs pairs that are adjacent and begin at even offsets, got float64 [2, 2] with strides "
            "[2, 1] and offset 1; take clone() of it first");
  EXPECT_THROW(view_as_complex(as_strided(odd, {{2, 2}, {3, 1}, 0})), ValueError);
  const Tensor a = leaf({1, 2}, {1, 2});
  EXPECT_THROW(mul_(view_as_complex(a), 2), AutogradError);
}

}  // namespace
}  // namespace minima::complex_views_test
