#include "tests/support/options.h"

#include <minima/distributions/distributions.h>
#include <minima/ops/creation/creation.h>

#include <gtest/gtest.h>

namespace minima::distributions::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

const char* const limit = "a limit";

/// Parameters that are numbers; distributions have no structs of options. PyTorch's validate_args accepts infinity,
/// too.
std::vector<OptionRow> rows() {
  return {
      {"Normal.loc", "[-inf, inf]", [](double v) { Normal(v, 1.0); }, limit},
      {"Normal.scale", "(0, inf]", [](double v) { Normal(0.0, v); }, limit},
      {"LogNormal.scale", "(0, inf]", [](double v) { LogNormal(0.0, v); }, limit},
      {"HalfNormal.scale", "(0, inf]", [](double v) { HalfNormal{Argument(v)}; }, limit},
      {"Laplace.loc", "[-inf, inf]", [](double v) { Laplace(v, 1.0); }, limit},
      {"Laplace.scale", "(0, inf]", [](double v) { Laplace(0.0, v); }, limit},
      {"Cauchy.scale", "(0, inf]", [](double v) { Cauchy(0.0, v); }, limit},
      {"Gumbel.scale", "(0, inf]", [](double v) { Gumbel(0.0, v); }, limit},
      {"Uniform.low", "[-inf, 1)", [](double v) { Uniform(v, 1.0); }, limit},
      {"Uniform.high", "(0, inf]", [](double v) { Uniform(0.0, v); }, limit},
      {"Exponential.rate", "(0, inf]", [](double v) { Exponential{Argument(v)}; }, limit},
      {"Gamma.concentration", "(0, inf]", [](double v) { Gamma(v, 1.0); }, limit},
      {"Gamma.rate", "(0, inf]", [](double v) { Gamma(1.0, v); }, limit},
      {"Beta.concentration1", "(0, inf]", [](double v) { Beta(v, 1.0); }, limit},
      {"StudentT.df", "(0, inf]", [](double v) { StudentT{Argument(v)}; }, limit},
      {"Poisson.rate", "[0, inf]", [](double v) { Poisson{Argument(v)}; }, limit},
      {"Bernoulli.probs", "[0, 1]", [](double v) { Bernoulli({.probs = full({}, v)}); }},
      {"RelaxedOneHotCategorical.temperature", "(0, inf)",
       [](double v) { RelaxedOneHotCategorical(v, {.probs = full({2}, 0.5)}); }},
      {"Binomial.total_count", "[0, inf)", [](i64 v) { Binomial(v, {.probs = full({}, 0.5)}); }},
      {"Multinomial.total_count", "[1, inf)", [](i64 v) { Multinomial(v, {.probs = full({2}, 0.5)}); }},
      {"LKJCholesky.dim", "[2, inf)", [](i64 v) { LKJCholesky distribution(v); }},
  };
}

TEST(Options, OfDistributionsAreChecked) { test::try_options("distributions", rows()); }

}  // namespace
}  // namespace minima::distributions::options_test
