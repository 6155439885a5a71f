#pragma once

#include "tests/support/device.h"

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace minima::test {

/// A small model of torchvision or Hugging Face with random weights, recorded by tests/fixtures/generate_zoo.py: state
/// dict, input, output and gradients.
class Twin {
 public:
  explicit Twin(const std::string& name) : name_(name), file_(load(MINIMA_FIXTURES "/zoo/" + name + ".safetensors")) {}

  State state() const { return file_.sub("net"); }
  /// A recorded tensor on the test device.
  Tensor operator[](const std::string& key) const {
    const Tensor stored = file_.tensor(key).to(test_device());
    return is_floating(stored.dtype()) ? stored.to(float64) : stored;
  }

  void expect_equal(const std::string& key, const Tensor& y, double tolerance = 1e-10) const {
    const Closeness close = allclose(y.detach(), file_.tensor(key).to(float64), {.rtol = tolerance, .atol = tolerance});
    EXPECT_TRUE(close) << name_ << ", " << key << ": " << close.message;
  }
  /// The recorded gradients of Σ weights · y, which are in float32.
  void expect_gradients(nn::ModuleBase& net, const Tensor& x, const Tensor& y) const {
    sum(y * (*this)["weights"]).backward();
    std::map<std::string, Tensor> leaves{{"x", x}};
    for (const nn::NamedTensor& parameter : net.named_parameters()) leaves[parameter.name] = parameter.tensor;
    for (const auto& [key, stored] : file_.sub("grad").tensors())
      expect_equal("grad." + key, leaves.at(key).grad(), 1e-6);
  }
  /// An image model gives the recorded output and gradients after it has loaded the recorded weights.
  void expect_followed(nn::Module& net) const {
    net.load_state_dict(state());
    net.to(float64);
    net.to(test_device());
    net.eval();
    Tensor x = (*this)["x"];
    x.requires_grad(true);
    const Tensor y = net(x);
    expect_equal("y", y);
    expect_gradients(net, x, y);
  }

 private:
  std::string name_;
  State file_;
};

inline std::int64_t parameter_count(const nn::ModuleBase& net) {
  std::int64_t count = 0;
  for (const Tensor& parameter : net.parameters()) count += parameter.numel();
  return count;
}

}  // namespace minima::test
