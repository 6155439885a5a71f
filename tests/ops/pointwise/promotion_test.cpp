#include "tests/support/device.h"

#include <minima/ops/complex/complex.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

// Functions of several tensors made of other operators: none of their parts is computed in the narrower dtype of one
// input. The result is that of the same numbers in float64, rounded to the promoted dtype.

namespace minima::promotion_test {
namespace {

using Tensors = std::vector<Tensor>;

struct Function {
  std::string name;
  int inputs;
  std::function<Tensor(const Tensors&)> call;
  bool takes_integers = false;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"xlogy", 2, [](const Tensors& in) { return xlogy(in[0], in[1]); }, true},
      {"logaddexp2", 2, [](const Tensors& in) { return logaddexp2(in[0], in[1]); }},
      {"ldexp", 2, [](const Tensors& in) { return ldexp(in[0], in[1]); }, true},
      {"lerp", 3, [](const Tensors& in) { return lerp(in[0], in[1], in[2]); }},
      {"addcmul", 3, [](const Tensors& in) { return addcmul(in[0], in[1], in[2], 0.3); }},
      {"addcdiv", 3, [](const Tensors& in) { return addcdiv(in[0], in[1], in[2], 0.3); }},
      {"clamp", 3, [](const Tensors& in) { return clamp(in[0], in[1], in[2]); }, true},
      {"fmax", 2, [](const Tensors& in) { return fmax(in[0], in[1]); }, true},
      {"hypot", 2, [](const Tensors& in) { return hypot(in[0], in[1]); }, true},
      {"xlog1py", 2, [](const Tensors& in) { return xlog1py(in[0], in[1]); }, true},
      {"dist", 2, [](const Tensors& in) { return dist(in[0], in[1]); }},
      {"pairwise_distance", 2, [](const Tensors& in) { return pairwise_distance(in[0], in[1]); }},
      {"cosine_similarity", 2, [](const Tensors& in) { return cosine_similarity(in[0], in[1], 0); }},
      {"cosine_embedding_loss", 2,
       [](const Tensors& in) {
         return cosine_embedding_loss(in[0], in[1], ones({}, {.dtype = int64, .device = in[0].device()}));
       }},
      {"gaussian_nll_loss", 3,
       [](const Tensors& in) { return gaussian_nll_loss(in[0], in[1], in[2], {.full = true}); }},
      {"poisson_nll_loss", 2, [](const Tensors& in) { return poisson_nll_loss(in[0], in[1], {.full = true}); }},
      {"sigmoid_focal_loss", 2, [](const Tensors& in) { return sigmoid_focal_loss(in[0], in[1] / 8); }},
      {"dice_loss", 2, [](const Tensors& in) { return dice_loss(unsqueeze(in[0] / 8, 0), unsqueeze(in[1] / 8, 0)); }},
      {"binary_cross_entropy_with_logits", 3,
       [](const Tensors& in) { return binary_cross_entropy_with_logits(in[0], in[1] / 8, {.pos_weight = in[2]}); }},
      {"binary_cross_entropy_with_logits, weight", 3,
       [](const Tensors& in) { return binary_cross_entropy_with_logits(in[0], in[1] / 8, {.weight = in[2]}); }},
      {"binary_cross_entropy", 3, [](const Tensors& in) { return binary_cross_entropy(in[0] / 8, in[1] / 8, in[2]); }},
      {"multilabel_soft_margin_loss", 2,
       [](const Tensors& in) { return multilabel_soft_margin_loss(in[0], in[1] / 8); }},
      {"multilabel_soft_margin_loss, weight", 3,
       [](const Tensors& in) { return multilabel_soft_margin_loss(in[0], in[1] / 8, {.weight = in[2]}); }},
      {"triplet_margin_loss", 3,
       [](const Tensors& in) { return triplet_margin_loss(in[0], in[1], in[2], {.swap = true}); }},
      {"margin_ranking_loss", 3,
       [](const Tensors& in) { return margin_ranking_loss(in[0], in[1], in[2], 0.3, Reduction::none); }},
      {"cross", 2, [](const Tensors& in) { return cross(narrow(in[0], 0, 0, 3), narrow(in[1], 0, 0, 3)); }},
      {"trapezoid", 2, [](const Tensors& in) { return trapezoid(in[0], in[1]); }}};
  return all;
}

double resolution(DType dtype) {
  switch (dtype) {
    case float16: return 0x1p-11;
    case bfloat16: return 0x1p-8;
    case float32: return 0x1p-24;
    default: return 0x1p-53;
  }
}

/// Numbers from 1 to 3 that the dtypes hold exactly, so that only the computation rounds.
Tensor numbers(int argument, DType dtype) {
  const std::vector<std::vector<double>> values{{1.25, 2, 3, 2.5}, {3, 2.75, 1.5, 2}, {1.5, 1.25, 2.5, 3}};
  const Tensor x = from_vector(values[static_cast<std::size_t>(argument)], {4});
  return (is_floating(dtype) ? x : floor(x)).to(dtype).to(test::test_device());
}

