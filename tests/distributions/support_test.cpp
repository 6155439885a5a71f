#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

// Values that a distribution does not have, and parameters that leave it few: log_prob, entropy, KL divergence.

namespace minima::distributions::support_test {
namespace {

using test::message_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor doubles(const NestedValues& values) { return tensor(values, {.dtype = float64}); }
double value_of(const Tensor& x) { return x.item<double>(); }

void expect_outside(const Distribution& law, const std::vector<Tensor>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Tensor log_prob = law.log_prob(values[i]);
    EXPECT_EQ(log_prob.shape(), law.batch_shape()) << law.name() << ", value " << i;
    EXPECT_EQ(value_of(log_prob), -infinity) << law.name() << ", value " << i;
  }
}
void expect_inside(const Distribution& law, const Tensor& value, double log_prob) {
  EXPECT_NEAR(value_of(law.log_prob(value)), log_prob, 1e-12) << law.name();
}

TEST(Support, OfCountsHasWholeNumbersOnly) {
  const ProbsOrLogits third{.probs = doubles(0.3)};
  const std::vector<Tensor> no_counts{doubles(-1),       doubles(0.5),       doubles(-0.5),
                                      doubles(infinity), doubles(-infinity), tensor(-2)};
  expect_outside(Bernoulli(third), no_counts);
  expect_outside(Bernoulli(third), {doubles(2), tensor(2)});
  expect_outside(Geometric(third), no_counts);
  expect_outside(Binomial(3, third), no_counts);
  expect_outside(Binomial(3, third), {doubles(4), doubles(1.5), tensor(4)});
  expect_outside(Poisson(doubles(2)), no_counts);
  expect_outside(Poisson(doubles(2)), {doubles(2.5)});
  expect_outside(NegativeBinomial(doubles(2), third), no_counts);
  for (const Tensor& one : {doubles(1), tensor(1), tensor(true)}) expect_inside(Bernoulli(third), one, std::log(0.3));
  for (const Tensor& two : {doubles(2), tensor(2)}) {
    expect_inside(Geometric(third), two, std::log(0.7 * 0.7 * 0.3));
    expect_inside(Binomial(3, third), two, std::log(3 * 0.7 * 0.3 * 0.3));
    expect_inside(Poisson(doubles(2)), two, std::log(2) - 2);
    expect_inside(NegativeBinomial(doubles(2), third), two, std::log(3 * 0.7 * 0.7 * 0.3 * 0.3));
  }
}

TEST(Support, OfClassesHasWholeNumbersOnly) {
  const Categorical law({.probs = doubles({0.3, 0.7})});
  expect_outside(law, {doubles(0.7), doubles(-0.5), doubles(1.5)});
  expect_inside(law, doubles(1), std::log(0.7));
  expect_inside(law, tensor(1), std::log(0.7));
  EXPECT_THROW(law.log_prob(tensor(2)), IndexError);
  EXPECT_THROW(law.log_prob(tensor(-1)), IndexError);
  EXPECT_THROW(law.log_prob(doubles(2)), IndexError);
}

TEST(Support, OfVectorsOfClassesIsTheirShape) {
  expect_outside(OneHotCategorical({.probs = doubles({0.3, 0.7})}),
                 {doubles({0, 0}), doubles({1, 1}), doubles({0.5, 0.4}), doubles({0.5, 0.5}), doubles({2, -1}),
                  tensor({0, 0}), doubles({0, 2})});
  expect_inside(OneHotCategorical({.probs = doubles({0.3, 0.7})}), tensor({0, 1}), std::log(0.7));
  const Multinomial counts(3, {.probs = doubles({0.3, 0.7})});
  expect_outside(counts, {doubles({1, 1}), doubles({2, 2}), doubles({1.5, 1.5}), doubles({-1, 4}), tensor({1, 1})});
  expect_inside(counts, doubles({1, 2}), std::log(3 * 0.3 * 0.7 * 0.7));
  const std::vector<Tensor> off_simplex{doubles({1, 1, 1}), doubles({0.5, 0.4, 0}), doubles({-0.5, 0.5, 1}),
                                        doubles({0.2, 0.3, 0.501})};
  expect_outside(Dirichlet(doubles({1, 2, 3})), off_simplex);
  expect_inside(Dirichlet(doubles({1, 2, 3})), doubles({0.2, 0.3, 0.5}), std::log(60 * 0.3 * 0.25));
  expect_outside(RelaxedOneHotCategorical(0.5, {.logits = doubles({0, 1, 2})}), off_simplex);
  expect_outside(LogisticNormal(doubles({0, 1}), 1), off_simplex);
  EXPECT_TRUE(std::isfinite(value_of(LogisticNormal(doubles({0, 1}), 1).log_prob(doubles({0.2, 0.3, 0.5})))));
}

TEST(Support, OfSharesAllowsForTheirRounding) {
  RandomGenerator generator(3);
  for (const DType dtype : {float32, float16, bfloat16}) {
    const Tensor shares = softmax(randn({64, 1000}, {.dtype = dtype}, &generator), -1);
    const Dirichlet law(ones({1000}, {.dtype = dtype}));
    EXPECT_TRUE(all(law.log_prob(shares) > -infinity).item<bool>());
    EXPECT_TRUE(all(law.log_prob(shares.to(float32)) > -infinity).item<bool>());
  }
}

TEST(Support, OfMatricesIsTheirForm) {
  const Wishart wishart(doubles(3), {.matrix = doubles({{1, 0}, {0, 1}})});
  expect_outside(wishart, {doubles({{1, 0.5}, {0.2, 1}}), doubles({{1, 2}, {2, 1}})});
  EXPECT_TRUE(std::isfinite(value_of(wishart.log_prob(doubles({{1, 0.5}, {0.5, 1}})))));
  const LKJCholesky factors(2, doubles(1.5));
  expect_outside(factors, {doubles({{1, 0}, {0.6, -0.8}}), doubles({{1, 0.1}, {0.6, 0.8}}),
                           doubles({{2, 0}, {0.6, 0.8}}), doubles({{1, 0}, {0.5, 0.5}})});
  EXPECT_TRUE(std::isfinite(value_of(factors.log_prob(doubles({{1, 0}, {0.6, 0.8}})))));
}

TEST(Support, HasNoInfinity) {
  const Tensor one = doubles(1), three = doubles(3);
  const Normal normal(0, one);
  const Laplace laplace(0, one);
  const StudentT student(one);
  const Cauchy cauchy(0, one);
  const Gumbel gumbel(0, one);
  const VonMises angle(0, one);
  const LogitRelaxedBernoulli logit(doubles(0.5), {.logits = doubles(0)});
  for (const Distribution* law :
       std::initializer_list<const Distribution*>{&normal, &laplace, &student, &cauchy, &gumbel, &angle, &logit})
    expect_outside(*law, {doubles(infinity), doubles(-infinity)});
  const Exponential exponential(one);
  const Gamma gamma(three, one), flat(doubles(0.5), one);
  const InverseGamma inverse(three, one), heavy(doubles(0.5), one);
  const Weibull weibull(one, three);
  const FisherSnedecor ratio(three * 3, one);
  const LogNormal log_normal(0, one);
  const Pareto pareto(one, one);
  const GeneralizedPareto excess(0, one, 0.5), memoryless(0, one, 0);
  const HalfNormal half_normal(one);
  const HalfCauchy half_cauchy(one);
  for (const Distribution* law : std::initializer_list<const Distribution*>{
           &exponential, &gamma, &flat, &inverse, &heavy, &weibull, &ratio, &log_normal, &pareto, &excess, &memoryless,
           &half_normal, &half_cauchy})
    expect_outside(*law, {doubles(infinity), doubles(-infinity), doubles(-1)});
}

TEST(Support, OfCompositionsIsThatOfTheirParts) {
  const MixtureSameFamily mixture(Categorical({.logits = doubles({0, 1})}), Exponential(doubles({1, 2})));
  expect_outside(mixture, {doubles(-1)});
  expect_outside(Independent(Bernoulli({.logits = doubles({0, 1})}), 1), {doubles({0, 0.5})});
}

TEST(Support, LeavesGradientsFinite) {
  const Tensor logits = doubles({0.3, -1}).requires_grad(true);
  const Tensor log_prob = Bernoulli({.logits = logits}).log_prob(doubles({1, 0.5}));
  sum(where(log_prob > -infinity, log_prob, 0)).backward();
  EXPECT_NEAR(logits.grad()[0].item<double>(), 1 / (1 + std::exp(0.3)), 1e-12);
  EXPECT_EQ(logits.grad()[1].item<double>(), 0);
}

TEST(Counts, MayBeImpossibleOrCertain) {
  EXPECT_EQ(value_of(Poisson(doubles(0)).log_prob(doubles(0))), 0);
  EXPECT_EQ(value_of(Poisson(doubles(0)).log_prob(doubles(1))), -infinity);
  EXPECT_EQ(value_of(Poisson(doubles(0)).sample()), 0);
  EXPECT_CONTAINS(message_of<ValueError>([] { Poisson(tensor({1.0, -2.0})); }),
                  "Poisson: rate must not be negative, but its least element is -2");
  const Binomial none(0, {.probs = doubles(0.3)});
  EXPECT_EQ(value_of(none.log_prob(doubles(0))), 0);
  EXPECT_EQ(value_of(none.log_prob(doubles(1))), -infinity);
  EXPECT_EQ(value_of(none.sample()), 0);
  EXPECT_EQ(value_of(none.mean()), 0);
  EXPECT_EQ(value_of(none.entropy()), 0);
  EXPECT_THROW(Binomial(-1, {.probs = doubles(0.3)}), ValueError);
  for (const Geometric& certain : {Geometric({.probs = doubles(1)}), Geometric({.logits = doubles(infinity)})}) {
    EXPECT_EQ(value_of(certain.log_prob(doubles(0))), 0);
    EXPECT_EQ(value_of(certain.log_prob(doubles(1))), -infinity);
    EXPECT_EQ(value_of(certain.sample()), 0);
    EXPECT_EQ(value_of(certain.entropy()), 0);
  }
  EXPECT_NEAR(value_of(Geometric({.probs = doubles(1e-20)}).log_prob(doubles(1e20))), std::log(1e-20) - 1, 1e-9);
  EXPECT_THROW(Geometric({.probs = doubles(0)}), ValueError);
}

TEST(Entropy, OfCertainOutcomesIsZero) {
  for (const double p : {0.0, 1.0}) {
    EXPECT_EQ(value_of(Bernoulli({.probs = doubles(p)}).entropy()), 0);
    EXPECT_EQ(value_of(Bernoulli({.logits = doubles(p == 0 ? -infinity : infinity)}).entropy()), 0);
    EXPECT_EQ(value_of(Categorical({.probs = doubles({p, 1 - p})}).entropy()), 0);
    EXPECT_EQ(value_of(Binomial(4, {.probs = doubles(p)}).entropy()), 0);
    EXPECT_NEAR(value_of(Multinomial(4, {.probs = doubles({p, 1 - p})}).entropy()), 0, 1e-14);
  }
  EXPECT_EQ(value_of(Bernoulli({.logits = doubles(-infinity)}).log_prob(doubles(0))), 0);
  EXPECT_EQ(value_of(Bernoulli({.logits = doubles(-infinity)}).log_prob(doubles(1))), -infinity);
}

TEST(Entropy, OfBinomialAndMultinomialIsTheirSum) {
  const Binomial binomial(5, {.probs = doubles({0.3, 0.9})});
  const Tensor k = unsqueeze(arange(6).to(float64), 1), log_p = binomial.log_prob(k);
  EXPECT_LT(max(abs(binomial.entropy() + sum(exp(log_p) * log_p, 0))).item<double>(), 1e-13);
  EXPECT_EQ(binomial.entropy().shape(), Shape({2}));
  const Multinomial counts(3, {.probs = doubles({0.2, 0.3, 0.5})});
  double exact = 0;
  for (int a = 0; a <= 3; ++a)
    for (int b = 0; a + b <= 3; ++b) {
      const double log_prob = value_of(counts.log_prob(doubles({a, b, 3 - a - b})));
      exact -= std::exp(log_prob) * log_prob;
    }
  EXPECT_NEAR(value_of(counts.entropy()), exact, 1e-13);
  EXPECT_EQ(Multinomial(3, {.logits = zeros({4, 2, 3})}).entropy().shape(), Shape({4, 2}));
}

/// P(5/2, x) = erf(√x) - e⁻ˣ·√(x/π)·(2 + 4x/3).
TEST(Cdf, OfGammaItsReciprocalAndMixturesIsItsFormula) {
  const Tensor x = doubles({-1, 0, 0.4, 2, 9}), gamma = Gamma(doubles(2.5), 1.5).cdf(x);
  const std::vector<double> exact = gamma.to_vector<double>(),
                            inverse = InverseGamma(doubles(2.5), 1.5).cdf(x).to_vector<double>();
  EXPECT_EQ(exact[0], 0);
  EXPECT_EQ(exact[1], 0);
  EXPECT_EQ(inverse[0], 0);
  EXPECT_EQ(inverse[1], 0);
  EXPECT_NEAR(exact[2], 0.05512263499787806, 1e-14);
  EXPECT_NEAR(exact[3], 0.6937810815867216, 1e-14);
  EXPECT_NEAR(exact[4], 0.9999429575433173, 1e-14);
  for (int i = 2; i < 5; ++i) {
    const double at = x[i].item<double>();
    EXPECT_NEAR(inverse[i], 1 - Gamma(doubles(2.5), 1.5).cdf(doubles(1 / at)).item<double>(), 1e-14);
  }
  const MixtureSameFamily mixture(Categorical({.probs = doubles({0.25, 0.75})}),
                                  Normal(doubles({-1, 2}), doubles({1, 3})));
  const Tensor expected = 0.25 * Normal(doubles(-1), 1).cdf(x) + 0.75 * Normal(doubles(2), 3).cdf(x);
  EXPECT_LT(max(abs(mixture.cdf(x) - expected)).item<double>(), 1e-15);
  EXPECT_THROW(MixtureSameFamily(Categorical({.probs = doubles({0.25, 0.75})}), StudentT(doubles({3, 4}))).cdf(x),
               ValueError);
}

/// Pairs of the same law by probabilities and by logits.
TEST(KlDivergence, ToProbabilityZeroIsInfinite) {
  const auto bernoulli = [](double p, bool by_logits) {
    return by_logits ? Bernoulli({.logits = doubles(std::log(p) - std::log1p(-p))}) : Bernoulli({.probs = doubles(p)});
  };
  const auto geometric = [](double p, bool by_logits) {
    return by_logits ? Geometric({.logits = doubles(std::log(p) - std::log1p(-p))}) : Geometric({.probs = doubles(p)});
  };
  const auto binomial = [](int n, double p, bool by_logits) {
    return by_logits ? Binomial(n, {.logits = doubles(std::log(p) - std::log1p(-p))})
                     : Binomial(n, {.probs = doubles(p)});
  };
  const auto given = [](double p, bool by_logits) {
    return by_logits ? ProbsOrLogits{.logits = doubles({std::log(p), std::log1p(-p)})}
                     : ProbsOrLogits{.probs = doubles({p, 1 - p})};
  };
  const double ln2 = std::log(2);
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      for (const double p : {0.0, 1.0}) {
        EXPECT_EQ(value_of(kl_divergence(bernoulli(0.5, a), bernoulli(p, b))), infinity);
        EXPECT_EQ(value_of(kl_divergence(bernoulli(p, a), bernoulli(1 - p, b))), infinity);
        EXPECT_EQ(value_of(kl_divergence(bernoulli(p, a), bernoulli(p, b))), 0);
        EXPECT_NEAR(value_of(kl_divergence(bernoulli(p, a), bernoulli(0.5, b))), ln2, 1e-14);
        EXPECT_EQ(value_of(kl_divergence(Categorical(given(0.5, a)), Categorical(given(p, b)))), infinity);
        EXPECT_EQ(value_of(kl_divergence(Categorical(given(p, a)), Categorical(given(p, b)))), 0);
        EXPECT_NEAR(value_of(kl_divergence(Categorical(given(p, a)), Categorical(given(0.5, b)))), ln2, 1e-14);
        EXPECT_EQ(value_of(kl_divergence(OneHotCategorical(given(0.5, a)), OneHotCategorical(given(p, b)))), infinity);
        EXPECT_EQ(value_of(kl_divergence(binomial(3, 0.5, a), binomial(3, p, b))), infinity);
        EXPECT_NEAR(value_of(kl_divergence(binomial(3, p, a), binomial(3, 0.5, b))), 3 * ln2, 1e-14);
        EXPECT_EQ(value_of(kl_divergence(binomial(0, 0.5, a), binomial(0, p, b))), 0);
      }
      EXPECT_NEAR(value_of(kl_divergence(binomial(5, 0, a), binomial(3, 0.5, b))), 3 * ln2, 1e-14);
      EXPECT_EQ(value_of(kl_divergence(geometric(0.5, a), geometric(1, b))), infinity);
      EXPECT_EQ(value_of(kl_divergence(geometric(1, a), geometric(1, b))), 0);
      EXPECT_NEAR(value_of(kl_divergence(geometric(1, a), geometric(0.5, b))), ln2, 1e-14);
      EXPECT_NEAR(value_of(kl_divergence(bernoulli(0.5, a), bernoulli(1e-30, b))) / (0.5 * 30 * std::log(10) - ln2), 1,
                  1e-12);
    }
  const Poisson none(doubles(0)), two(doubles(2));
  EXPECT_EQ(value_of(kl_divergence(two, none)), infinity);
  EXPECT_EQ(value_of(kl_divergence(none, two)), 2);
  EXPECT_EQ(value_of(kl_divergence(none, none)), 0);
  EXPECT_EQ(value_of(kl_divergence(bernoulli(0.5, false), none)), infinity);
  EXPECT_EQ(value_of(kl_divergence(bernoulli(0, false), none)), 0);
  EXPECT_EQ(value_of(kl_divergence(two, bernoulli(0.5, false))), infinity);
  EXPECT_NEAR(value_of(kl_divergence(none, bernoulli(0.5, false))), ln2, 1e-14);
  EXPECT_NEAR(value_of(kl_divergence(none, binomial(3, 0.5, false))), 3 * ln2, 1e-14);
}

TEST(KlDivergence, OfProbabilityZeroLeavesGradientsFinite) {
  const Tensor p = doubles({0, 0.4, 1}).requires_grad(true), q = doubles({0, 0.7, 1}).requires_grad(true);
  sum(kl_divergence(Bernoulli({.probs = p}), Bernoulli({.probs = q}))).backward();
  EXPECT_TRUE(all(isfinite(p.grad())).item<bool>());
  EXPECT_TRUE(all(isfinite(q.grad())).item<bool>());
  EXPECT_NEAR(q.grad()[1].item<double>(), 0.6 / 0.3 - 0.4 / 0.7, 1e-12);
}

}  // namespace
}  // namespace minima::distributions::support_test
