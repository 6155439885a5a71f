#include <minima/optim/averaging/averaging.h>
#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/gradient/spike_detector.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::optim::averaging_test {
namespace {

Tensor parameter(std::initializer_list<float> values, DType dtype = float32) {
  Tensor x = tensor<float>(values).to(dtype).detach();
  return x.requires_grad(true);
}

void set(const Tensor& x, double value) {
  NoGrad guard;
  fill_(x, value);
}

TEST(Ema, DecaysAtItsRate) {
  const Tensor x = parameter({1, 1}), y = parameter({0});
  Ema ema({x, y}, {.decay = 0.9});
  double expected = 1;
  for (int i = 1; i <= 50; ++i) {
    set(x, i);
    ema.update();
    expected = 0.9 * expected + 0.1 * i;
  }
  EXPECT_NEAR(ema.averages()[0].to_vector<double>()[1], expected, 1e-4);
  EXPECT_EQ(ema.averages()[1].item<float>(), 0);
  EXPECT_EQ(x.to_vector<float>()[0], 50);
}

TEST(Ema, WarmsUp) {
  const Tensor x = parameter({1});
  Ema ema({x}, {.decay = 0.999, .warmup = true});
  set(x, 2);
  ema.update();
  EXPECT_NEAR(ema.averages()[0].item<double>(), 1 * (2. / 11) + 2 * (9. / 11), 1e-6);
}

TEST(Ema, OfHalfParametersIsFloat32) {
  const Tensor x = parameter({1}, bfloat16);
  Ema ema({x}, {.decay = 0.999});
  set(x, 2);
  for (int i = 0; i < 100; ++i) ema.update();  // steps of a thousandth, below bfloat16's resolution
  EXPECT_NEAR(ema.averages()[0].item<double>(), 2 - std::pow(0.999, 100), 1e-5);
}

TEST(Ema, SupportsNonContiguousParameters) {
  const Tensor whole = zeros({3, 4});
  Tensor part = slice(whole, 1, 0, 4, 2).detach().requires_grad(true);
  Ema ema({part}, {.decay = 0.5});
  set(part, 4);
  ema.update();
  EXPECT_EQ(ema.averages()[0].to_vector<float>(), std::vector<float>(6, 2));
}

TEST(Swa, IsTheArithmeticMean) {
  const Tensor x = parameter({7});
  Swa swa({x});
  for (const double value : {1., 2., 6.}) {
    set(x, value);
    swa.update();
  }
  EXPECT_NEAR(swa.averages()[0].item<double>(), 3, 1e-6);
}

TEST(Averaged, IsUsedInAScopeAndRestored) {
  const Tensor x = parameter({1});
  Swa swa({x});
  set(x, 5);
  {
    const UseAverage guard(swa);
    EXPECT_EQ(x.item<float>(), 1);
  }
  EXPECT_EQ(x.item<float>(), 5);
  swa.copy_to_parameters();
  EXPECT_EQ(x.item<float>(), 1);
}

TEST(Averaged, SavesAndRestores) {
  const Tensor x = parameter({1, 2}), y = parameter({0, 0});
  Swa one({x}), two({y});
  set(x, 3);
  one.update();
  two.load_state_dict(one.state_dict());
  EXPECT_EQ(two.updates(), 1);
  EXPECT_TRUE(identical(one.averages()[0], two.averages()[0]));
  EXPECT_THROW(Swa({parameter({1})}).load_state_dict(one.state_dict()), ValueError);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // parts of equal weights

TEST(Accumulation, OfPartsEqualsTheFullBatch) {
  const Tensor x = randn({8, 3});
  Tensor w = randn({3}).requires_grad(true), v = w.detach().requires_grad(true);
  mean(square(matmul(x, w))).backward();
  Accumulation accumulation(4);
  int steps = 0;
  for (int i = 0; i < 8; ++i) {
    if (steps == 0) accumulation.part(mean(square(matmul(slice(x, 0, 2 * i, 2 * i + 2), v)))).backward();
    else accumulation.part(zeros({}));
    steps += accumulation.is_complete();
    EXPECT_EQ(accumulation.is_complete(), i % 4 == 3);
  }
  EXPECT_EQ(steps, 2);
  EXPECT_TRUE(allclose(w.grad(), v.grad(), {1e-5, 1e-6}));
}

/// The gradients of a parameter after each step of two epochs of six batches whose loss is the parameter.
std::vector<double> gradients_of(Accumulation accumulation, const Tensor& w) {
  std::vector<double> gradients;
  for (int epoch = 0; epoch < 2; ++epoch) {
    w.zero_grad();
    for (int batch = 0; batch < 6; ++batch) {
      accumulation.part(sum(w)).backward();
      if (!accumulation.is_complete()) continue;
      gradients.push_back(w.grad().item<double>());
      w.zero_grad();
    }
    if (!accumulation.flush()) continue;
    gradients.push_back(w.grad().item<double>());
    w.zero_grad();
  }
  return gradients;
}

TEST(Accumulation, TheLastStepOfAnEpochIsTheMeanOfWhatIsLeft) {
  const Tensor w = parameter({3});
  const std::vector<double> expected{1, 1, 1, 1};
  EXPECT_EQ(gradients_of(Accumulation(4, {.batches = 6, .parameters = {w}}), w), expected);
  EXPECT_EQ(gradients_of(Accumulation(4, {.parameters = {w}}), w), expected) << "by flush";
  EXPECT_EQ(gradients_of(Accumulation(8, {.batches = 6, .parameters = {w}}), w), (std::vector<double>{1, 1}));
  Accumulation without_parameters(4);
  without_parameters.part(ones({}));
  EXPECT_THROW(without_parameters.flush(), ValueError);
  EXPECT_THROW(Accumulation(0), ValueError);
  EXPECT_THROW(Accumulation(4, {.batches = -1}), ValueError);
}

TEST(Accumulation, ForgetsAPartOfAStep) {
  Accumulation accumulation(4, {.batches = 6});
  for (int i = 0; i < 5; ++i) accumulation.part(ones({}));
  accumulation.reset();
  EXPECT_FALSE(accumulation.is_complete());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(accumulation.part(ones({})).item<float>(), 0.25);
  EXPECT_FALSE(accumulation.is_complete());
  accumulation.part(ones({}));
  EXPECT_TRUE(accumulation.is_complete());
}

TEST(Accumulation, ResumesInsideAStep) {
  const Tensor w = parameter({3}), v = parameter({3});
  Accumulation one(4, {.batches = 6, .parameters = {w}}), two(4, {.batches = 6, .parameters = {v}});
  for (int i = 0; i < 5; ++i) {
    one.part(sum(w)).backward();
    if (one.is_complete()) w.zero_grad();
  }
  two.load_state_dict(one.state_dict());
  EXPECT_EQ(two.part(sum(v) * 3).item<double>(), 4.5) << "the second of two parts";
  EXPECT_TRUE(two.is_complete());
  EXPECT_EQ(v.grad().item<double>(), 0.5);
  Accumulation plain(4);
  for (int i = 0; i < 2; ++i) plain.part(ones({}));
  Accumulation resumed(4);
  resumed.load_state_dict(plain.state_dict());
  resumed.part(ones({}));
  EXPECT_FALSE(resumed.is_complete());
  resumed.part(ones({}));
  EXPECT_TRUE(resumed.is_complete());
  EXPECT_THROW(Accumulation(2).load_state_dict(plain.state_dict()), ValueError);
  Accumulation other(4, {.parameters = {parameter({1, 2})}}), short_epoch(4, {.batches = 3});
  EXPECT_THROW(other.load_state_dict(one.state_dict()), ValueError) << "another parameter";
  EXPECT_THROW(short_epoch.load_state_dict(one.state_dict()), ValueError) << "another epoch";
}

#pragma GCC diagnostic pop

TEST(SpikeDetector, SavesAndRestores) {
  SpikeDetector whole({.window = 8, .warmup = 4});
  for (int i = 0; i < 13; ++i) whole.is_spike(2 + 0.1 * std::sin(i * 1.3));
  whole.is_spike(40);
  SpikeDetector resumed({.window = 8, .warmup = 4});
  resumed.load_state_dict(whole.state_dict());
  EXPECT_EQ(resumed.spikes(), 1);
  for (int i = 13; i < 30; ++i) {
    const double value = 2 + 0.1 * std::sin(i * 1.3);
    EXPECT_EQ(whole.is_spike(value), resumed.is_spike(value));
    EXPECT_NEAR(whole.last_z(), resumed.last_z(), 1e-9) << "value " << i << ": the same window";
  }
  SpikeDetector small({.window = 4, .warmup = 4});
  small.load_state_dict(whole.state_dict());
  EXPECT_TRUE(small.is_spike(40));
  resumed.load_state_dict(SpikeDetector().state_dict());
  EXPECT_FALSE(resumed.is_spike(40)) << "warms up again";
}

TEST(SpikeDetector, FindsSpikesAndKeepsThemOutOfItsWindow) {
  SpikeDetector detector({.window = 50, .z = 5, .warmup = 10});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(detector.is_spike(2 + 0.1 * std::sin(i * 1.3)));
  EXPECT_TRUE(detector.is_spike(4));
  EXPECT_GT(detector.last_z(), 5);
  EXPECT_TRUE(detector.is_spike(NAN));
  EXPECT_FALSE(detector.is_spike(2.05));
  EXPECT_FALSE(detector.is_spike(0.5)) << "low values are not spikes";
  EXPECT_EQ(detector.spikes(), 2);
}

TEST(SpikeDetector, IsSilentDuringItsWarmUp) {
  SpikeDetector detector({.window = 20, .warmup = 5});
  EXPECT_FALSE(detector.is_spike(1));
  EXPECT_FALSE(detector.is_spike(1000));
  EXPECT_TRUE(detector.is_spike(INFINITY));
  EXPECT_THROW(SpikeDetector({.window = 5, .warmup = 10}), ValueError);
}

}  // namespace
}  // namespace minima::optim::averaging_test
