#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <unordered_set>
#include <vector>

// References are PyTorch's.

namespace minima::autograd_test {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

torch::Tensor leaf(torch::IntArrayRef shape = {2, 3}) { return torch::ones(shape).requires_grad_(); }

/// x · factor, with a gradient that shows when it ran.
struct Scale : torch::autograd::Function<Scale> {
  static Variable forward(AutogradContext* context, Variable x, double factor) {
    context->saved_data["factor"] = factor;
    context->save_for_backward({x});
    return x * factor;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const double factor = context->saved_data["factor"].toDouble();
    const Variable x = context->get_saved_variables()[0];
    return {gradients[0] * factor * x / x, Variable()};
  }
};

TEST(TorchFunction, IsANodeOfTheGraph) {
  const torch::Tensor x = leaf();
  const torch::Tensor y = Scale::apply(x * 2, 3.0);
  EXPECT_EQ(y.grad_fn()->name().find("torch::autograd::CppNode<"), 0u);
  EXPECT_EQ(y.grad_fn()->next_edges()[0].function->name(), "MulBackward0");
  y.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2, 3}, 6.0)));
}

TEST(TorchFunction, IsDifferentiableTwice) {
  const torch::Tensor x = torch::full({3}, 2.0, torch::requires_grad());
  const torch::Tensor y = Scale::apply(x * x, 3.0).sum();
  const torch::Tensor slope = torch::autograd::grad({y}, {x}, {}, true, true)[0];
  EXPECT_TRUE(torch::equal(slope, torch::full({3}, 12.0)));
  slope.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({3}, 6.0)));
}

TEST(TorchFunction, SeesThatASavedTensorHasChanged) {
  const torch::Tensor x = leaf();
  torch::Tensor h = x * 2;
  const torch::Tensor y = Scale::apply(h, 3.0).sum();
  h.add_(1);
  try {
    y.backward();
    FAIL() << "backward used a changed tensor";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("modified by an inplace operation"), std::string::npos) << error.what();
  }
}

/// Returns its input as it is, and a sum that has no gradient.
struct PassThrough : torch::autograd::Function<PassThrough> {
  static variable_list forward(AutogradContext* context, Variable x) {
    const Variable total = x.sum();
    context->mark_non_differentiable({total});
    return {x, total};
  }
  static variable_list backward(AutogradContext*, variable_list gradients) {
    EXPECT_TRUE(gradients[1].defined()) << "undefined gradients are zeros unless set_materialize_grads(false)";
    return {gradients[0] * 10};
  }
};

TEST(TorchFunction, GivesAReturnedInputAHistoryOfItsOwn) {
  const torch::Tensor x = leaf();
  const variable_list out = PassThrough::apply(x);
  EXPECT_FALSE(out[0].is_same(x));
  EXPECT_EQ(out[0].data_ptr(), x.data_ptr());
  EXPECT_FALSE(out[1].requires_grad());
  out[0].sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2, 3}, 10.0)));
}

TEST(TorchHooks, ReplaceGradientsAndAreRemovedByNumber) {
  const torch::Tensor x = leaf();
  const torch::Tensor y = x * 2;
  int calls = 0;
  const unsigned first = y.register_hook([&](torch::Tensor) { ++calls; });
  const unsigned second = y.register_hook([](torch::Tensor grad) { return grad * 5; });
  EXPECT_EQ(second, first + 1);
  y.sum().backward({}, true);
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2, 3}, 10.0)));
  y.remove_hook(first);
  y.sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(y.remove_hook(first), c10::Error);
}

TEST(TorchGraph, NodesHaveLibTorchsNames) {
  const torch::Tensor x = torch::rand({2, 3}, torch::requires_grad());
  const torch::Tensor w = torch::rand({4, 3}, torch::requires_grad()), b = torch::rand({4}, torch::requires_grad());
  const torch::Tensor image = torch::rand({1, 2, 6, 6}, torch::requires_grad());
  const std::vector<std::pair<torch::Tensor, const char*>> cases{
      {x + x, "AddBackward0"},
      {x.pow(2), "PowBackward0"},
      {x.log_softmax(1), "LogSoftmaxBackward0"},
      {x.sum(), "SumBackward0"},
      {x.sum(1), "SumBackward1"},
      {x.mean(), "MeanBackward0"},
      {x.mm(w.t()), "MmBackward0"},
      {torch::linear(x, w, b), "AddmmBackward0"},
      {torch::linear(x, w), "MmBackward0"},
      {torch::conv2d(image, torch::rand({3, 2, 3, 3})), "ConvolutionBackward0"},
      {torch::max_pool2d(image, 2), "MaxPool2DWithIndicesBackward0"},
      {torch::avg_pool2d(image, 2), "AvgPool2DBackward0"},
      {x.view({6}), "ViewBackward0"},
      {x.clone(), "CloneBackward0"},
      {x.clamp(0, 1), "ClampBackward1"},
      {x.to(torch::kDouble), "ToCopyBackward0"},
  };
  for (const auto& [tensor, name] : cases) EXPECT_EQ(tensor.grad_fn()->name(), name);
  EXPECT_EQ(x.grad_fn(), nullptr);
  EXPECT_EQ((x + 1).grad_fn()->next_edges()[0].function->name(), "torch::autograd::AccumulateGrad");
}

