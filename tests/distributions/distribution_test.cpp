#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace minima::distributions::distribution_test {
namespace {

using test::message_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Distribution, ShapesAreSampleBatchAndEvent) {
  const Normal normal(zeros({3}), ones({2, 1}));
  EXPECT_EQ(normal.batch_shape(), Shape({2, 3}));
  EXPECT_EQ(normal.event_shape(), Shape());
  EXPECT_EQ(normal.sample().shape(), Shape({2, 3}));
  EXPECT_EQ(normal.sample({5, 4}).shape(), Shape({5, 4, 2, 3}));
  EXPECT_EQ(normal.log_prob(zeros({4, 1, 1})).shape(), Shape({4, 2, 3}));
  EXPECT_EQ(Normal(0, 1).sample({7}).shape(), Shape({7}));

  const Dirichlet dirichlet(ones({2, 4}));
  EXPECT_EQ(dirichlet.event_shape(), Shape({4}));
  EXPECT_EQ(dirichlet.sample({3}).shape(), Shape({3, 2, 4}));
  EXPECT_EQ(dirichlet.log_prob(dirichlet.sample({3})).shape(), Shape({3, 2}));

  const Categorical categorical({.logits = zeros({2, 4})});
  EXPECT_EQ(categorical.sample({3}).shape(), Shape({3, 2}));
  EXPECT_EQ(categorical.log_prob(zeros({3, 1}, {.dtype = int64})).shape(), Shape({3, 2}));
  EXPECT_EQ(Categorical({.logits = zeros({4})}).sample().shape(), Shape());
  EXPECT_EQ(OneHotCategorical({.logits = zeros({2, 4})}).sample({3}).shape(), Shape({3, 2, 4}));
  EXPECT_EQ(Multinomial(6, {.logits = zeros({2, 4})}).sample({3}).shape(), Shape({3, 2, 4}));
}

TEST(Distribution, EmptyBatchesDrawNothing) {
  EXPECT_EQ(Gamma(ones({0, 3}), 1).sample({2}).shape(), Shape({2, 0, 3}));
  EXPECT_EQ(Categorical({.logits = zeros({0, 3})}).sample({2}).shape(), Shape({2, 0}));
  EXPECT_EQ(Normal(zeros({3}), 1).sample({0}).shape(), Shape({0, 3}));
}

TEST(Distribution, NumbersTakeTheDtypeOfTensors) {
  EXPECT_EQ(Normal(zeros({2}, {.dtype = float64}), 0.1).scale.dtype(), float64);
  EXPECT_EQ(Normal(zeros({2}, {.dtype = float64}), 0.1).scale[0].item<double>(), 0.1);
  EXPECT_EQ(Gamma(ones({2}, {.dtype = float16}), 1).sample().dtype(), float16);
}

TEST(Distribution, OnlyRsampleIsDifferentiable) {
  const Tensor loc = zeros({2}).requires_grad(true);
  EXPECT_FALSE(Normal(loc, 1).sample().requires_grad());
  EXPECT_TRUE(Normal(loc, 1).rsample().requires_grad());
  const Tensor c = ones({2}).requires_grad(true);
  EXPECT_FALSE(Gamma(c, 1).sample().requires_grad());
  EXPECT_TRUE(Gamma(c, 1).rsample().requires_grad());
  EXPECT_CONTAINS(message_of<ValueError>([] { Bernoulli({.logits = zeros({2})}).rsample(); }),
                  "Bernoulli::rsample: its draws are no differentiable function");
}

TEST(Distribution, LogProbIsMinusInfinityOutsideTheSupport) {
  const Tensor x = tensor({-1.0, 2.0});
  EXPECT_EQ(Uniform(0, 1).log_prob(x).to_vector<double>(), (std::vector<double>{-infinity, -infinity}));
  for (const auto& density : {Exponential(1).log_prob(x), Gamma(2, 1).log_prob(x), LogNormal(0, 1).log_prob(x)}) {
    EXPECT_EQ(density[0].item<double>(), -infinity);
    EXPECT_TRUE(std::isfinite(density[1].item<double>()));
  }
  EXPECT_EQ(Beta(2, 2).log_prob(x).to_vector<double>(), (std::vector<double>{-infinity, -infinity}));
}

