#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

// max_pool2d's gradient includes that of the ReLU before it, unless something asks for the gradient in between.

namespace minima::past_mask_test {
namespace {

using Values = std::vector<double>;

/// The number of bytes that gradients of activations move: those of whole images if ReLU's runs, those of the pooled
/// images if max_pool2d takes it over.
class ActivationBytes final : public Observer {
 public:
  ActivationBytes() : outer_(set_observer(this)) {}
  ~ActivationBytes() { set_observer(outer_); }
  void begin(const char* op, Cost cost) override {
    if (std::string_view(op) == "activation_gradient") bytes_ += cost.bytes;
  }
  void end() noexcept override {}
  double bytes() const { return bytes_; }

 private:
  Observer* outer_;
  double bytes_ = 0;
};

constexpr double whole = 3 * 8 * 2 * 3 * 8 * 6, quarter = whole / 4;

/// Some windows are negative throughout, one holds NaN, one infinities.
Tensor images() {
  RandomGenerator numbers(3);
  Tensor x = randn({2, 3, 8, 6}, {.dtype = float64}, &numbers);
  Values values = x.to_vector<double>();
  for (const std::size_t i : {0, 1, 6, 7}) values[i] = -1;
  values[2] = std::nan("");
  values[4] = std::numeric_limits<double>::infinity();
  values[5] = -std::numeric_limits<double>::infinity();
  return from_vector<double>(values, x.shape());
}

struct PastMask : testing::TestWithParam<MaxPool2dOptions> {};

TEST_P(PastMask, GivesTheGradientOfTheComposition) {
  for (const bool last : {false, true}) {
    const Tensor x = (last ? channels_last(images()) : images()).requires_grad(true);
    const Tensor y = max_pool2d(relu(x), GetParam());
    RandomGenerator numbers(4);
    const Tensor g = randn(y.shape(), {.dtype = float64}, &numbers);
    const Tensor wanted = grad({y}, {x}, {g}, {.create_graph = true})[0];  // ReLU's own formula
    const ActivationBytes observed;
    const Tensor got = grad({y}, {x}, {g})[0];
    EXPECT_EQ(got.to_vector<double>(), wanted.detach().to_vector<double>());
    EXPECT_EQ(observed.bytes(), 3.0 * 8 * static_cast<double>(y.numel()));
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, PastMask,
                         testing::Values(MaxPool2dOptions{.kernel = 2},
                                         MaxPool2dOptions{.kernel = 3, .stride = 2, .padding = 1},
                                         MaxPool2dOptions{.kernel = 2, .stride = 1, .dilation = 2},
                                         MaxPool2dOptions{.kernel = 3, .ceil_mode = true}));

/// The bytes of one backward pass from the sum of y.
double bytes_of(const Tensor& y) {
  const ActivationBytes observed;
  sum(y).backward();
  return observed.bytes();
}

TEST(PastMaskIsTaken, OnlyIfNothingElseUsesTheActivations) {
  const Tensor x = images().requires_grad(true), h = relu(x);
  EXPECT_EQ(bytes_of(max_pool2d(h, 2)), quarter);
  const Tensor z = images().requires_grad(true), k = relu(z);
  EXPECT_EQ(bytes_of(sum(max_pool2d(k, 2)) + sum(k)), whole);
  const Tensor u = images().requires_grad(true), v = relu(u);
  EXPECT_EQ(bytes_of(sum(max_pool2d(v, 2)) + sum(max_pool2d(v, 4))), whole);
}

TEST(PastMaskIsTaken, OnlyIfNothingAsksForTheGradientBetween) {
  const Tensor x = images().requires_grad(true), h = relu(x), y = max_pool2d(h, 2);
  Tensor seen;
  register_hook(h, [&](const Tensor& g) {
    seen = g;
    return g;
  });
  EXPECT_EQ(bytes_of(y), whole);
  EXPECT_EQ(sum(seen).item<double>(), static_cast<double>(y.numel()));

  Tensor w = images().requires_grad(true), between = relu(w);
  between.retain_grad();
  EXPECT_EQ(bytes_of(max_pool2d(between, 2)), whole);
  EXPECT_EQ(sum(between.grad()).item<double>(), static_cast<double>(y.numel()));

  const Tensor target = relu(images().requires_grad(true)), pooled = max_pool2d(target, 2);
  EXPECT_EQ(sum(grad({sum(pooled)}, {target})[0]).item<double>(), static_cast<double>(y.numel()));

  const Tensor watched = max_pool2d(relu(images().requires_grad(true)), 2);
  register_backward_hook(watched, [&](std::vector<Tensor>& gradients) { seen = gradients[0]; });
  EXPECT_EQ(bytes_of(watched), whole);
  EXPECT_EQ(sum(seen).item<double>(), static_cast<double>(y.numel()));
}

TEST(PastMaskIsTaken, AgainByASecondPass) {
  const Tensor x = images().requires_grad(true), y = sum(max_pool2d(relu(x), 2));
  backward({y}, {}, {.retain_graph = true});
  const Values once = x.grad().to_vector<double>();
  y.backward();
  const Values twice = x.grad().to_vector<double>();
  ASSERT_EQ(twice.size(), once.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(twice[i], 2 * once[i]) << i;
}

}  // namespace
}  // namespace minima::past_mask_test
