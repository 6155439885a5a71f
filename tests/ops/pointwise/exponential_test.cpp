#include <minima/ops/pointwise/exponential.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace minima::exponential_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases;
}

[[maybe_unused]] const bool exp_cases =
    real(OpCases("exp"))
        .autocast("float32")
        .on([](In in) { return exp(in[0]); }, elementwise([](double x) { return std::exp(x); }))
        .pytorch("torch.exp")
        .pointwise_inputs(1)
        .error<DTypeError>(
            [] { exp_(zeros({2}, {.dtype = DType::int64})); },
            "exp_: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .error<ValueError>([] { exp_(Tensor()); }, "exp_: argument 0 is undefined")
        .check();

[[maybe_unused]] const bool expm1_cases =
    real(OpCases("expm1"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return expm1(in[0]); }, elementwise([](double x) { return std::expm1(x); }))
        .pytorch("torch.expm1")
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool log_cases =
    real(OpCases("log"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log(in[0]); }, elementwise([](double x) { return std::log(x); }))
        .pytorch("torch.log")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool log1p_cases =
    real(OpCases("log1p"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log1p(in[0]); }, elementwise([](double x) { return std::log1p(x); }))
        .pytorch("torch.log1p")
        .pointwise_inputs(1, uniform({}, 0.1, 5))
        .check();

[[maybe_unused]] const bool sqrt_cases =
    real(OpCases("sqrt"))
        .on([](In in) { return sqrt(in[0]); }, elementwise([](double x) { return std::sqrt(x); }))
        .pytorch("torch.sqrt")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .error<DTypeError>(
            [] { sqrt_(zeros({2}, {.dtype = DType::int64})); },
            "sqrt_: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .check();

[[maybe_unused]] const bool rsqrt_cases =
    real(OpCases("rsqrt"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return rsqrt(in[0]); }, elementwise([](double x) { return 1 / std::sqrt(x); }))
        .pytorch("torch.rsqrt")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool erf_cases =
    real(OpCases("erf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return erf(in[0]); }, elementwise([](double x) { return std::erf(x); }))
        .pytorch("torch.erf")
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool exp2_cases =
    real(OpCases("exp2"))
        .without("errors", "takes every tensor")
        .on([](In in) { return exp2(in[0]); }, elementwise([](double x) { return std::exp2(x); }))
        .pytorch("torch.exp2")
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool log2_cases =
    real(OpCases("log2"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log2(in[0]); }, elementwise([](double x) { return std::log2(x); }))
        .pytorch("torch.log2")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool log10_cases =
    real(OpCases("log10"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log10(in[0]); }, elementwise([](double x) { return std::log10(x); }))
        .pytorch("torch.log10")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool erfc_cases =
    real(OpCases("erfc"))
        .without("errors", "takes every tensor")
        .on([](In in) { return erfc(in[0]); }, elementwise([](double x) { return std::erfc(x); }))
        .pytorch("torch.erfc")
        .pointwise_inputs(1, {}, false)
        .check();

[[maybe_unused]] const bool logaddexp_cases =
    OpCases("logaddexp")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return logaddexp(in[0], in[1]); },
            elementwise([](double a, double b) { return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b))); }))
        .pytorch("torch.logaddexp")
        .pointwise_inputs(2, {}, false)
        .error<ShapeError>([] { logaddexp(empty({2}), empty({3})); },
                           "logaddexp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool pow_cases =
    real(OpCases("pow"))
        .autocast("float32")
        .on([](In in) { return pow(in[0], in[1]); }, elementwise([](double x, double y) { return std::pow(x, y); }))
        .pytorch("torch.pow")
        .pointwise_inputs(2, uniform({}, 1, 3), false)
        .on([](In in) { return pow(in[0], 3); }, elementwise([](double x) { return x * x * x; }), "x³")
        .pointwise_inputs(1, uniform({}, 1, 3), false)
        .error<ShapeError>([] { pow(empty({2}), empty({3})); },
                           "pow: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool scalar_pow_cases =
    real(OpCases("scalar pow").autocast("float32").without("hidden", "keeps the number as a tensor"))
        .on([](In in) { return pow(2, in[0]); }, elementwise([](double x) { return std::pow(2, x); }), "2ˣ")
        .pointwise_inputs(1, uniform({}, 1, 3), false)
        .error<ValueError>([] { pow(2, Tensor()); }, "pow: argument 0 is undefined")
        .check();

TEST(Exponential, LogaddexpKeepsInfinities) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor a = from_vector<double>({infinity, -infinity, -infinity, 1e4}, {4}),
               b = from_vector<double>({infinity, -infinity, 2, -1e4}, {4});
  EXPECT_EQ(logaddexp(a, b).to_vector<double>(), (std::vector<double>{infinity, -infinity, 2, 1e4}));
}

/// The same for functions made of other operators.
OpCases composed_real(OpCases cases) {
  return composed(std::move(cases)).dtypes(all_dtypes()).result_dtype(floating_dtype);
}

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

[[maybe_unused]] const bool xlogy_cases =
    composed_real(OpCases("xlogy"))
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
    composed_real(OpCases("logit"))
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

[[maybe_unused]] const bool ldexp_cases =
    composed_real(OpCases("ldexp"))
        .on([](In in) { return ldexp(in[0], in[1]); }, elementwise([](double x, double n) { return x * std::exp2(n); }))
        .pytorch("torch.ldexp")
        .inputs(normal({3, 4}), whole({4}, 0, 5))
        .inputs(normal({0, 4}), whole({4}, 0, 5))
        .error<ShapeError>([] { ldexp(sized({2}), sized({3})); },
                           "ldexp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool frexp_cases =
    OpCases("frexp")
        .dtypes(floating_dtypes())
        .result_dtype(1, always<int32>)
        .result_layout(ResultLayout::like_input)
        .without("hidden", "the exponent is a second call")
        .on(
            [](In in) {
              const auto [mantissa, exponent] = frexp(in[0]);
              return std::vector<Tensor>{mantissa, exponent};
            },
            [](const std::vector<Doubles>& in) {
              Doubles mantissa(in[0].shape), exponent(in[0].shape);
              for (std::size_t i = 0; i < mantissa.values.size(); ++i) {
                int e = 0;
                mantissa.values[i] = std::frexp(in[0].values[i], &e);
                exponent.values[i] = std::isfinite(in[0].values[i]) ? e : 0;
              }
              return std::vector<Doubles>{mantissa, exponent};
            })
        .pytorch("lambda x: tuple(torch.frexp(x))")
        .pointwise_inputs(1, uniform({}, 1.1, 1.9), false)
        .inputs(given({6}, {0, -3, 40, 0.26, INFINITY, NAN}).constant())
        .error<DTypeError>([] { frexp(sized({2}, int32)); },
                           "frexp: needs a floating tensor, got int32 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool xlog1py_cases =
    real(OpCases("xlog1py"))
        .on([](In in) { return xlog1py(in[0], in[1]); },
            elementwise([](double x, double y) { return x == 0 && y == y ? 0 : x * std::log1p(y); }))
        .pytorch("torch.special.xlog1py")
        .pointwise_inputs(2, uniform({}, 1, 4))
        .error<ShapeError>([] { xlog1py(sized({2}), sized({3})); },
                           "xlog1py: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool entr_cases = real(OpCases("entr"))
                                             .without("errors", "takes every tensor")
                                             .on([](In in) { return entr(in[0]); }, elementwise([](double x) {
                                                   return x == 0 ? 0 : x < 0 ? -INFINITY : -x * std::log(x);
                                                 }))
                                             .pytorch("torch.special.entr")
                                             .pointwise_inputs(1, uniform({}, 1, 4))
                                             .check();

[[maybe_unused]] const bool exp_in_place_calls =
    FunctionCases("exp_").undefined([](const Tensor& none) { exp_(none); }).check();

[[maybe_unused]] const bool sqrt_in_place_calls =
    FunctionCases("sqrt_").undefined([](const Tensor& none) { sqrt_(none); }).check();

}  // namespace
}  // namespace minima::exponential_test