TEST(Distribution, ValuesOutsideTheSupportLeaveGradientsFinite) {
  const Tensor c = tensor({2.0, 2.0}).requires_grad(true);
  sum(where(tensor({false, true}), Gamma(c, 1).log_prob(tensor({-1.0, 2.0})), 0)).backward();
  EXPECT_TRUE(all(isfinite(c.grad())).item<bool>());
}

TEST(Distribution, MomentsOfStudentTDependOnTheDegreesOfFreedom) {
  const StudentT law(tensor({0.5, 1.5, 4.0}));
  EXPECT_TRUE(std::isnan(law.mean()[0].item<double>()));
  EXPECT_TRUE(std::isnan(law.variance()[0].item<double>()));
  EXPECT_EQ(law.mean()[1].item<double>(), 0);
  EXPECT_EQ(law.variance()[1].item<double>(), infinity);
  EXPECT_EQ(law.variance()[2].item<double>(), 2);
}

TEST(Distribution, RefusesParametersItCannotUse) {
  EXPECT_CONTAINS(message_of<ValueError>([] { Normal(0, tensor({1.0, -2.0})); }),
                  "Normal: scale must be positive, but its least element is -2");
  EXPECT_CONTAINS(message_of<ValueError>([] { Uniform(1, 1); }), "Uniform: high - low must be positive");
  EXPECT_CONTAINS(message_of<ValueError>([] { Bernoulli({.probs = tensor({0.5, 1.5})}); }),
                  "Bernoulli: probs must be in [0, 1]");
  EXPECT_CONTAINS(message_of<ValueError>([] { Categorical({}); }), "Categorical: pass either probs or logits");
  EXPECT_CONTAINS(message_of<ShapeError>([] { Categorical({.logits = tensor(1.0)}); }),
                  "Categorical: the last dimension");
  EXPECT_CONTAINS(message_of<DTypeError>([] { Normal(tensor({1, 2}), 1); }), "Normal: parameters must be floating");
  EXPECT_CONTAINS(message_of<ValueError>([] { Multinomial(0, {.logits = zeros({2})}); }),
                  "total_count must be at least 1");
  EXPECT_CONTAINS(message_of<ValueError>([] { Categorical({.logits = zeros({2})}).mean(); }),
                  "Categorical has no mean");
  EXPECT_THROW(Normal(zeros({2}), ones({3})), ShapeError);
}

TEST(MultivariateNormal, RefusesMatricesItCannotUse) {
  EXPECT_CONTAINS(
      message_of<ValueError>([] { MultivariateNormal(zeros({2}), {.matrix = tensor({{1.0, 2.0}, {2.0, 1.0}})}); }),
      "the diagonal of the covariance's Cholesky factor must be positive");
  EXPECT_CONTAINS(message_of<ValueError>([] { MultivariateNormal(zeros({2}), {}); }), "either matrix or scale_tril");
  EXPECT_CONTAINS(message_of<ShapeError>([] { MultivariateNormal(zeros({2}), {.matrix = eye(3)}); }),
                  "needs a matrix [..., 2, 2]");
  EXPECT_EQ(MultivariateNormal(zeros({4, 2}), {.matrix = eye(2)}).sample({3}).shape(), Shape({3, 4, 2}));
  EXPECT_EQ(MultivariateNormal(zeros({2}), {.matrix = expand(eye(2), {5, 2, 2})}).batch_shape(), Shape({5}));
}

TEST(Mixture, HasTheShapesOfItsComponents) {
  const MixtureSameFamily vectors(Categorical({.logits = zeros({5, 3})}), Independent(Normal(zeros({5, 3, 2}), 1), 1));
  EXPECT_EQ(vectors.batch_shape(), Shape({5}));
  EXPECT_EQ(vectors.sample({4}).shape(), Shape({4, 5, 2}));
  EXPECT_EQ(vectors.log_prob(zeros({4, 5, 2})).shape(), Shape({4, 5}));
  EXPECT_CONTAINS(
      message_of<ShapeError>([] { MixtureSameFamily(Categorical({.logits = zeros({3})}), Normal(zeros({2}), 1)); }),
      "the mixture chooses among");
}

