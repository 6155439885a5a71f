#include <minima/ops/whole_numbers/whole_numbers.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace minima::whole_numbers_test {
namespace {

using namespace test;

OpCases of_integers(OpCases cases) {
  return cases.dtypes(integer_dtypes()).result_layout(ResultLayout::like_input).no_gradient();
}
std::string floating_text(const char* name) {
  return std::string(name) + ": needs integer or bool tensors, got float32 [2] and float32 [2]; convert them with to()";
}

[[maybe_unused]] const bool gcd_cases =
    of_integers(OpCases("gcd"))
        .on([](In in) { return gcd(in[0], in[1]); }, elementwise([](double a, double b) {
              return static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
            }))
        .pointwise_inputs(2, whole({}, -60, 100), false)
        .error<ShapeError>([] { gcd(sized({2}, int64), sized({3}, int64)); },
                           "gcd: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { gcd(sized({2}), sized({2})); }, floating_text("gcd"))
        .check();

[[maybe_unused]] const bool lcm_cases =
    of_integers(OpCases("lcm"))
        .on([](In in) { return lcm(in[0], in[1]); }, elementwise([](double a, double b) {
              return static_cast<double>(std::lcm(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
            }))
        .pointwise_inputs(2, whole({}, -11, 12), false)
        .error<ShapeError>([] { lcm(sized({2}, int64), sized({3}, int64)); },
                           "lcm: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { lcm(sized({2}), sized({2})); }, floating_text("lcm"))
        .check();

TEST(Gcd, TakesTheLargestNumbers) {
  const Tensor a = tensor<std::int64_t>({INT64_MAX, -6000000000LL, 0, 0}), b = tensor<std::int64_t>({7, 4, -5, 0});
  EXPECT_EQ(gcd(a, b).to_vector<std::int64_t>(), (std::vector<std::int64_t>{7, 4, 5, 0}));
  EXPECT_EQ(lcm(a, b)[1].item<std::int64_t>(), 6000000000LL);
}

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

[[maybe_unused]] const bool unravel_cases =
    OpCases("unravel_index")
        .dtypes(integer_dtypes())
        .result_dtype(always<int64>)
        .no_gradient()
        .without("large", "is made of remainders")
        .without("random", "places must be inside")
        .without("hidden", "is made of remainders")
        .on([](In in) { return unravel_index(in[0], {2, 3, 4}); },
            [](const std::vector<Doubles>& in) {
              std::vector<Doubles> coordinates(3, Doubles(in[0].shape));
              for (std::size_t i = 0; i < in[0].values.size(); ++i) {
                const auto place = static_cast<int>(in[0].values[i]);
                coordinates[0].values[i] = place / 12;
                coordinates[1].values[i] = place / 4 % 3;
                coordinates[2].values[i] = place % 4;
              }
              return coordinates;
            })
        .inputs(whole({3, 4}, 0, 24))
        .inputs(whole({}, 0, 24))
        .inputs(whole({0}, 0, 24))
        .huge([](auto n) { unravel_index(zeros({1}, {.dtype = int64}), {n, 2}); })
        .error<IndexError>([] { unravel_index(tensor<std::int64_t>({6}), {2, 3}); },
                           "unravel_index: places must be between 0 and 5 for the shape [2, 3]")
        .error<ShapeError>([] { unravel_index(tensor<std::int64_t>({0}), {2, -3}); },
                           "unravel_index: sizes must not be negative, got [2, -3]")
        .error<DTypeError>([] { unravel_index(sized({2}), {2}); },
                           "unravel_index: needs integers, got float32 [2]; convert them with to()")
        .check();

}  // namespace
}  // namespace minima::whole_numbers_test
