#include "tests/support/device.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace minima::optim::optim_test {
namespace {

const State& fixture() {
  static const State state = load(MINIMA_FIXTURES "/optim.safetensors");
  return state;
}

const Device device = test::test_device();

Tensor on_device(const Tensor& x) { return device.is_cpu() ? clone(x) : x.to(device); }

std::vector<Tensor> start() {
  return {on_device(fixture().tensor("start.0")).requires_grad(true),
          on_device(fixture().tensor("start.1")).requires_grad(true)};
}

void set_gradients(const std::vector<Tensor>& parameters, int step) {
  for (int i = 0; i < 2; ++i) parameters[i].set_grad(on_device(fixture().tensor(str("gradients.", i))[step]));
}

/// The steps of tests/fixtures/generate_optim.py.
template <class Optimizer>
void train(Optimizer& optimizer, const std::vector<Tensor>& parameters, int from, int to, const std::string& variant) {
  for (int step = from; step < to; ++step) {
    set_gradients(parameters, step);
    if (step >= 20 && step < 30) parameters[1].zero_grad();
    optimizer.step();
    if (variant.empty() || step % 10 != 9) continue;
    for (int i = 0; i < 2; ++i) {
      const Closeness close = allclose(parameters[i].detach().to(Device::cpu()),
                                       fixture().tensor(str(variant, ".", i))[step / 10], {1e-12, 1e-12});
      ASSERT_TRUE(close) << variant << " parameter " << i << " after step " << step << ": " << close.message;
    }
  }
}

template <class Optimizer, class Options>
void expect_trajectory(const std::string& variant, const Options& options) {
  const auto parameters = start();
  Optimizer optimizer(parameters, options);
  train(optimizer, parameters, 0, 100, variant);
}

TEST(Sgd, FollowsPyTorch) {
  expect_trajectory<SGD>("sgd", SGDOptions{.lr = 0.1});
  expect_trajectory<SGD>("sgd_decay", SGDOptions{.lr = 0.1, .weight_decay = 0.05});
  expect_trajectory<SGD>("sgd_momentum", SGDOptions{.lr = 0.1, .momentum = 0.9});
  expect_trajectory<SGD>("sgd_dampening",
                         SGDOptions{.lr = 0.1, .momentum = 0.8, .dampening = 0.3, .weight_decay = 0.01});
  expect_trajectory<SGD>("sgd_nesterov",
                         SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.02, .nesterov = true});
  expect_trajectory<SGD>("sgd_maximize",
                         SGDOptions{.lr = 0.05, .momentum = 0.5, .weight_decay = 0.02, .maximize = true});
}

TEST(Adam, FollowsPyTorch) {
  expect_trajectory<Adam>("adam", AdamOptions{.lr = 0.01});
  expect_trajectory<Adam>("adam_decay",
                          AdamOptions{.lr = 0.01, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.1});
  expect_trajectory<Adam>("adam_amsgrad", AdamOptions{.lr = 0.02, .weight_decay = 0.01, .amsgrad = true});
  expect_trajectory<Adam>("adam_maximize", AdamOptions{.lr = 0.02, .maximize = true});
}

TEST(AdamW, FollowsPyTorch) {
  expect_trajectory<AdamW>("adamw", AdamWOptions{.lr = 0.01});
  expect_trajectory<AdamW>("adamw_decay", AdamWOptions{.lr = 0.03, .beta1 = 0.85, .beta2 = 0.97, .weight_decay = 0.2});
  expect_trajectory<AdamW>("adamw_amsgrad", AdamWOptions{.lr = 0.02, .amsgrad = true});
}

TEST(Optimizer, ResumesFromItsStateBitwise) {
  const auto straight = start(), first = start();
  AdamW one(straight, {.lr = 0.01, .amsgrad = true}), two(first, {.lr = 0.01, .amsgrad = true});
  train(one, straight, 0, 60, "");
  train(two, first, 0, 37, "");
  const test::TemporaryFolder folder;
  const std::string path = folder / "optimizer.safetensors";
  save(path, two.state_dict());

  const std::vector<Tensor> again = {clone(first[0].detach()).requires_grad(true),
                                     clone(first[1].detach()).requires_grad(true)};
  AdamW three(again, {.lr = 0.5});
  three.load_state_dict(load(path));
  EXPECT_EQ(three.options().lr, 0.01);
  EXPECT_TRUE(three.options().amsgrad);
  train(three, again, 37, 60, "");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(identical(straight[i], again[i]));
}

TEST(Optimizer, KeepsPyTorchsNames) {
  const auto parameters = start();
  Adam optimizer(parameters);
  set_gradients(parameters, 0);
  optimizer.step();
  const State state = optimizer.state_dict();
  EXPECT_NE(state.find("state.0.exp_avg"), nullptr);
  EXPECT_NE(state.find("state.1.exp_avg_sq"), nullptr);
  EXPECT_EQ(state.integer("state.1.step"), 1);
  EXPECT_EQ(state.number("param_groups.0.lr"), 1e-3);
}

