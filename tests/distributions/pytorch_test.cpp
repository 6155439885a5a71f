#include <minima/autograd/backward.h>
#include <minima/distributions/continuous/standard_gamma.h>
#include <minima/distributions/distributions.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

// tests/fixtures/distributions/generate.py describes the fixture.

namespace minima::distributions::pytorch_test {
namespace {

using Law = std::unique_ptr<Distribution>;
using Parameters = std::vector<Tensor>;

const State& fixture() {
  static const State state = load(MINIMA_FIXTURES "/distributions/distributions.safetensors");
  return state;
}

void expect_close(const std::string& name, const Tensor& x, double rtol = 1e-9) {
  if (name.starts_with("VonMises")) rtol = 1e-6;  // PyTorch's Bessel functions have seven digits
  const Closeness close = allclose(x.detach(), fixture().tensor(name), {.rtol = rtol, .atol = 1e-11});
  EXPECT_TRUE(close) << name << ": " << close.message;
}

/// The tensors NAME0, NAME1, … as leaves.
Parameters leaves(const std::string& name) {
  Parameters found;
  while (const Tensor* x = fixture().find(name + std::to_string(found.size())))
    found.push_back(clone(*x).requires_grad(true));
  return found;
}

/// Compares gradients of Σ y·cos(0, 1, …) with NAME0, NAME1, ….
Parameters gradients_of(const Tensor& y, const Parameters& inputs) {
  const Tensor pattern = reshape(cos(arange(y.numel()).to(float64)), y.shape());
  Parameters found = grad({sum(y * pattern)}, inputs, {}, {.retain_graph = true, .allow_unused = true});
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!found[i].defined()) found[i] = zeros_like(inputs[i]);
  return found;
}

struct Case {
  const char* name;
  Law (*make)(const Parameters& p);
};

template <class D>
Law one(const Parameters& p) {
  return std::make_unique<D>(p[0]);
}
template <class D>
Law two(const Parameters& p) {
  return std::make_unique<D>(p[0], p[1]);
}
template <class D>
Law by_logits(const Parameters& p) {
  return std::make_unique<D>(ProbsOrLogits{.logits = p[0]});
}
template <class D>
Law by_probs(const Parameters& p) {
  return std::make_unique<D>(ProbsOrLogits{.probs = p[0]});
}

const Case cases[] = {
    {"Normal", two<Normal>},
    {"LogNormal", two<LogNormal>},
    {"Uniform", two<Uniform>},
    {"Laplace", two<Laplace>},
    {"Exponential", one<Exponential>},
    {"Gamma", two<Gamma>},
    {"Beta", two<Beta>},
    {"Dirichlet", one<Dirichlet>},
    {"StudentT", [](const Parameters& p) -> Law { return std::make_unique<StudentT>(p[0], p[1], p[2]); }},
    {"BernoulliProbs", by_probs<Bernoulli>},
    {"BernoulliLogits", by_logits<Bernoulli>},
    {"CategoricalProbs", by_probs<Categorical>},
    {"CategoricalLogits", by_logits<Categorical>},
    {"OneHotCategorical", by_logits<OneHotCategorical>},
    {"Multinomial",
     [](const Parameters& p) -> Law { return std::make_unique<Multinomial>(7, ProbsOrLogits{.logits = p[0]}); }},
    {"Cauchy", two<Cauchy>},
    {"HalfNormal", one<HalfNormal>},
    {"HalfCauchy", one<HalfCauchy>},
    {"Gumbel", two<Gumbel>},
    {"Weibull", two<Weibull>},
    {"Pareto", two<Pareto>},
    {"InverseGamma", two<InverseGamma>},
    {"Geometric", by_logits<Geometric>},
    {"Binomial",
     [](const Parameters& p) -> Law { return std::make_unique<Binomial>(9, ProbsOrLogits{.logits = p[0]}); }},
    {"Poisson", one<Poisson>},
    {"MixtureSameFamily",
     [](const Parameters& p) -> Law {
       return std::make_unique<MixtureSameFamily<Normal>>(Categorical({.logits = p[0]}), Normal(p[1], p[2]));
     }},
    {"MixtureOfVectors",
     [](const Parameters& p) -> Law {
       using Vectors = Independent<Normal>;
       return std::make_unique<MixtureSameFamily<Vectors>>(Categorical({.logits = p[0]}),
                                                           Vectors(Normal(p[1], p[2]), 1));
     }},
    {"MultivariateNormal",
     [](const Parameters& p) -> Law { return std::make_unique<MultivariateNormal>(p[0], Covariance{.matrix = p[1]}); }},
    {"MultivariateNormalTril",
     [](const Parameters& p) -> Law {
       return std::make_unique<MultivariateNormal>(p[0], Covariance{.scale_tril = p[1]});
     }},
    {"LowRankMultivariateNormal",
     [](const Parameters& p) -> Law { return std::make_unique<LowRankMultivariateNormal>(p[0], p[1], p[2]); }},
    {"ContinuousBernoulliProbs", by_probs<ContinuousBernoulli>},
    {"ContinuousBernoulliLogits", by_logits<ContinuousBernoulli>},
    {"GeneralizedPareto",
     [](const Parameters& p) -> Law { return std::make_unique<GeneralizedPareto>(p[0], p[1], p[2]); }},
    {"VonMises", two<VonMises>},
    {"Wishart",
     [](const Parameters& p) -> Law { return std::make_unique<Wishart>(p[0], Covariance{.scale_tril = p[1]}); }},
    {"LKJCholesky", [](const Parameters& p) -> Law { return std::make_unique<LKJCholesky>(4, p[0]); }},
    {"NegativeBinomial",
     [](const Parameters& p) -> Law {
       return std::make_unique<NegativeBinomial>(p[0], ProbsOrLogits{.logits = p[1]});
     }},
    {"Kumaraswamy", two<Kumaraswamy>},
    {"FisherSnedecor", two<FisherSnedecor>},
    {"RelaxedBernoulli",
     [](const Parameters& p) -> Law {
       return std::make_unique<RelaxedBernoulli>(p[0], ProbsOrLogits{.logits = p[1]});
     }},
    {"RelaxedOneHotCategorical",
     [](const Parameters& p) -> Law {
       return std::make_unique<RelaxedOneHotCategorical>(0.7, ProbsOrLogits{.logits = p[0]});
     }},
    {"LogisticNormal", two<LogisticNormal>},
    {"SquashedNormal",
     [](const Parameters& p) -> Law {
       return std::make_unique<TransformedDistribution>(Normal(p[0], p[1]),
                                                        Transforms{TanhTransform(), AffineTransform(p[2], -2)});
     }},
    {"PowerOfUniform",
     [](const Parameters& p) -> Law {
       return std::make_unique<TransformedDistribution>(Uniform(full({3}, 0.5, {.dtype = float64}), 4),
                                                        Transforms{PowerTransform(p[0]), ExpTransform()});
     }},
};

class Distributions : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(PyTorch, Distributions, testing::ValuesIn(cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(Distributions, LogProbAndItsGradientsArePyTorchs) {
  const std::string name = GetParam().name;
  const Parameters parameters = leaves(name + ".param");
  ASSERT_FALSE(parameters.empty());
  const Law law = GetParam().make(parameters);
  Tensor value = fixture().tensor(name + ".value");
  const bool continuous = fixture().find(name + ".value_grad") != nullptr;
  Parameters inputs = parameters;
  if (continuous) inputs.push_back(value = clone(value).requires_grad(true));
  const Tensor log_prob = law->log_prob(value);
  expect_close(name + ".log_prob", log_prob);
  const Parameters gradients = gradients_of(log_prob, inputs);
  for (std::size_t i = 0; i < parameters.size(); ++i) expect_close(name + ".grad" + std::to_string(i), gradients[i]);
  if (continuous) expect_close(name + ".value_grad", gradients.back());
}

TEST_P(Distributions, MomentsEntropyAndCdfArePyTorchs) {
  const std::string name = GetParam().name;
  const Law law = GetParam().make(leaves(name + ".param"));
  const State& f = fixture();
  const auto has = [&](const char* what) { return f.find(name + what) != nullptr; };
  int compared = 0;
  if (has(".mean")) expect_close(name + ".mean", law->mean()), ++compared;
  if (has(".variance")) expect_close(name + ".variance", law->variance()), ++compared;
  if (has(".entropy")) expect_close(name + ".entropy", law->entropy()), ++compared;
  // PyTorch takes a continuous Bernoulli variable for a uniform one if its parameter is within 0.001 of ½.
  const auto comparable = [&](const char* what, const Tensor& x) {
    if (name != "ContinuousBernoulliProbs") return x;
    return where(abs(f.tensor(name + ".param0") - 0.5) > 1e-3, x, f.tensor(name + what));
  };
  if (has(".cdf")) expect_close(name + ".cdf", comparable(".cdf", law->cdf(f.tensor(name + ".value")))), ++compared;
  if (has(".icdf"))
    expect_close(name + ".icdf", comparable(".icdf", law->icdf(f.tensor(name + ".probability")))), ++compared;
  const bool has_no_formula = name.starts_with("Relaxed") || name == "LogisticNormal" || name == "LKJCholesky";
  EXPECT_EQ(compared > 0, !has_no_formula);
}

template <class D>
D made_of(const Parameters& p) {
  if constexpr (requires { D(p[0], p[1]); }) return D(p[0], p[1]);
  else return D(p[0]);
}

template <class MakeP, class MakeQ>
void expect_divergence(const std::string& name, MakeP make_p, MakeQ make_q) {
  SCOPED_TRACE(name);
  const Parameters p = leaves("KL." + name + ".p"), q = leaves("KL." + name + ".q");
  ASSERT_FALSE(p.empty());
  const Tensor divergence = kl_divergence(make_p(p), make_q(q));
  expect_close("KL." + name + ".kl", divergence);
  // PyTorch's trigamma has nine digits, and some cancel.
  const auto expect_gradients = [&](const std::string& side, const Parameters& of) {
    const Parameters by = divergence.requires_grad() ? gradients_of(divergence, of) : Parameters();
    for (std::size_t i = 0; i < of.size(); ++i)
      expect_close("KL." + name + ".grad_" + side + std::to_string(i), by.empty() ? zeros_like(of[i]) : by[i], 1e-7);
  };
  expect_gradients("p", p);
  expect_gradients("q", q);
}
template <class Make>
void expect_divergence(const std::string& name, Make make) {
  expect_divergence(name, make, make);
}

ContinuousBernoulli continuous_bernoulli(const Parameters& p) { return ContinuousBernoulli({.logits = p[0]}); }
LowRankMultivariateNormal low_rank(const Parameters& p) { return {p[0], p[1], p[2]}; }
MultivariateNormal full_rank(const Parameters& p) { return {p[0], {.scale_tril = p[1]}}; }

TEST(KlDivergence, IsPyTorchsWithItsGradients) {
  expect_divergence("Normal", made_of<Normal>);
  expect_divergence("LogNormal", made_of<LogNormal>);
  expect_divergence("Uniform", made_of<Uniform>);
  expect_divergence("Laplace", made_of<Laplace>);
  expect_divergence("Gamma", made_of<Gamma>);
  expect_divergence("Beta", made_of<Beta>);
  expect_divergence("Exponential", made_of<Exponential>);
  expect_divergence("Dirichlet", made_of<Dirichlet>);
  expect_divergence("Bernoulli", [](const Parameters& p) { return Bernoulli({.logits = p[0]}); });
  expect_divergence("Categorical", [](const Parameters& p) { return Categorical({.logits = p[0]}); });
  expect_divergence("MultivariateNormal",
                    [](const Parameters& p) { return MultivariateNormal(p[0], {.scale_tril = p[1]}); });
  expect_divergence("OneHotCategorical", [](const Parameters& p) { return OneHotCategorical({.logits = p[0]}); });
  expect_divergence("Cauchy", made_of<Cauchy>);
  expect_divergence("Gumbel", made_of<Gumbel>);
  expect_divergence("HalfNormal", made_of<HalfNormal>);
  expect_divergence("Pareto", made_of<Pareto>);
  expect_divergence("Binomial", [](const Parameters& p) { return Binomial(7, {.logits = p[0]}); });
  expect_divergence("Geometric", [](const Parameters& p) { return Geometric({.logits = p[0]}); });
  expect_divergence("Poisson", made_of<Poisson>);
  expect_divergence("ContinuousBernoulli", continuous_bernoulli);
  expect_divergence("LowRank", low_rank);
  expect_divergence("LowRank.Full", low_rank, full_rank);
  expect_divergence("Full.LowRank", full_rank, low_rank);
}

TEST(KlDivergence, OfContinuousBernoulliAndOthersIsPyTorchs) {
  expect_divergence("Beta.ContinuousBernoulli", made_of<Beta>, continuous_bernoulli);
  expect_divergence("Uniform.ContinuousBernoulli", made_of<Uniform>, continuous_bernoulli);
  expect_divergence("ContinuousBernoulli.Exponential", continuous_bernoulli, made_of<Exponential>);
  expect_divergence("ContinuousBernoulli.Normal", continuous_bernoulli, made_of<Normal>);
  expect_divergence("ContinuousBernoulli.Uniform", continuous_bernoulli, made_of<Uniform>);
  expect_divergence("ContinuousBernoulli.Pareto", continuous_bernoulli, made_of<Pareto>);
}

struct KlBetweenFamilies {
  int compared = 0;

  template <class P, class Q>
  void expect(const std::string& p, const std::string& q) {
    const std::string name = p + "." + q;
    if constexpr (!std::is_same_v<P, Q> && requires(const P& a, const Q& b) { kl_divergence(a, b); }) {
      if (fixture().find("KL." + name + ".kl")) expect_divergence(name, made_of<P>, made_of<Q>), ++compared;
    }
  }
  template <class P>
  void expect_all(const std::string& p) {
    expect<P, Beta>(p, "Beta");
    expect<P, Exponential>(p, "Exponential");
    expect<P, Gamma>(p, "Gamma");
    expect<P, Gumbel>(p, "Gumbel");
    expect<P, Laplace>(p, "Laplace");
    expect<P, Normal>(p, "Normal");
    expect<P, Pareto>(p, "Pareto");
    expect<P, Uniform>(p, "Uniform");
  }
};

TEST(KlDivergence, BetweenFamiliesIsPyTorchs) {
  KlBetweenFamilies pairs;
  pairs.expect_all<Beta>("Beta");
  pairs.expect_all<Exponential>("Exponential");
  pairs.expect_all<Gamma>("Gamma");
  pairs.expect_all<Gumbel>("Gumbel");
  pairs.expect_all<Laplace>("Laplace");
  pairs.expect_all<Normal>("Normal");
  pairs.expect_all<Pareto>("Pareto");
  pairs.expect_all<Uniform>("Uniform");
  EXPECT_EQ(pairs.compared, 47);  // all that PyTorch has
  expect_divergence(
      "Bernoulli.Poisson", [](const Parameters& p) { return Bernoulli({.logits = p[0]}); }, made_of<Poisson>);
}

TEST(GammaDerivative, IsThatOfExactQuantiles) {
  const Tensor exact = fixture().tensor("gamma_derivative.derivative");
  const Tensor got = detail::log_gamma_derivative(fixture().tensor("gamma_derivative.concentration"),
                                                  fixture().tensor("gamma_derivative.log_x"));
  const Closeness close = allclose(got, exact, {.rtol = 1e-9, .atol = 0});
  EXPECT_TRUE(close) << close.message;
}

}  // namespace
}  // namespace minima::distributions::pytorch_test
