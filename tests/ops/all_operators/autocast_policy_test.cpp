#include "tests/ops/all_operators/autocast_policy.h"

#include "tests/ops/checks/sample.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/ops/reduce/sum.h>

#include <gtest/gtest.h>

namespace minima::test::autocast_policy_test {
namespace {

TEST(AutocastPolicy, IsWhatTheTableClaims) {
  for (const OpCases& cases : all_op_cases()) EXPECT_EQ(autocast_policy(cases), cases.autocast()) << cases.name();
}

TEST(AutocastPolicy, EveryOperatorTakesFloat32AndHalfInputsAndGivesGradientsOfTheirDtype) {
  int checked = 0;
  for (const OpCases& cases : all_op_cases()) {
    if (!cases.has_gradient() || !cases.claims(float32) || !cases.claims(bfloat16)) continue;
    const Wish wish{.dtypes = {float32, bfloat16}, .arrangement = {0}, .max_numel = 200, .requires_grad = true};
    for_each_sample(cases, wish, [&](const Sample& sample) {
      const amp::Autocast guard(DeviceType::cpu);
      const std::vector<Tensor> outputs = Sample::differentiable(sample.call->call(sample.inputs));
      if (outputs.empty()) return;
      const std::vector<Tensor> wanted = sample.wanted();
      const std::vector<Tensor> gradients = grad({sum(outputs.front())}, wanted, {}, {.allow_unused = true});
      for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_TRUE(!gradients[i].defined() || gradients[i].dtype() == wanted[i].dtype())
            << cases.name() << ": " << sample.text();
      ++checked;
    });
  }
  EXPECT_GT(checked, 200);
}

}  // namespace
}  // namespace minima::test::autocast_policy_test