TEST(Promotion, NoPartOfAFormulaIsComputedInANarrowerDtype) {
  SKIP_WITHOUT_TEST_DEVICE();
  for (const Function& f : functions()) {
    for (const DType first : {float16, bfloat16, float32, float64, int32, int64}) {
      for (const DType second : {float16, bfloat16, float32, float64, int32}) {
        if ((!is_floating(first) || !is_floating(second)) && !f.takes_integers) continue;
        const Tensors in{numbers(0, first), numbers(1, second), numbers(2, first)};
        Tensors wide;
        for (const Tensor& x : in) wide.push_back(x.to(float64));
        DType expected = promote(first, second);
        if (!is_floating(expected) && f.name != "clamp" && f.name != "fmax") expected = float32;
        const Tensor y = f.call(in), exact = f.call(wide);
        EXPECT_EQ(y.dtype(), expected) << f.name << " of " << name(first) << " and " << name(second);
        const Tensor off = max(abs(y.to(float64) - exact) / clamp_min(abs(exact), 0.1));
        EXPECT_LE(off.item<double>(), (is_half(expected) ? 1.05 : 40) * resolution(expected))
            << f.name << " of " << name(first) << " and " << name(second);
      }
    }
  }
}

/// The gradient of a float64 input beside float16 ones is that of the same numbers in float64.
TEST(Promotion, NoPartOfAGradientIsComputedInANarrowerDtype) {
  SKIP_WITHOUT_TEST_DEVICE();
  std::vector<Function> all = functions();
  all.push_back({"pow", 2, [](const Tensors& in) { return pow(in[0], in[1] / 4); }});
  all.push_back({"atan2", 2, [](const Tensors& in) { return atan2(in[0], in[1]); }});
  all.push_back({"logaddexp", 2, [](const Tensors& in) { return logaddexp(in[0], in[1]); }});
  for (const Function& f : all) {
    for (int wide = 0; wide < f.inputs; ++wide) {
      Tensors mixed, same;
      for (int i = 0; i < 3; ++i) {
        const Tensor x = numbers(i, i == wide ? float64 : float16);
        mixed.push_back(x.detach().requires_grad(i == wide));
        same.push_back(x.to(float64).detach().requires_grad(i == wide));
      }
      sum(f.call(mixed)).backward();
      sum(f.call(same)).backward();
      const auto at = static_cast<std::size_t>(wide);
      if (!same[at].grad().defined()) continue;
      EXPECT_TRUE(allclose(mixed[at].grad(), same[at].grad(), {1e-13, 1e-13})) << f.name << " by input " << wide;
    }
  }
}

TEST(Promotion, AScalarTensorDoesNotWidenTheResult) {
  SKIP_WITHOUT_TEST_DEVICE();
  for (const Function& f : functions()) {
    const std::string of = f.name.substr(0, f.name.find('_'));
    if (f.name == "pairwise_distance" || f.name == "trapezoid" || f.name == "cross" ||
        (f.name.find("loss") != std::string::npos && of != "poisson") || of == "binary" || of == "cosine")
      continue;  // do not take scalars, or not there
    const Tensors in{numbers(0, float16), numbers(1, float64)[1], numbers(2, float16)};
    EXPECT_EQ(f.call(in).dtype(), float16) << f.name;
  }
}

TEST(Ldexp, HoldsWhatTwoToTheNDoesNot) {
  SKIP_WITHOUT_TEST_DEVICE();
  const auto of = [](std::vector<double> x, DType dtype, std::vector<std::int64_t> n) {
    const auto count = static_cast<std::int64_t>(x.size());
    return ldexp(from_vector(x, {count}).to(dtype).to(test::test_device()),
                 from_vector(n, {count}).to(test::test_device()));
  };
  EXPECT_EQ(of({1, 3, 1, 0x1p-1000, 0x1p-1074}, float64, {-1000, 200, -1074, 2000, 1100}).to_vector<double>(),
            (std::vector<double>{0x1p-1000, 0x1.8p201, 0x1p-1074, 0x1p1000, 0x1p26}));
  EXPECT_EQ(of({1, 0x1p-120, 0x1p100}, float32, {-149, 240, -249}).to_vector<float>(),
            (std::vector<float>{0x1p-149F, 0x1p120F, 0x1p-149F}));
  EXPECT_EQ(of({1.5, 1}, bfloat16, {7, 127}).dtype(), bfloat16);
  EXPECT_EQ(ldexp(tensor<double>({1.0}), tensor<double>({0.5})).item<double>(), std::exp2(0.5));
}

TEST(Xlogy, IsZeroAtZeroUnlessYIsNan) {
  SKIP_WITHOUT_TEST_DEVICE();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor y = tensor<double>({infinity, -infinity, -1, 0, 2}).to(test::test_device());
  EXPECT_EQ(xlogy(zeros_like(y), y).to_vector<double>(), std::vector<double>(5, 0.0));
  EXPECT_TRUE(std::isnan(xlogy(tensor<double>({0}), tensor<double>({NAN})).item<double>()));
}

