#pragma once

#include "tests/support/device.h"

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace minima::test {

/// A PyTorch training run recorded in tests/fixtures/training: initial weights, inputs, and the loss of each step. A
/// port that trains in float64 from the same weights must reproduce it, on the test device.
class Recording {
 public:
  explicit Recording(const std::string& name)
      : name_(name), state_(load(MINIMA_FIXTURES "/training/" + name + ".safetensors")) {}

  Tensor operator[](const std::string& key) const {
    const Tensor stored = state_.tensor(key).to(test_device());
    return is_floating(stored.dtype()) ? stored.to(float64) : stored;
  }
  std::int64_t losses() const { return state_.tensor("losses").numel(); }

  /// Loads the initial weights of recorded net `index`; every name must match PyTorch's.
  void start(nn::ModuleBase& net, int index = 0) const {
    net.to(float64);
    net.to(test_device());
    net.load_state_dict(state_.sub(std::to_string(index)));
  }

  /// Every loss within a relative 1e-9 of PyTorch's. Rounding differs and grows over the steps, to 4e-15 at most so
  /// far; 1e-9 leaves room for other processors.
  void expect_followed(const std::vector<double>& losses) const {
    const std::vector<double> expected = state_.tensor("losses").to_vector<double>();
    ASSERT_EQ(losses.size(), expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const double deviation = std::abs(losses[i] - expected[i]) / std::abs(expected[i]);
      ASSERT_LE(deviation, 1e-9) << name_ << ": loss " << i << " is " << losses[i] << ", PyTorch's " << expected[i];
      worst = std::max(worst, deviation);
    }
    std::cout << name_ << ": loss " << losses.front() << " -> " << losses.back() << ", " << losses.size()
              << " losses at most " << worst << " from PyTorch's\n";
  }
  /// The final value of a weight or statistic.
  void expect_reached(const std::string& key, const Tensor& x) const {
    const Closeness close = allclose(x.detach(), state_.tensor("after." + key), {.rtol = 1e-8, .atol = 1e-10});
    EXPECT_TRUE(close) << name_ << ", " << key << ": " << close.message;
  }

 private:
  std::string name_;
  State state_;
};

}  // namespace minima::test