TEST(Poisson, OfInfiniteRatesIsNaN) { EXPECT_TRUE(std::isnan(Poisson(tensor(infinity)).sample().item<double>())); }

TEST(Independent, SumsOverTheLastDimensionsOfTheBatch) {
  const Normal base(zeros({4, 2, 3}), 2);
  const Independent law(base, 2);
  EXPECT_EQ(law.batch_shape(), Shape({4}));
  EXPECT_EQ(law.event_shape(), Shape({2, 3}));
  const Tensor x = law.rsample({5});
  EXPECT_EQ(x.shape(), Shape({5, 4, 2, 3}));
  EXPECT_EQ(law.log_prob(x).shape(), Shape({5, 4}));
  EXPECT_NEAR(law.log_prob(x)[0][0].item<double>(), sum(base.log_prob(x)[0][0]).item<double>(), 1e-4);
  EXPECT_NEAR(law.entropy()[0].item<double>(), 6 * Normal(0, 2).entropy().item<double>(), 1e-4);
  const Independent other(Normal(ones({4, 2, 3}), 2), 2);
  EXPECT_NEAR(kl_divergence(law, other)[0].item<double>(), 6 * 0.125, 1e-5);
  EXPECT_CONTAINS(message_of<ValueError>([&] { Independent(base, 4); }), "has no 4 dimensions for the event");
}

TEST(KlDivergence, IsInfiniteWhereTheSupportIsNotCovered) {
  EXPECT_EQ(kl_divergence(Uniform(0, 2), Uniform(0, 1)).item<double>(), infinity);
  const Tensor ratio =
      kl_divergence(Categorical({.logits = tensor({0.0, -infinity})}), Categorical({.logits = zeros({2})}));
  EXPECT_NEAR(ratio.item<double>(), std::log(2), 1e-6);
  EXPECT_EQ(kl_divergence(Poisson(2), Binomial(9, {.probs = full({}, 0.5)})).item<double>(), infinity);
  EXPECT_EQ(kl_divergence(Binomial(9, {.probs = full({}, 0.5)}), Binomial(8, {.probs = full({}, 0.5)})).item<double>(),
            infinity);
}

/// By the trapezoidal rule.
TEST(KlDivergence, OfLaplaceAndGumbelIsItsIntegral) {
  const Laplace p(tensor({0.3, -1.0}).to(float64), tensor({0.4, 0.6}).to(float64));
  const Gumbel q(0.5, 1.1);
  const Tensor x = linspace(-40, 40, 800001, {.dtype = float64}), at = reshape(x, {-1, 1});
  const Tensor log_p = p.log_prob(at), integrand = exp(log_p) * (log_p - q.log_prob(at).to(float64));
  const Closeness close = allclose(kl_divergence(p, q), sum(integrand, 0) * 1e-4, {.rtol = 1e-6, .atol = 0});
  EXPECT_TRUE(close) << close.message;
  EXPECT_EQ(kl_divergence(Laplace(0, 2), Gumbel(0, 1)).item<double>(), infinity);
}

TEST(KlDivergence, WithoutAFormulaSaysWhatToDo) {
  EXPECT_CONTAINS(message_of<ValueError>([] { kl_divergence(Beta(1, 2), Gumbel(0, 1)); }),
                  "kl_divergence: there is no formula for Beta and Gumbel; estimate it: mean(p.log_prob(x) - ");
  EXPECT_CONTAINS(message_of<ValueError>([] {
                    kl_divergence(Binomial(3, {.probs = full({}, 0.5)}), Binomial(4, {.probs = full({}, 0.5)}));
                  }),
                  "Binomials of 3 and 4 trials; q must not have more");
}

}  // namespace
}  // namespace minima::distributions::distribution_test
