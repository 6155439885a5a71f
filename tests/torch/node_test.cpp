#include <gtest/gtest.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/torch.h>

#include <memory>
#include <string>

// Nodes of the program's own. References are the derivatives' formulas.

namespace minima::node_test {
namespace {

using torch::Tensor;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

Tensor leaf(torch::ArrayRef<double> values) { return torch::tensor(values, torch::kDouble).requires_grad_(); }

struct PowBackward : Node {
  SavedVariable x;
  double exponent = 0;
  bool was_freed = false;

  variable_list apply(variable_list&& gradients) override {
    if (!task_should_compute_output(0)) return {Tensor()};
    return {gradients[0] * exponent * x.unpack().pow(exponent - 1)};
  }
  void release_variables() override {
    x.reset_data();
    was_freed = true;
  }
};

std::shared_ptr<PowBackward> node_of_pow(const Tensor& x, double exponent) {
  const auto node = std::shared_ptr<PowBackward>(new PowBackward, torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  node->x = SavedVariable(x, false);
  node->exponent = exponent;
  return node;
}

Tensor power(const Tensor& x, double exponent) {
  Tensor y = x.data().pow(exponent);
  if (torch::autograd::compute_requires_grad(x))
    set_history(torch::autograd::flatten_tensor_args(y), node_of_pow(x, exponent));
  return y;
}

TEST(TorchNode, ComputesTheGradientOfItsInput) {
  const Tensor x = leaf({1, -2, 3});
  const Tensor y = power(x * 2, 3);  // 8x³
  EXPECT_TRUE(y.requires_grad());
  y.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), 24 * x.detach().square()));
}

TEST(TorchNode, IsDifferentiableTwice) {
  const Tensor x = leaf({1, -2, 3});
  const Tensor slope = torch::autograd::grad({power(x, 3).sum()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(torch::equal(slope, 3 * x.detach().square()));
  slope.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), 6 * x.detach()));
}

TEST(TorchNode, IsNotRecordedWithoutGradients) {
  const Tensor x = leaf({1});
  EXPECT_EQ(power(x.detach(), 2).grad_fn(), nullptr);
  const torch::NoGradGuard guard;
  EXPECT_EQ(power(x, 2).grad_fn(), nullptr);
}

TEST(TorchNode, FreesWhatItSavedUnlessTheGraphIsRetained) {
  const Tensor x = leaf({2});
  const Tensor y = power(x, 2);
  const auto node = std::dynamic_pointer_cast<PowBackward>(y.grad_fn());
  ASSERT_TRUE(node);
  y.backward({}, true);
  EXPECT_FALSE(node->was_freed);
  y.backward();
  EXPECT_TRUE(node->was_freed);
  EXPECT_EQ(x.grad().item<double>(), 8);
  EXPECT_THROW(y.backward(), c10::Error);
}

TEST(TorchNode, SeesThatASavedTensorHasChanged) {
  const Tensor x = leaf({2});
  const Tensor h = x * 2;
  const Tensor y = power(h, 2);
  h.mul_(2);
  EXPECT_THROW(y.backward(), c10::Error);
}

TEST(TorchNode, IsReachedThroughTheGraph) {
  const Tensor x = leaf({2});
  const Tensor h = x * 2, y = power(h, 2), z = y + 1;
  EXPECT_EQ(z.grad_fn()->next_edges()[0].function, y.grad_fn());
  EXPECT_EQ(y.grad_fn()->next_edge(0).function, h.grad_fn());
  EXPECT_NE(y.grad_fn()->name().find("PowBackward"), std::string::npos);
  EXPECT_EQ(y.grad_fn()->num_inputs(), 1u);
  EXPECT_EQ(y.grad_fn()->num_outputs(), 1u);
  EXPECT_EQ(y.grad_fn()->input_metadata(0).shape, std::vector<std::int64_t>{1});
  EXPECT_GT(z.grad_fn()->sequence_nr(), y.grad_fn()->sequence_nr());
  EXPECT_GT(y.grad_fn()->sequence_nr(), h.grad_fn()->sequence_nr());
  EXPECT_EQ(torch::autograd::impl::grad_accumulator(x), h.grad_fn()->next_edge(0).function);
  EXPECT_THROW((void)y.grad_fn()->next_edge(1), c10::Error);
  EXPECT_THROW(h.grad_fn()->set_next_edges({}), c10::Error) << "the library's own";
}

/// sin and cos of one angle. The gradient uses the outputs.
struct CircleBackward : Node {
  SavedVariable sine, cosine;
  int undefined = 0;

  variable_list apply(variable_list&& gradients) override {
    const Tensor s = sine.unpack(shared_from_this()), c = cosine.unpack(shared_from_this());
    Tensor sum;
    for (int i = 0; i < 2; ++i) {
      undefined += !gradients[i].defined();
      if (!gradients[i].defined()) continue;
      const Tensor part = i == 0 ? gradients[0] * c : -gradients[1] * s;
      sum = sum.defined() ? sum + part : part;
    }
    return {sum};
  }
};

