#include <minima/autograd/backward.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/nn/nn.h>
#include <minima/nn/parametrize/norms.h>
#include <minima/nn/parametrize/prune.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// tests/fixtures/parametrizations/generate.py describes the fixture.

namespace minima::nn::pytorch_test {
namespace {

const State& fixture() {
  static const State state = minima::load(MINIMA_FIXTURES "/parametrizations/parametrizations.safetensors");
  return state;
}

void expect_close(const std::string& name, const Tensor& x, const Tensor& expected) {
  const Closeness close = allclose(x.detach(), expected, {.rtol = 1e-9, .atol = 1e-11});
  EXPECT_TRUE(close) << name << ": " << close.message;
}

/// Loads PyTorch's state dict, calls the module once and compares everything.
template <class M>
void check(const std::string& name, M module) {
  SCOPED_TRACE(name);
  const State expected = fixture().sub(name);
  module.to(float64);
  module.load_state_dict(expected.sub("before"));
  const Tensor y = module(expected.tensor("x"));
  expect_close("y", y, expected.tensor("y"));
  const State after = expected.sub("after");
  const State state = module.state_dict();
  EXPECT_EQ(state.tensors().size(), after.tensors().size());
  for (const auto& [key, value] : after.tensors()) expect_close(key, state.tensor(key), value);
  const std::vector<NamedTensor> parameters = module.named_parameters();
  std::vector<Tensor> leaves;
  for (const NamedTensor& parameter : parameters) leaves.push_back(parameter.tensor);
  const Tensor loss = sum(y * reshape(cos(arange(y.numel()).to(float64)), y.shape()));
  const std::vector<Tensor> gradients = grad({loss}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    expect_close("grad." + parameters[i].name, gradients[i], expected.tensor("grad." + parameters[i].name));
}

TEST(Parametrizations, ComputeWhatPyTorchsDo) {
  check("weight_norm_linear", weight_norm(Linear({.in = 4, .out = 3})));
  check("weight_norm_whole", weight_norm(Linear({.in = 4, .out = 3}), "weight", {}));
  check("weight_norm_conv", weight_norm(Conv2d({.in = 2, .out = 3, .kernel = 3}), "weight", 1));
  check("spectral_norm_linear", spectral_norm(Linear({.in = 4, .out = 3})));
  check("spectral_norm_conv", spectral_norm(Conv2d({.in = 2, .out = 3, .kernel = 3}), {.n_power_iterations = 2}));
  check("spectral_norm_transposed", spectral_norm(ConvTranspose2d({.in = 2, .out = 3, .kernel = 3})));
  check("orthogonal_square", orthogonal(Linear({.in = 4, .out = 4})));
  check("orthogonal_tall", orthogonal(Linear({.in = 3, .out = 5})));
  check("orthogonal_wide", orthogonal(Linear({.in = 5, .out = 3}), {.map = OrthogonalMap::matrix_exp}));
}

TEST(Prune, ComputesWhatPyTorchDoes) {
  Linear pruned({.in = 6, .out = 4});
  prune::identity(pruned, "weight");
  check("pruned", pruned);
}

TEST(Prune, ChoosesPyTorchsElements) {
  const State expected = fixture().sub("prune");
  const auto fresh = [&] {
    Linear layer({.in = 6, .out = 4, .bias = false});
    layer.to(float64);
    layer.load_state_dict([&] {
      State state;
      state.add("weight", expected.tensor("weight"));
      return state;
    }());
    return layer;
  };
  Linear by_fraction = fresh(), by_count = fresh();
  prune::l1_unstructured(by_fraction, "weight", 0.3);
  expect_close("fraction", by_fraction.state_dict().tensor("weight_mask"), expected.tensor("l1_unstructured"));
  prune::ln_structured(by_fraction, "weight", 0.5, 2, 1);
  expect_close("slices", by_fraction.state_dict().tensor("weight_mask"), expected.tensor("then_ln_structured"));
  prune::l1_unstructured(by_count, "weight", 7);
  expect_close("count", by_count.state_dict().tensor("weight_mask"), expected.tensor("l1_unstructured_count"));
}

}  // namespace
}  // namespace minima::nn::pytorch_test