TEST(TorchGraph, NodesAreTheSameWhereverTheyAreReached) {
  const torch::Tensor x = leaf(), shared = x * 2, y = shared + shared.exp();
  EXPECT_EQ(y.grad_fn(), y.grad_fn());
  const auto edges = y.grad_fn()->next_edges();
  EXPECT_EQ(edges[0].function, shared.grad_fn());
  EXPECT_EQ(edges[1].function->next_edges()[0].function.get(), shared.grad_fn().get());
}

TEST(TorchViews, ChangedInPlaceTakePartInTheirBasesHistory) {
  const torch::Tensor x = leaf();
  const torch::Tensor y = x.clone();
  const torch::Tensor row = y[0];
  EXPECT_TRUE(row.is_view());
  EXPECT_TRUE(row._base().is_same(y));
  row.mul_(2);
  EXPECT_EQ(y.grad_fn()->name(), "torch::autograd::CopySlices");
  EXPECT_EQ(row.grad_fn()->name(), "AsStridedBackward0");
  EXPECT_EQ(row._version(), y._version());
  y.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::tensor({{2.f, 2.f, 2.f}, {1.f, 1.f, 1.f}})));
}

TEST(TorchBackward, AccumulatesIntoTheGivenInputsOnly) {
  const torch::Tensor x = leaf(), y = leaf();
  const torch::Tensor z = x * y;
  z.backward(torch::ones_like(z), std::nullopt, false, variable_list{x, z});
  EXPECT_TRUE(torch::equal(x.grad(), y));
  EXPECT_TRUE(torch::equal(z.grad(), torch::ones_like(z)));
  EXPECT_FALSE(y.grad().defined());
}

TEST(TorchBackward, LeavesAGraphOfTheGradientIfAsked) {
  const torch::Tensor x = torch::full({2}, 3.0, torch::requires_grad());
  (x * x * x).sum().backward({}, std::nullopt, /*create_graph=*/true);
  EXPECT_TRUE(torch::equal(x.grad().detach(), torch::full({2}, 27.0)));
  const torch::Tensor second = torch::autograd::grad({x.grad().sum()}, {x})[0];
  EXPECT_TRUE(torch::equal(second, torch::full({2}, 18.0)));
  x.mutable_grad().reset();  // the gradient's graph holds x, and x the gradient
}

TEST(TorchModes, EndWithTheirGuards) {
  const torch::Tensor x = leaf();
  {
    const torch::NoGradGuard outer;
    EXPECT_FALSE((x * 2).requires_grad());
    {
      const torch::AutoGradMode inner(true);
      EXPECT_TRUE((x * 2).requires_grad());
    }
    EXPECT_FALSE(torch::GradMode::is_enabled());
  }
  torch::Tensor made;
  {
    const c10::InferenceMode guard;
    made = torch::ones({2, 3});
    EXPECT_TRUE((made * x).is_inference());
  }
  EXPECT_TRUE(made.is_inference());
  EXPECT_THROW(made.requires_grad_(), c10::Error);
  EXPECT_THROW(made * x, c10::Error) << "x's gradient would need what the tensor holds";
}

TEST(TorchIValue, HoldsWhatArchivesHold) {
  c10::Dict<std::string, torch::Tensor> weights;
  weights.insert("a", torch::ones({2}));
  const c10::IValue value(weights);
  EXPECT_TRUE(value.isGenericDict());
  for (const auto& entry : value.toGenericDict()) EXPECT_EQ(entry.key().toStringRef(), "a");
  EXPECT_EQ(c10::IValue(std::vector<std::int64_t>{3, 4}).toIntVector()[1], 4);
  EXPECT_EQ(c10::IValue(std::tuple(0.9, 0.999)).toTupleRef().elements()[1].toDouble(), 0.999);
  EXPECT_THROW(c10::IValue(1).toTensor(), c10::Error);
}

}  // namespace
}  // namespace minima::autograd_test