TEST(Optimizer, RejectsAMismatchedStateUnchanged) {
  const auto parameters = start();
  Adam optimizer(parameters), other({parameters[1]});
  set_gradients(parameters, 0);
  optimizer.step();
  other.step();
  const State before = optimizer.state_dict();
  EXPECT_THROW(optimizer.load_state_dict(other.state_dict()), ValueError);
  EXPECT_THROW(optimizer.load_state_dict(State()), ValueError);
  EXPECT_TRUE(identical(optimizer.state_dict().tensor("state.0.exp_avg"), before.tensor("state.0.exp_avg")));
}

TEST(Optimizer, HasOptionsPerGroup) {
  const auto parameters = start();
  const auto before = parameters[1].to_vector<double>();
  SGD optimizer({parameters[0]}, {.lr = 0.1});
  optimizer.add_param_group({parameters[1]}, {.lr = 0});
  set_gradients(parameters, 0);
  optimizer.step();
  EXPECT_EQ(parameters[1].to_vector<double>(), before);
  optimizer.set_lr(1);
  EXPECT_EQ(optimizer.lr(1), 1);
  EXPECT_THROW(optimizer.add_param_group({parameters[0]}, {}), ValueError);
}

TEST(Optimizer, RejectsUnsupportedParameters) {
  Tensor x = ones({2}).requires_grad(true);
  EXPECT_THROW(SGD({}, {}), ValueError);
  EXPECT_THROW(SGD({x * 2.0}, {}), ValueError);
  EXPECT_THROW(SGD({arange(3)}, {}), DTypeError);
  EXPECT_THROW(SGD({x}, {.lr = -1}), ValueError);
  EXPECT_THROW(AdamW({x}, {.beta2 = 1}), ValueError);
  EXPECT_THROW(SGD({x}, {.nesterov = true}), ValueError);
}

TEST(Optimizer, HandlesGradientsAndParametersOfAnyLayout) {
  const TensorOptions options{.dtype = float64, .device = device};
  const Tensor whole = zeros({4, 3}, options);
  Tensor gaps = slice(whole, 1, 0, 3, 2).detach().requires_grad(true);  // strides [3, 2]
  Tensor turned = t(zeros({3, 2}, options)).detach().requires_grad(true);
  gaps.set_grad(ones({4, 2}, options));
  const Tensor values = from_vector<double>({1, 2, 3, 4, 5, 6}, {2, 3}, device);
  turned.set_grad(values);
  SGD({gaps, turned}, {.lr = 1}).step();
  EXPECT_EQ(gaps.to_vector<double>(), std::vector<double>(8, -1));
  EXPECT_EQ(turned.to_vector<double>(), (-values).to_vector<double>());
  EXPECT_EQ(whole.to_vector<double>(), (std::vector<double>{-1, 0, -1, -1, 0, -1, -1, 0, -1, -1, 0, -1}));
}

TEST(Optimizer, AccumulatesSmallStepsInTheMasterOfAHalfParameter) {
  Tensor x = ones({3}, {.dtype = bfloat16, .device = device}).requires_grad(true);
  SGD optimizer({x}, {.lr = 1e-4});
  for (int i = 0; i < 1000; ++i) {
    x.set_grad(ones({3}, {.dtype = bfloat16, .device = device}));
    optimizer.step();
  }
  // A step of 1e-4 is far below bfloat16's resolution at 1 (0.0039): without a master the parameter would not change.
  EXPECT_NEAR(x.to_vector<double>()[0], 0.9, 0.004);
  EXPECT_NEAR(optimizer.state_dict().tensor("state.0.master").to_vector<double>()[2], 0.9, 1e-4);
}

TEST(Clip, MatchesPyTorch) {
  for (const auto& [label, p] : {std::pair{"1", 1.0}, {"2", 2.0}, {"3", 3.0}, {"inf", INFINITY}}) {
    const auto parameters = start();
    set_gradients(parameters, 0);
    const double norm = clip_grad_norm_(parameters, 0.5, p).item<double>();
    const std::string name = std::string("clip_") + label;
    EXPECT_NEAR(norm, fixture().tensor(name + ".norm").item<double>(), 1e-12);
    for (int i = 0; i < 2; ++i) {
      const Closeness close =
          allclose(parameters[i].grad().to(Device::cpu()), fixture().tensor(str(name, ".", i)), {1e-12, 1e-12});
      EXPECT_TRUE(close) << name << ": " << close.message;
    }
  }
}

TEST(Clip, KeepsSmallGradientsAndThrowsForNonFiniteOnRequest) {
  Tensor x = ones({2}).requires_grad(true);
  x.set_grad(tensor<float>({3, 4}));
  EXPECT_EQ(clip_grad_norm_({x}, 10).item<double>(), 5);
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 4}));
  clip_grad_value_({x}, 3.5);
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 3.5f}));
  x.set_grad(tensor<float>({NAN, 4}));
  EXPECT_THROW(clip_grad_norm_or_throw_({x}, 10), ValueError);
  EXPECT_EQ(x.grad().to_vector<float>()[1], 4);
}

}  // namespace
}  // namespace minima::optim::optim_test
