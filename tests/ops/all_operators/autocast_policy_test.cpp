#include "tests/ops/all_operators/autocast_policy.h"

#include "tests/ops/checks/sample.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/ops/reduce/sum.h>

#include <gtest/gtest.h>

#include <map>

namespace minima::test {
namespace {

/// PyTorch's lists for CUDA (aten/src/ATen/autocast_mode.h) with the names here; what is not in them follows its
/// inputs.
const std::map<std::string, std::string>& pytorch() {
  static const std::map<std::string, std::string> policies{
      {"conv2d", "lower precision"},
      {"linear", "lower precision"},
      {"matmul", "lower precision"},
      {"scaled_dot_product_attention", "lower precision"},
      {"add_layer_norm", "float32"},  // layer_norm
      {"cross_entropy", "float32"},   // and nll_loss
      {"exp", "float32"},
      {"expm1", "float32"},
      {"layer_norm", "float32"},
      {"log", "float32"},
      {"log1p", "float32"},
      {"linear_cross_entropy", "float32"},  // its product is of lower precision, as linear
      {"log_softmax", "float32"},
      {"pow", "float32"},
      {"rsqrt", "float32"},
      {"scalar pow", "float32"},
      {"scalar div", "float32"},  // __rtruediv__, reciprocal
      {"softmax", "float32"},
      {"square", "float32"},  // pow
      {"sum", "float32"},
      {"sum_to", "float32"},
      {"scatter_add", "widest"},
      {"cumsum", "float32"},
      {"cumprod", "float32"},
      {"prod", "float32"},
      {"conv1d", "lower precision"},
      {"conv_transpose1d", "lower precision"},
      {"conv_transpose2d", "lower precision"},
      {"searchsorted", "widest"},  // promotes in PyTorch
      {"index_add", "widest"},     // made of scatter_add
      {"einsum", "lower precision"},
      {"prelu", "lower precision"},
      {"acos", "float32"},
      {"asin", "float32"},
      {"cosh", "float32"},
      {"sinh", "float32"},
      {"tan", "float32"},
      {"log2", "float32"},
      {"log10", "float32"},
      {"reciprocal", "float32"},
      {"softplus", "float32"},
      {"group_norm", "float32"},
      {"norm", "float32"},
      {"logsumexp", "float32"},
      {"mse_loss", "float32"},
      {"l1_loss", "float32"},
      {"smooth_l1_loss", "float32"},
      {"huber_loss", "float32"},
      {"binary_cross_entropy_with_logits", "float32"},
      {"kl_div", "float32"},
      {"nll_loss", "float32"},
      {"kl_div_log_target", "float32"},     // kl_div
      {"binary_cross_entropy", "float32"},  // refused by PyTorch in float16, for its range
  };
  return policies;
}

TEST(AutocastPolicy, IsPyTorchsForEveryOperator) {
  std::map<std::string, std::string> expected = pytorch();
  for (const OpCases& cases : all_op_cases()) {
    EXPECT_EQ(autocast_policy(cases), expected[cases.name()]) << cases.name();
    expected.erase(cases.name());
  }
  for (const auto& [name, policy] : expected) ADD_FAILURE() << "there is no table of " << name;
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
}  // namespace minima::test