variable_list circle(const Tensor& angle, const std::shared_ptr<CircleBackward>& node) {
  const variable_list result = {angle.data().sin(), angle.data().cos()};
  node->add_next_edge(torch::autograd::impl::gradient_edge(angle));
  set_history(result, node);
  node->sine = SavedVariable(result[0], true);
  node->cosine = SavedVariable(result[1], true);
  return result;
}

TEST(TorchNode, MayHaveSeveralOutputs) {
  const Tensor x = leaf({0.5, 1});
  const auto node = std::make_shared<CircleBackward>();
  const variable_list both = circle(x, node);
  EXPECT_EQ(both[1].output_nr(), 1);
  EXPECT_EQ(both[0].grad_fn(), both[1].grad_fn());
  torch::autograd::grad({both[1].sum()}, {x}, {}, true);
  EXPECT_EQ(node->undefined, 1) << "no gradient has come from the sine";
  const Tensor slope = torch::autograd::grad({(2 * both[0] + 3 * both[1]).sum()}, {x}, {}, true, true)[0];
  const Tensor s = x.detach().sin(), c = x.detach().cos();
  EXPECT_TRUE(torch::allclose(slope, 2 * c - 3 * s, 1e-14));
  slope.sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad(), -2 * s - 3 * c, 1e-14)) << "through the saved outputs";
}

TEST(TorchNode, MustReturnAGradientForEachEdge) {
  struct Wrong : Node {
    variable_list answer;
    variable_list apply(variable_list&&) override { return answer; }
  };
  const auto fails = [](variable_list answer, const std::string& part) {
    const Tensor x = leaf({1, 2});
    Tensor y = x.data() * 1;
    const auto node = std::make_shared<Wrong>();
    node->answer = std::move(answer);
    node->set_next_edges(torch::autograd::collect_next_edges(x));
    set_history(y, node);
    try {
      y.sum().backward();
      FAIL() << "accepted";
    } catch (const c10::Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  fails({}, "returned an invalid number of gradients - expected 1, but got 0");
  fails({torch::ones({3})}, "returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2]");
}

TEST(TorchNode, TakesTheHistoryOfATensorThatItChanges) {
  struct DoubleBackward : Node {
    variable_list apply(variable_list&& gradients) override { return {gradients[0] * 2}; }
  };
  const auto doubled = [](const Tensor& x) {
    const auto node = std::make_shared<DoubleBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x));
    {
      const torch::NoGradGuard guard;
      x.mul_(2);
    }
    rebase_history(x, node);
  };
  const Tensor x = leaf({1, 2, 3});
  const Tensor h = x * 1;
  doubled(h);
  doubled(h.slice(0, 0, 2));  // of a view, the base's history
  h.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::tensor({4., 4., 2.}, torch::kDouble)));
  EXPECT_THROW(rebase_history(x, std::make_shared<DoubleBackward>()), c10::Error) << "a leaf that requires grad";
}

TEST(TorchNode, OutlivesItsTensor) {
  const Tensor x = leaf({3});
  std::shared_ptr<Node> held;
  torch::autograd::edge_list edges;
  {
    const Tensor y = power(x, 2);
    held = y.grad_fn();
    edges = torch::autograd::collect_next_edges(y);
  }
  Tensor z = torch::ones({1}, torch::kDouble);
  set_history(z, [&] {
    const auto node = node_of_pow(torch::ones({1}, torch::kDouble), 5);
    node->set_next_edges(std::move(edges));
    return node;
  }());
  z.backward();
  EXPECT_EQ(x.grad().item<double>(), 5 * 2 * 3);
  EXPECT_EQ(held->num_inputs(), 1u);
}

TEST(TorchNode, OfTheLibraryCanBeCalled) {
  const Tensor a = leaf({2, 3}), b = leaf({4, 5});
  const Tensor y = a * b;
  const variable_list slopes = (*y.grad_fn())({torch::ones({2}, torch::kDouble)});
  ASSERT_EQ(slopes.size(), 2u);
  EXPECT_TRUE(torch::equal(slopes[0], b.detach()) && torch::equal(slopes[1], a.detach()));
  EXPECT_THROW((*y.grad_fn())({}), c10::Error);
  (*y.grad_fn()->next_edge(0).function)({torch::ones({2}, torch::kDouble)});
  EXPECT_TRUE(torch::equal(a.grad(), torch::ones({2}, torch::kDouble))) << "a leaf's node accumulates";
}

TEST(TorchNode, ChainsOfAnyLengthAreReleased) {
  const Tensor x = leaf({1});
  Tensor y = x * 1;
  for (int i = 0; i < 50000; ++i) y = power(y, 1);
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 1);
}

}  // namespace
}  // namespace minima::node_test
