#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/decay_groups.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/rmsprop.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/structured/lbfgs.h>
#include <minima/optim/structured/muon.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

// Parameter groups inherit options as torch.optim's do, and states name the optimizer that saved them.

namespace minima::optim::groups_test {
namespace {

using test::message_of;

Tensor parameter(std::int64_t size = 2) { return ones({size}).requires_grad(true); }

TEST(ParamGroups, InheritTheConstructorsOptions) {
  SGD optimizer({parameter()}, {.lr = 0.01, .momentum = 0.9, .weight_decay = 1e-4, .nesterov = true});
  optimizer.add_param_group({parameter()}, {.weight_decay = 0});
  EXPECT_EQ(optimizer.options(1).lr, 0.01);
  EXPECT_EQ(optimizer.options(1).momentum, 0.9);
  EXPECT_EQ(optimizer.options(1).weight_decay, 0);
  EXPECT_TRUE(optimizer.options(1).nesterov);
  optimizer.add_param_group({parameter()});
  EXPECT_EQ(optimizer.options(2).weight_decay, 1e-4);
}

TEST(ParamGroups, DoNotInheritLaterChanges) {
  // As PyTorch's `defaults`: a schedule that has lowered the learning rate of existing groups does not affect new ones.
  AdamW optimizer({parameter()}, {.lr = 0.01});
  optimizer.set_lr(0.001);
  optimizer.options().weight_decay *= 2;
  optimizer.add_param_group({parameter()}, {.beta1 = 0.8});
  EXPECT_EQ(optimizer.lr(1), 0.01);
  EXPECT_EQ(optimizer.options(0).weight_decay, 0.02);
  EXPECT_EQ(optimizer.options(1).weight_decay, 0.01);
  EXPECT_EQ(optimizer.options(1).beta1, 0.8);
}

TEST(ParamGroups, AValueEqualToTheDefaultIsNotInherited) {
  SGD optimizer({parameter()}, {.lr = 0.01});
  optimizer.add_param_group({parameter()}, {.lr = 1e-3});
  EXPECT_EQ(optimizer.lr(1), 1e-3);
}

TEST(ParamGroups, MatricesDecayAndVectorsDoNot) {
  const Tensor matrix = ones({2, 2}).requires_grad(true), kernel = ones({1, 1, 1}).requires_grad(true);
  const Tensor bias = parameter(), scale = ones({}).requires_grad(true);
  AdamW optimizer(decay_groups<AdamWOptions>({bias, matrix, scale, kernel}), {.lr = 0.5, .weight_decay = 0.25});
  ASSERT_EQ(optimizer.group_count(), 2u);
  EXPECT_EQ(optimizer.options(0).weight_decay, 0.25);
  EXPECT_EQ(optimizer.options(1).weight_decay, 0);
  EXPECT_EQ(optimizer.lr(1), 0.5);
  for (const Tensor& x : {bias, matrix, scale, kernel}) x.set_grad(zeros(x.shape()));
  optimizer.step();  // 1 - lr · weight_decay
  for (const Tensor& x : {matrix, kernel}) EXPECT_EQ(x.detach().to_vector<float>().front(), 0.875f);
  for (const Tensor& x : {bias, scale}) EXPECT_EQ(x.detach().to_vector<float>().front(), 1);
  EXPECT_EQ(decay_groups<SGDOptions>({bias}).groups().size(), 1u);
  EXPECT_TRUE(decay_groups<SGDOptions>({}).groups().empty());
}

TEST(ParamGroups, ArePassedToTheConstructor) {
  const Tensor a = parameter(), b = parameter(), c = parameter();
  SGD optimizer({{.parameters = {a, b}}, {.parameters = {c}, .options = {.lr = 1e-2}}}, {.lr = 1e-3, .momentum = 0.9});
  ASSERT_EQ(optimizer.group_count(), 2u);
  EXPECT_EQ(optimizer.parameters(0).size(), 2u);
  EXPECT_TRUE(optimizer.parameters(1)[0].is_same(c));
  EXPECT_EQ(optimizer.lr(0), 1e-3);
  EXPECT_EQ(optimizer.lr(1), 1e-2);
  EXPECT_EQ(optimizer.momentum(1), 0.9);
  for (const Tensor& x : {a, b, c}) x.set_grad(ones({2}));
  optimizer.step();
  EXPECT_FLOAT_EQ(a.to_vector<float>()[0], 1 - 1e-3f);
  EXPECT_FLOAT_EQ(c.to_vector<float>()[0], 1 - 1e-2f);
}

TEST(ParamGroups, ArePassedAsAList) {
  std::vector<ParamGroup<AdamWOptions>> groups;
  for (int layer = 0; layer < 3; ++layer) groups.push_back({{parameter()}, {.lr = 0.1 * layer}});
  const AdamW optimizer(groups, {.weight_decay = 0});
  EXPECT_EQ(optimizer.group_count(), 3u);
  EXPECT_EQ(optimizer.lr(2), 0.2);
  EXPECT_EQ(optimizer.options(1).weight_decay, 0);
}

TEST(ParamGroups, PlainOptionsInheritValuesEqualToTheDefault) {
  LBFGS optimizer({parameter()}, {.lr = 0.5, .max_iterations = 7});
  EXPECT_EQ(optimizer.lr(), 0.5);
  EXPECT_EQ(optimizer.options().max_iterations, 7);
}

TEST(ParamGroups, AreValidatedWithInheritedOptions) {
  SGD optimizer({parameter()}, {.momentum = 0.9, .nesterov = true});
  EXPECT_EQ(message_of<ValueError>([&] { optimizer.add_param_group({parameter()}, {.momentum = 0}); }),
            "optimizer: nesterov needs a momentum above 0, got 0");
  EXPECT_EQ(message_of<ValueError>([&] { optimizer.add_param_group({parameter()}, {.dampening = 0.5}); }),
            "optimizer: nesterov needs a dampening of 0, got 0.5");
  EXPECT_EQ(message_of<ValueError>([&] { optimizer.add_param_group({parameter()}, {.lr = -1}); }),
            "optimizer: lr must not be negative, got -1");
  EXPECT_EQ(message_of<ValueError>([] { SGD({}, {}); }), "optimizer: there are no parameters");
  EXPECT_EQ(message_of<ValueError>([] { SGD({{.parameters = {}}}, {}); }), "optimizer: the group has no parameters");
  EXPECT_EQ(optimizer.group_count(), 1u);
}

TEST(ParamGroups, MuonRequiresMatricesAndLbfgsOneGroup) {
  Muon muon({zeros({2, 2}).requires_grad(true)});
  EXPECT_THROW(muon.add_param_group({parameter()}), ShapeError);
  EXPECT_EQ(muon.group_count(), 1u);
  LBFGS lbfgs({parameter()});
  EXPECT_EQ(message_of<ValueError>([&] { lbfgs.add_param_group({parameter()}); }),
            "LBFGS: supports one group only; pass all parameters to the constructor");
}

State after_a_step(Optimizer& optimizer) {
  for (const Tensor& x : optimizer.parameters()) x.set_grad(ones(x.shape()));
  optimizer.step();
  return optimizer.state_dict();
}

TEST(OptimizerState, NamesTheOptimizerThatSavedIt) {
  SGD sgd({parameter()}, {.momentum = 0.9});
  Adam adam({parameter()});
  const State of_sgd = after_a_step(sgd), of_adam = after_a_step(adam);
  EXPECT_EQ(message_of<ValueError>([&] { adam.load_state_dict(of_sgd); }),
            "Adam: param_groups.0 of the state has no beta1, only lr, momentum, dampening, weight_decay, nesterov, "
            "maximize, params; "
            "it was saved by another optimizer, SGD");
  EXPECT_CONTAINS(message_of<ValueError>([&] { sgd.load_state_dict(of_adam); }),
                  "; it was saved by another optimizer, Adam");
  LBFGS lbfgs({parameter()});
  EXPECT_CONTAINS(message_of<ValueError>([&] { lbfgs.load_state_dict(of_adam); }),
                  "; it was saved by another optimizer, Adam");

  State hostile = of_sgd;
  hostile.set_text("class", "\x1b]0;owned\x07");
  hostile.set_text("param_groups.0.a\nb", "");
  const std::string message = message_of<ValueError>([&] { adam.load_state_dict(hostile); });
  EXPECT_CONTAINS(message, "another optimizer, \\x1b]0;owned\\x07");
  EXPECT_CONTAINS(message, "params, a\\x0ab");

  State unnamed;  // like PyTorch's
  unnamed.add("param_groups", of_sgd.sub("param_groups"));
  EXPECT_CONTAINS(message_of<ValueError>([&] { adam.load_state_dict(unnamed); }),
                  "; was it saved by another optimizer?");
  EXPECT_CONTAINS(message_of<ValueError>([&] { adam.load_state_dict(State()); }),
                  "Adam: the state has no param_groups.0");
}

TEST(OptimizerState, OfAdamLoadsIntoAdamW) {
  Adam adam({parameter()}, {.lr = 0.5});
  AdamW adamw({parameter()});
  adamw.load_state_dict(after_a_step(adam));
  EXPECT_EQ(adamw.lr(), 0.5);
  EXPECT_EQ(adamw.type_name(), "AdamW");
}

TEST(OptimizerState, WithMoreOrFewerGroupsIsRejected) {
  Adam one({parameter()}), two({{.parameters = {parameter()}}, {.parameters = {parameter()}}});
  EXPECT_EQ(message_of<ValueError>([&] { one.load_state_dict(two.state_dict()); }),
            "Adam: the state has more parameter groups than the optimizer, which has 1");
  EXPECT_EQ(message_of<ValueError>([&] { two.load_state_dict(one.state_dict()); }),
            "Adam: the state has no param_groups.1");
}

}  // namespace
}  // namespace minima::optim::groups_test
