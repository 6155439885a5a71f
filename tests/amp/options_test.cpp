#include "tests/support/options.h"

#include <minima/amp/grad_scaler.h>

#include <gtest/gtest.h>

namespace minima::amp::options_test {
namespace {

TEST(Options, OfAmpAreChecked) {
  test::try_options(
      "amp", {
                 {"GradScalerOptions.init_scale", "(0, inf)", [](double v) { GradScaler({.init_scale = v}); }},
                 {"GradScalerOptions.growth_factor", "(1, inf)", [](double v) { GradScaler({.growth_factor = v}); }},
                 {"GradScalerOptions.backoff_factor", "(0, 1)", [](double v) { GradScaler({.backoff_factor = v}); }},
                 {"GradScalerOptions.growth_interval", "[1, 2147483647]",
                  [](std::int64_t v) { GradScaler({.growth_interval = v}); }},
             });
}

}  // namespace
}  // namespace minima::amp::options_test
