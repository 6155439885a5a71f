#include <minima/ops/pointwise/arithmetic.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>

namespace minima::divisors_test {
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

}  // namespace
}  // namespace minima::divisors_test
