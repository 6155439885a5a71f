#include "tests/support/gpu_test.h"

#include <minima/autograd/backward.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>

#include <functional>
#include <vector>

namespace minima::distributions::gpu_test {
namespace {

using GpuDistributions = test::GpuTest;
using Tensors = std::vector<Tensor>;

/// Draws, their log_prob and the gradients of both on the GPU are those on the CPU.
void expect_same(const std::function<Tensors(const Tensors&, RandomGenerator&)>& run) {
  Tensors results[2];
  for (const bool on_gpu : {false, true}) {
    Tensors parameters{tensor({0.3, 1.0, 2.5, 40.0}), tensor({1.5, 0.6, 3.0, 2.0})};
    for (Tensor& p : parameters) p = p.to(on_gpu ? Device::cuda() : Device::cpu()).detach().requires_grad(true);
    RandomGenerator generator(12);
    const Tensors outputs = run(parameters, generator);
    Tensor total = sum(square(outputs[0]));
    for (std::size_t i = 1; i < outputs.size(); ++i) total = total + sum(square(outputs[i]));
    Tensors& kept = results[on_gpu];
    kept = outputs;
    for (const Tensor& g : grad({total}, parameters, {}, {.allow_unused = true}))
      if (g.defined()) kept.push_back(g);
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_EQ(results[1][i].device(), Device::cuda());
    // The gradients of log_prob by x and by the location cancel, which leaves differences of their rounding.
    const Closeness close =
        allclose(results[1][i].detach().to(Device::cpu()), results[0][i].detach(), {.rtol = 1e-4, .atol = 1e-5});
    EXPECT_TRUE(close) << "result " << i << ": " << close.message;
  }
}

TEST_F(GpuDistributions, DrawAndDifferentiateAsOnTheCpu) {
  const auto of = [](auto make) {
    return [make](const Tensors& p, RandomGenerator& generator) {
      const auto law = make(p);
      const Tensor x = law.has_rsample() ? law.rsample({5}, &generator) : law.sample({5}, &generator);
      return Tensors{law.log_prob(x), x.to(float32)};
    };
  };
  expect_same(of([](const Tensors& p) { return Normal(p[0], p[1]); }));
  expect_same(of([](const Tensors& p) { return Laplace(p[0], p[1]); }));
  expect_same(of([](const Tensors& p) { return Exponential(p[0]); }));
  expect_same(of([](const Tensors& p) { return Gamma(p[0], p[1]); }));
  expect_same(of([](const Tensors& p) { return Beta(p[0] + 1, p[1] + 1); }));
  expect_same(of([](const Tensors& p) { return Dirichlet(p[0] + 1); }));
  expect_same(of([](const Tensors& p) { return StudentT(p[0] + 1, p[1], 2); }));
  expect_same(of([](const Tensors& p) { return Weibull(p[0], p[1]); }));
  expect_same(of([](const Tensors& p) { return InverseGamma(p[0] + 1, p[1]); }));
  expect_same(of([](const Tensors& p) { return Poisson(p[0]); }));
  expect_same(of([](const Tensors& p) { return MultivariateNormal(p[0], {.scale_tril = diag(p[1])}); }));
  expect_same(of([](const Tensors& p) { return MixtureSameFamily(Categorical({.logits = p[1]}), Normal(p[0], 1)); }));
  expect_same(of([](const Tensors& p) { return Bernoulli({.logits = p[0]}); }));
  expect_same(of([](const Tensors& p) { return Categorical({.logits = p[0]}); }));
  expect_same(of([](const Tensors& p) { return Multinomial(9, {.logits = p[1]}); }));
}

}  // namespace
}  // namespace minima::distributions::gpu_test
