#include <minima/ops/elementwise/elementwise.h>

#include "tests/ops/checks/composed.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::elementwise_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32.
OpCases real(OpCases cases) { return composed(std::move(cases)).dtypes(all_dtypes()).result_dtype(floating_dtype); }
OpCases logical(OpCases cases) {
  return composed(std::move(cases)).dtypes(all_dtypes()).result_dtype(always<boolean>).no_gradient();
}

constexpr double pi = 3.141592653589793;

[[maybe_unused]] const bool weighted_lerp_cases =
    composed(OpCases("lerp weight"))
        .on([](In in) { return lerp(in[0], in[1], in[2]); }, elementwise([](double a, double b, double w) {
              return w < 0.5 && w > -0.5 ? a + w * (b - a) : b - (b - a) * (1 - w);
            }))
        .pytorch("torch.lerp")
        .inputs(normal({3, 4}), normal({3, 4}), uniform({3, 4}, 0, 1))
        .inputs(normal({3, 4}), normal({4}), uniform({3, 1}, 0, 1))
        .inputs(normal({0, 4}), normal({4}), uniform({}, 0, 1))
        .error<ShapeError>([] { lerp(sized({2}), sized({2}), sized({3})); },
                           "lerp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { lerp(sized({2}, int64), sized({2}, int64), sized({2}, int64)); },
                           "lerp: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool addcmul_cases =
    composed(OpCases("addcmul"))
        .dtypes(numeric_dtypes())
        .tolerance(4)
        .on([](In in) { return addcmul(in[0], in[1], in[2], 2); },
            elementwise([](double x, double a, double b) { return x + 2 * a * b; }))
        .pytorch("lambda x, a, b: torch.addcmul(x, a, b, value=2)")
        .inputs(whole({3, 4}, -4, 5), whole({3, 4}, -4, 5), whole({3, 4}, -4, 5))
        .inputs(whole({3, 1}, -4, 5), whole({4}, -4, 5), whole({}, -4, 5))
        .inputs(normal({0, 4}), normal({4}), normal({}))
        .error<ShapeError>([] { addcmul(sized({2}), sized({2}), sized({3})); },
                           "addcmul: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { addcmul(sized({2}, boolean), sized({2}), sized({2})); },
                           "addcmul: needs tensors of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool addcdiv_cases =
    composed(OpCases("addcdiv"))
        .tolerance(4)
        .on([](In in) { return addcdiv(in[0], in[1], in[2], 2); },
            elementwise([](double x, double a, double b) { return x + 2 * (a / b); }))
        .pytorch("lambda x, a, b: torch.addcdiv(x, a, b, value=2)")
        .inputs(uniform({3, 4}, 1, 4), uniform({3, 4}, 1, 4), uniform({3, 4}, 1, 4))
        .inputs(uniform({3, 1}, 1, 4), uniform({4}, 1, 4), uniform({}, 1, 4))
        .inputs(uniform({0, 4}, 1, 4), uniform({4}, 1, 4), uniform({}, 1, 4))
        .error<ShapeError>([] { addcdiv(sized({2}), sized({2}), sized({3})); },
                           "addcdiv: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { addcdiv(sized({2}, int64), sized({2}, int64), sized({2}, int64)); },
                           "addcdiv: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool clamp_tensors_cases =
    composed(OpCases("clamp tensors"))
        .dtypes(all_dtypes())
        .on([](In in) { return clamp(in[0], in[1], in[2]); },
            elementwise([](double x, double low, double high) { return std::fmin(std::fmax(x, low), high); }), "both")
        .pytorch("torch.clamp")
        .inputs(distinct({3, 4}), given({1}, {-0.3}), given({4}, {0.2, 0.3, 0.4, -1}))
        .inputs(distinct({0, 4}), given({1}, {-0.3}), given({4}, {0.2, 0.3, 0.4, -1}))
        .on([](In in) { return clamp(in[0], Tensor(), in[1]); },
            elementwise([](double x, double high) { return std::fmin(x, high); }), "high")
        .inputs(distinct({3, 4}), given({1}, {0.3}))
        .optional_input(1)
        .optional_input(2)
        .error<ShapeError>([] { clamp(sized({2}), sized({3}), Tensor()); },
                           "clamp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool sinc_cases =
    real(OpCases("sinc"))
        .without("errors", "takes every tensor")
        .on([](In in) { return sinc(in[0]); },
            elementwise([](double x) { return x == 0 ? 1 : std::sin(pi * x) / (pi * x); }))
        .pytorch("torch.sinc")
        .inputs(uniform({3, 4}, 0.1, 0.9))
        .inputs(normal({0, 4}))
        .inputs(given({2}, {0, 0.5}).constant())
        .check();

[[maybe_unused]] const bool xlogy_cases =
    real(OpCases("xlogy"))
        .on([](In in) { return xlogy(in[0], in[1]); },
            elementwise([](double x, double y) { return x == 0 && !std::isnan(y) ? 0 : x * std::log(y); }))
        .pytorch("lambda x, y: torch.xlogy(x, y.detach())")
        .inputs(uniform({3, 4}, 1, 3), uniform({4}, 1, 4))
        .inputs(normal({0, 4}), normal({4}))
        .inputs(given({4}, {0, 0, 1, 0}).constant(), given({4}, {0, -1, 2, 3}).constant())
        .error<ShapeError>([] { xlogy(sized({2}), sized({3})); },
                           "xlogy: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool logit_cases =
    real(OpCases("logit"))
        .without("errors", "takes every tensor")
        .tolerance(8)
        .on([](In in) { return logit(in[0]); }, elementwise([](double x) { return std::log(x / (1 - x)); }))
        .pytorch("torch.logit")
        .inputs(uniform({3, 4}, 0.1, 0.4))
        .inputs(normal({0, 4}))
        .on([](In in) { return logit(in[0], 0.25); },
            elementwise([](double x) { return std::log(std::clamp(x, 0.25, 0.75) / (1 - std::clamp(x, 0.25, 0.75))); }),
            "eps")
        .pytorch("lambda x: torch.logit(x, 0.25)")
        .inputs(uniform({3, 4}, 0, 1))
        .on([](In in) { return logit(in[0], 0.6); },
            elementwise([](double x) { return (x < 0.6 ? 1 : -1) * std::log(0.6 / 0.4); }), "eps above a half")
        .inputs(given({4}, {0.3, 0.5, 0.7, 0.9}))
        .check();

[[maybe_unused]] const bool logaddexp2_cases =
    composed(OpCases("logaddexp2"))
        .tolerance(4)
        .on([](In in) { return logaddexp2(in[0], in[1]); },
            elementwise([](double a, double b) { return std::log2(std::exp2(a) + std::exp2(b)); }))
        .pytorch("torch.logaddexp2")
        .inputs(uniform({3, 4}, 1, 3), uniform({4}, 1, 3))
        .inputs(normal({0, 4}), normal({4}))
        .error<ShapeError>([] { logaddexp2(sized({2}), sized({3})); },
                           "logaddexp2: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { logaddexp2(sized({2}, int64), sized({2}, int64)); },
                           "logaddexp2: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool ldexp_cases =
    real(OpCases("ldexp"))
        .on([](In in) { return ldexp(in[0], in[1]); }, elementwise([](double x, double n) { return x * std::exp2(n); }))
        .pytorch("torch.ldexp")
        .inputs(normal({3, 4}), whole({4}, 0, 5))
        .inputs(normal({0, 4}), whole({4}, 0, 5))
        .error<ShapeError>([] { ldexp(sized({2}), sized({3})); },
                           "ldexp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool deg2rad_cases =
    real(OpCases("deg2rad"))
        .without("errors", "takes every tensor")
        .on([](In in) { return deg2rad(in[0]); }, elementwise([](double x) { return x * (pi / 180); }))
        .pytorch("torch.deg2rad")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .check();
[[maybe_unused]] const bool rad2deg_cases =
    real(OpCases("rad2deg"))
        .without("errors", "takes every tensor")
        .on([](In in) { return rad2deg(in[0]); }, elementwise([](double x) { return x * (180 / pi); }))
        .pytorch("torch.rad2deg")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .check();

[[maybe_unused]] const bool tanhshrink_cases =
    composed(OpCases("tanhshrink"))
        .on([](In in) { return tanhshrink(in[0]); }, elementwise([](double x) { return x - std::tanh(x); }))
        .pytorch("F.tanhshrink")
        .inputs(uniform({3, 4}, 1, 4))
        .inputs(normal({0}))
        .error<DTypeError>([] { tanhshrink(sized({2}, int64)); },
                           "tanhshrink: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool threshold_cases =
    composed(OpCases("threshold"))
        .dtypes(all_dtypes())
        .on([](In in) { return threshold(in[0], 0, 1); }, elementwise([](double x) { return x > 0 ? x : 1; }))
        .pytorch("lambda x: F.threshold(x, 0, 1)")
        .inputs(given({2, 3}, {-1, 2, -3, 0.5, -0.25, 1}))
        .inputs(normal({0}))
        .error<ValueError>([] { threshold(sized({2}, uint8), 0, 300); },
                           "threshold: uint8 cannot hold 300; choose another value or dtype")
        .check();

[[maybe_unused]] const bool nan_to_num_cases =
    composed(OpCases("nan_to_num"))
        .dtypes(all_dtypes())
        .without("errors", "takes every tensor")
        .on([](In in) { return nan_to_num(in[0], {.nan = 2, .posinf = 3, .neginf = -4}); },
            elementwise([](double x) { return std::isnan(x)   ? 2
                                              : std::isinf(x) ? (x > 0 ? 3 : -4)
                                                              : x; }), "given")
        .pytorch("lambda x: torch.nan_to_num(x, 2, 3, -4)")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .on([](In in) { return nan_to_num(in[0]); }, elementwise([](double x) { return x; }), "largest")
        .pytorch("torch.nan_to_num")
        .inputs(normal({3, 4}))
        .check();

TEST(NanToNum, ReplacesInfinitiesByTheLargestNumberOfTheDtype) {
  for (const DType dtype : {float16, bfloat16, float32, float64}) {
    const Tensor y = nan_to_num(full({1}, INFINITY, {.dtype = dtype}));
    EXPECT_TRUE(std::isfinite(y.item<double>())) << name(dtype);
    EXPECT_TRUE(std::isinf((y * 1.01).item<double>())) << name(dtype);
    EXPECT_EQ(nan_to_num(full({1}, -INFINITY, {.dtype = dtype})).item<double>(), -y.item<double>()) << name(dtype);
  }
}

[[maybe_unused]] const bool fmax_cases =
    composed(OpCases("fmax"))
        .dtypes(all_dtypes())
        .on([](In in) { return fmax(in[0], in[1]); }, elementwise([](double a, double b) { return std::fmax(a, b); }))
        .pytorch("torch.fmax")
        .inputs(distinct({3, 4}), distinct({4}))
        .inputs(distinct({0}), distinct({}))
        .inputs(specials(), normal({}))
        .error<ShapeError>([] { fmax(sized({2}), sized({3})); },
                           "fmax: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();
[[maybe_unused]] const bool fmin_cases =
    composed(OpCases("fmin"))
        .dtypes(all_dtypes())
        .on([](In in) { return fmin(in[0], in[1]); }, elementwise([](double a, double b) { return std::fmin(a, b); }))
        .pytorch("torch.fmin")
        .inputs(distinct({3, 4}), distinct({4}))
        .inputs(distinct({0}), distinct({}))
        .error<ShapeError>([] { fmin(sized({2}), sized({3})); },
                           "fmin: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool heaviside_cases =
    composed(OpCases("heaviside"))
        .dtypes(all_dtypes())
        .no_gradient()
        .on([](In in) { return heaviside(in[0], in[1]); }, elementwise([](double x, double v) {
              return x == 0 ? v : x < 0 ? 0.0 : 1.0;
            }))
        .inputs(whole({3, 4}, -2, 3), normal({4}))
        .inputs(normal({0}), normal({}))
        .inputs(specials(), normal({}))
        .error<ShapeError>([] { heaviside(sized({2}), sized({3})); },
                           "heaviside: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>(
            [] { heaviside(sized({2}), sized({2}, int64)); },
            "heaviside: needs two tensors of one dtype, got float32 [2] and int64 [2]; convert them with to()")
        .check();

[[maybe_unused]] const bool isinf_cases =
    logical(OpCases("isinf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return isinf(in[0]); }, elementwise([](double x) { return std::isinf(x) ? 1.0 : 0.0; }))
        .pytorch("torch.isinf")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .check();
[[maybe_unused]] const bool isposinf_cases =
    logical(OpCases("isposinf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return isposinf(in[0]); },
            elementwise([](double x) { return x > 0 && std::isinf(x) ? 1.0 : 0.0; }))
        .pytorch("torch.isposinf")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .check();
[[maybe_unused]] const bool isneginf_cases =
    logical(OpCases("isneginf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return isneginf(in[0]); },
            elementwise([](double x) { return x < 0 && std::isinf(x) ? 1.0 : 0.0; }))
        .pytorch("torch.isneginf")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .check();

[[maybe_unused]] const bool isclose_cases =
    logical(OpCases("isclose"))
        .on([](In in) { return isclose(in[0], in[1], {.rtol = 0.25, .atol = 0.5}); },
            elementwise([](double a, double b) {
              return a == b || (std::isfinite(a - b) && std::fabs(a - b) <= 0.5 + 0.25 * std::fabs(b)) ? 1.0 : 0.0;
            }),
            "not NaN")
        .pytorch("lambda a, b: torch.isclose(a, b, 0.25, 0.5)")
        .inputs(whole({3, 4}, -4, 5), whole({3, 4}, -4, 5))
        .inputs(normal({0}), normal({}))
        .inputs(specials(), specials())
        .on([](In in) { return isclose(in[0], in[1], {.equal_nan = true}); },
            elementwise([](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)) ? 1.0 : 0.0; }),
            "NaN")
        .inputs(given({4}, {1, 2, -3, 4}), given({4}, {1, 3, -3, 7}))
        .error<ShapeError>([] { isclose(sized({2}), sized({3})); },
                           "isclose: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>(
            [] { isclose(sized({2}), sized({2}, int64)); },
            "isclose: needs two tensors of one dtype, got float32 [2] and int64 [2]; convert them with to()")
        .error<ValueError>([] { isclose(sized({2}), sized({2}), {.rtol = -1}); },
                           "isclose: tolerances must not be negative, got rtol -1 and atol 1e-08")
        .check();

[[maybe_unused]] const bool logical_xor_cases =
    logical(OpCases("logical_xor"))
        .on([](In in) { return logical_xor(in[0], in[1]); },
            elementwise([](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }))
        .pytorch("torch.logical_xor")
        .inputs(whole({3, 4}, 0, 2), whole({4}, 0, 2))
        .inputs(normal({0}), normal({}))
        .inputs(specials(), specials())
        .error<ShapeError>([] { logical_xor(sized({2}), sized({3})); },
                           "logical_xor: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

/// The derivative of sin(πx) / πx is -π²x / 3 + π⁴x³ / 30 - π⁶x⁵ / 840 + π⁸x⁷ / 45360 - …
TEST(Sinc, HasExactGradientsNearZero) {
  const std::vector<double> places{0, 1e-40, -1e-20, 1e-8, 1e-3, 0.01};
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor x = from_vector(places, {6}).to(dtype).requires_grad(true);
    const std::vector<double> slopes = grad({sum(sinc(x))}, {x})[0].to_vector<double>();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double a = x[static_cast<std::int64_t>(i)].item<double>(), square = a * a * M_PI * M_PI;
      const double exact = -M_PI * M_PI * a / 3 * (1 - square / 10 * (1 - square / 28 * (1 - square / 54)));
      const double tolerance = dtype == DType::float32 ? 1e-6 : 1e-14;
      EXPECT_NEAR(slopes[i], exact, tolerance * std::abs(exact) + 1e-43) << a;
    }
  }
  const Tensor x = from_vector(std::vector<double>{0, 0.1, 0.159154, 0.159156, 0.3}, {5}).requires_grad(true);
  const Tensor second = grad({sum(grad({sum(sinc(x))}, {x}, {}, {.create_graph = true})[0])}, {x})[0];
  EXPECT_NEAR(second[0].item<double>(), -M_PI * M_PI / 3, 1e-14);
  EXPECT_NEAR(second[2].item<double>(), second[3].item<double>(), 1e-4);
}

}  // namespace
}  // namespace minima::elementwise_test
