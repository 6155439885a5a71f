#include "tests/support/gpu_test.h"

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <cstring>

// Captured steps: inputs, random numbers, memory and order are those of eager ones.

namespace minima::gpu_captured_step_test {
namespace {

using train::CapturedStep;

constexpr Device gpu = Device::cuda();

class GpuCapturedStep : public test::GpuTest {};

/// Two linear layers with dropout, trained in bfloat16 with a scaler, clipping and AdamW.
struct Model {
  Tensor w1, b1, w2, b2;
  optim::AdamW optimizer;
  amp::GradScaler scaler{{.init_scale = 8}};

  Model()
      : w1((manual_seed(5), leaf({8, 4}))),
        b1(leaf({8})),
        w2(leaf({4, 8})),
        b2(leaf({4})),
        optimizer({w1, b1, w2, b2}, {.lr = 1e-2}) {}
  static Tensor leaf(const Shape& shape) { return (randn(shape, {.device = gpu}) * 0.3).requires_grad(true); }

  Tensor step(const Tensor& x, const Tensor& y) {
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast guard(DeviceType::cuda);
      const Tensor h = dropout(gelu(linear(x, w1, b1)), 0.3);
      loss = cross_entropy(linear(h, w2, b2), y);
    }
    scaler.scale(loss).backward();
    scaler.unscale(optimizer);
    optim::clip_grad_norm_(optimizer.parameters(), 1.0);
    scaler.step(optimizer);
    scaler.update();
    return loss;
  }
};

struct Batch {
  Tensor x, y;
};
Batch batch(int n, std::int64_t rows = 3) {
  RandomGenerator generator(static_cast<std::uint64_t>(100 + n));
  return {randn({rows, 4}, {.device = gpu}, &generator),
          randint(0, 4, {rows}, {.dtype = int64, .device = gpu}, &generator)};
}

TEST_F(GpuCapturedStep, ReplaysEqualEagerStepsBitwise) {
  Model plain, model;
  CapturedStep step([&](const Tensor& x, const Tensor& y) { return model.step(x, y); });
  step.watch(model.optimizer);
  std::vector<Tensor> eager, captured;
  manual_seed(9);
  for (int n = 0; n < 50; ++n) {
    const Batch b = batch(n);
    eager.push_back(plain.step(b.x, b.y));
  }
  const auto expected_state = default_generator().state();
  manual_seed(9);
  for (int n = 0; n < 50; ++n) {
    const Batch b = batch(n);
    captured.push_back(step(b.x, b.y));  // all kept, so that no later step may overwrite them
  }
  for (std::size_t n = 0; n < eager.size(); ++n) ASSERT_TRUE(identical(eager[n].detach(), captured[n].detach())) << n;
  EXPECT_TRUE(identical(plain.w1, model.w1));
  EXPECT_TRUE(identical(plain.b2, model.b2));
  EXPECT_EQ(default_generator().state().offset, expected_state.offset);
  EXPECT_EQ(step.counts().eager, 3);
  EXPECT_EQ(step.counts().captured, 1);
  EXPECT_EQ(step.counts().replayed, 47);
  EXPECT_EQ(step.reason(), "");
}

TEST_F(GpuCapturedStep, RunsHooksForEveryStepAndHostCodeForFew) {
  Model plain, model;
  int hooks = 0, bodies = 0;
  CapturedStep step(
      [&](const Tensor& x, const Tensor& y) {
        ++bodies;
        return model.step(x, y);
      },
      {.warmup = 2});
  step.watch(model.optimizer);
  step.on_replay([&] { model.optimizer.set_lr(0.01 / ++hooks); });
  manual_seed(2);
  for (int n = 0; n < 8; ++n) {
    plain.optimizer.set_lr(0.01 / (n + 1));
    plain.step(batch(n).x, batch(n).y);
  }
  manual_seed(2);
  for (int n = 0; n < 8; ++n) step(batch(n).x, batch(n).y);
  EXPECT_EQ(hooks, 8);
  EXPECT_EQ(bodies, 3);
  EXPECT_TRUE(identical(plain.w1, model.w1));
}

/// Returns why a step with this body falls back to eager execution; its result must still be right.
template <class F>
std::string reason_for(F body) {
  CapturedStep step([&](const Tensor& x) { return body(x); }, {.warmup = 1});
  const Tensor x = tensor<float>({1, 2}).to(gpu);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(identical(step(x), x + x));
  EXPECT_EQ(step.counts().replayed, 0);
  return step.reason();
}

TEST_F(GpuCapturedStep, NamesWhatCannotBeCapturedAndWhere) {
  const int line = __LINE__ + 2;
  const std::string item = reason_for([](const Tensor& x) {
    if (sum(x).item<float>() > 1e9f) return x;
    return x + x;
  });
  EXPECT_EQ(item.rfind("item() inside a captured step at gpu_captured_step_test.cpp:" + std::to_string(line), 0), 0u)
      << item;
  EXPECT_NE(reason_for([](const Tensor& x) {
              x.to_vector<float>();
              return x + x;
            }).find("to_vector() inside a captured step"),
            std::string::npos);
  EXPECT_NE(reason_for([own = std::make_shared<RandomGenerator>(3)](const Tensor& x) {
              dropout(x, 0.5, true, own.get());
              return x + x;
            }).find("non-default generator"),
            std::string::npos);
}

TEST_F(GpuCapturedStep, RunsEagerlyAfterAnExceptionWithTheGradientsOfBefore) {
  Model plain, model;
  int calls = 0;
  CapturedStep step(
      [&](const Tensor& x, const Tensor& y) {
        const Tensor loss = model.step(x, y);
        if (++calls == 3) throw ValueError("on purpose");
        return loss;
      },
      {.warmup = 2});
  step.watch(model.optimizer);
  manual_seed(2);
  for (int n = 0; n < 5; ++n) plain.step(batch(n).x, batch(n).y);
  manual_seed(2);
  for (int n = 0; n < 5; ++n) step(batch(n).x, batch(n).y);
  EXPECT_EQ(step.reason(), "on purpose");
  EXPECT_TRUE(identical(plain.w1, model.w1));
}

TEST_F(GpuCapturedStep, CapturesOtherShapesUpToABound) {
  CapturedStep step([](const Tensor& x) { return x * x; }, {.warmup = 1, .graphs = 2});
  for (int round = 0; round < 4; ++round)
    for (const std::int64_t n : {2, 3, 4}) {
      const Tensor x = randn({n}, {.device = gpu});
      EXPECT_TRUE(identical(step(x), x * x));
    }
  EXPECT_EQ(step.counts().captured, 2);
  EXPECT_EQ(step.counts().replayed, 6);
  EXPECT_NE(step.reason().find("more than 2 shapes"), std::string::npos);
}

TEST_F(GpuCapturedStep, CapturesAnewWhenWhatItKnowsHasMoved) {
  Model model;
  CapturedStep step([&](const Tensor& x, const Tensor& y) { return model.step(x, y); }, {.warmup = 1});
  step.watch(model.optimizer);
  const auto run = [&] {
    for (int n = 0; n < 4; ++n) step(batch(n).x, batch(n).y);
    return step.counts().captured;
  };
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(run(), 1);
  model.optimizer.load_state_dict(model.optimizer.state_dict());
  EXPECT_EQ(run(), 2);
  model.b1.requires_grad(false);
  EXPECT_EQ(run(), 3);
  manual_seed(77);
  EXPECT_EQ(run(), 4);
  model.w2.set_data(model.w2.detach() + 0.0);
  EXPECT_EQ(run(), 5);
  step.invalidate();
  EXPECT_EQ(run(), 6);
}

TEST_F(GpuCapturedStep, RefusesAutocastAroundItAndLearningRatesInside) {
  Model model;
  {
    CapturedStep step([](const Tensor& x) { return x + x; }, {.warmup = 0});
    const amp::Autocast guard(DeviceType::cuda);
    step(tensor<float>({1}).to(gpu));
    EXPECT_NE(step.reason().find("autocast is enabled outside the step"), std::string::npos);
  }
  int n = 0;
  CapturedStep step(
      [&](const Tensor& x, const Tensor& y) {
        model.optimizer.set_lr(0.1 / ++n);
        model.optimizer.zero_grad();
        const Tensor loss = cross_entropy(linear(gelu(linear(x, model.w1, model.b1)), model.w2, model.b2), y);
        loss.backward();
        model.optimizer.step();
        return loss;
      },
      {.warmup = 1});
  for (int i = 0; i < 3; ++i) step(batch(i).x, batch(i).y);
  EXPECT_NE(step.reason().find("learning rate was changed inside"), std::string::npos) << step.reason();
}

}  // namespace
}  // namespace minima::gpu_captured_step_test
