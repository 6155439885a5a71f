#pragma once

#include <minima/autograd/backward.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace minima::test {

/// Results that a script in tests/fixtures recorded, on a device. A gradient NAME.LEAF is that of Σ y · cos(0, 1, …).
class Recorded {
 public:
  explicit Recorded(const std::string& file, Device device = Device())
      : file_(load(MINIMA_FIXTURES "/" + file)), device_(device) {}

  Tensor operator[](const std::string& key) const { return file_.tensor(key).to(device_); }
  Tensor leaf(const std::string& key) const { return clone((*this)[key]).requires_grad(true); }
  State sub(const std::string& prefix) const { return file_.sub(prefix); }

  void expect(const std::string& key, const Tensor& y, double tolerance = 1e-10) const {
    const Closeness close =
        allclose(y.detach().to(Device()), file_.tensor(key), {.rtol = tolerance, .atol = tolerance});
    EXPECT_TRUE(close) << key << ": " << close.message;
  }
  /// y and the gradients of its leaves.
  void expect_with_gradients(const std::string& name, const Tensor& y,
                             const std::vector<std::pair<std::string, Tensor>>& leaves) const {
    expect(name, y);
    const Tensor weights = cos(arange(y.numel()).to(DType::float64)).to(device_);
    sum(y * reshape(weights, y.shape())).backward();
    for (const auto& [key, leaf] : leaves) expect(name + "." + key, leaf.grad());
  }

 private:
  State file_;
  Device device_;
};

}  // namespace minima::test
