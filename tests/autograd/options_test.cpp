#include "tests/support/options.h"

#include <minima/autograd/gradcheck.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <gtest/gtest.h>

namespace minima::autograd_options_test {
namespace {

void check(const GradcheckOptions& options) {
  gradcheck([](const auto& in) { return std::vector{in[0] * in[0]}; },
            {ones({1}, {.dtype = float64}).requires_grad(true)}, options);
}

TEST(Options, OfAutogradAreChecked) {
  test::try_options("autograd",
                    {
                        {"GradcheckOptions.eps", "(0, inf)", [](double v) { check({.eps = v}); }},
                        {"GradcheckOptions.atol", "[0, inf]", [](double v) { check({.atol = v}); }, "all is close"},
                        {"GradcheckOptions.rtol", "[0, inf]", [](double v) { check({.rtol = v}); }, "all is close"},
                    });
}

}  // namespace
}  // namespace minima::autograd_options_test