TEST(Addcmul, OfIntegersMultipliesInTheWiderDtype) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor hundred = full({1}, 100, {.dtype = int8, .device = test::test_device()});
  EXPECT_EQ(addcmul(zeros({1}, {.dtype = int32, .device = test::test_device()}), hundred, hundred).item<int>(), 10000);
}

TEST(Clamp, ByTensorsKeepsWhatTheResultHolds) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = full({1}, 16777217, {.dtype = int64, .device = test::test_device()});
  const Tensor low = zeros({1}, {.device = test::test_device()});
  const Tensor high = full({1}, 1e9, {.dtype = float64, .device = test::test_device()});
  EXPECT_EQ(clamp(x, low, high).item<double>(), 16777217);
}

/// A complex scalar tensor raises integers to its own dtype, but floating tensors only to the complex one of theirs.
TEST(Promotion, AComplexScalarKeepsItsWidthWithIntegers) {
  const Tensor scalar = complex(scalar_tensor(1.0 / 3, {.dtype = float64}), scalar_tensor(0.0, {.dtype = float64}));
  for (const DType dtype : {boolean, uint8, int32, int64}) {
    const Tensor x = ones({1}, {.dtype = dtype});
    for (const Tensor& y : {add(x, scalar), mul(x, scalar), div(scalar, x), where(x != 0, scalar, x)})
      EXPECT_EQ(y.dtype(), complex128) << name(dtype);
    EXPECT_EQ(real(mul(x, scalar)).item<double>(), 1.0 / 3) << name(dtype);
  }
  EXPECT_EQ(add(ones({1}), scalar).dtype(), complex64);
  EXPECT_EQ(add(ones({1}, {.dtype = float64}), scalar).dtype(), complex128);
}

TEST(Rounding, SumsWithProductsOfHalfTypesAreRoundedOnce) {
  const auto wide = [](const Tensor& x) { return x.to(float64); };
  for (const DType dtype : {float16, bfloat16}) {
    const Tensor x = randn({2, 5, 4}).to(dtype), a = randn({2, 5, 60}).to(dtype), b = randn({2, 60, 4}).to(dtype);
    const Tensor exact = baddbmm(wide(x), wide(a), wide(b), 0.3, 0.7), y = baddbmm(x, a, b, 0.3, 0.7);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_LT(max(abs(wide(y) - exact) / clamp_min(abs(exact), 0.25)).item<double>(), 1.05 * resolution(dtype));
    const Tensor sums = addbmm(x[0], a, b);
    EXPECT_LT(max(abs(wide(sums) - addbmm(wide(x[0]), wide(a), wide(b)))).item<double>(), 40 * resolution(dtype));
  }
  EXPECT_THROW(addmm(ones({2, 2}), ones({2, 2}).to(bfloat16), ones({2, 2}).to(bfloat16)), DTypeError);
}

TEST(Rounding, FunctionsOfHalfTypesMadeOfOthersRoundOnce) {
  SKIP_WITHOUT_TEST_DEVICE();
  using Unary = std::function<Tensor(const Tensor&)>;
  const Tensor classes = tensor({2, 0, 3}).to(test::test_device());
  const Tensor listed = tensor({{2, 0, -1, 0}, {1, -1, 0, 0}, {3, 1, 2, 0}}).to(test::test_device());
  const std::vector<std::pair<const char*, Unary>> all{
      {"mvlgamma", [](const Tensor& x) { return mvlgamma(abs(x) + 2, 3); }},
      {"diff", [](const Tensor& x) { return diff(x, 3); }},
      {"gradient", [](const Tensor& x) { return gradient(x, {.spacing = {0.3}, .edge_order = 2})[1]; }},
      {"renorm", [](const Tensor& x) { return renorm(x, 2, 0, 0.7); }},
      {"soft_margin_loss", [](const Tensor& x) { return soft_margin_loss(x, x, Reduction::none); }},
      {"multi_margin_loss",
       [&](const Tensor& x) {
         return multi_margin_loss(x, classes, {.p = 2, .margin = 0.3, .reduction = Reduction::none});
       }},
      {"multilabel_margin_loss", [&](const Tensor& x) { return multilabel_margin_loss(x, listed, Reduction::none); }},
  };
  RandomGenerator generator(5);
  const Tensor numbers = randn({3, 4}, {}, &generator).to(test::test_device());
  for (const auto& [name, f] : all) {
    for (const DType dtype : {float16, bfloat16}) {
      // Eighths, so that what the table's functions compute before is exact.
      const Tensor x = (round(numbers * 8) / 8).to(dtype), y = f(x), exact = f(x.to(float64));
      EXPECT_EQ(y.dtype(), dtype) << name;
      EXPECT_LE(max(abs(y.to(float64) - exact) / clamp_min(abs(exact), 1e-3)).item<double>(), 1.05 * resolution(dtype))
          << name << " of " << str(dtype);
    }
  }
}

}  // namespace
}  // namespace minima::promotion_test
