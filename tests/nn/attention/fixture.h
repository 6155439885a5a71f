#pragma once

#include <minima/autograd/backward.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/nn/module/module_base.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace minima::test {

/// A case of tests/fixtures/attention.safetensors, which generate_attention.py describes.
class AttentionFixture {
 public:
  explicit AttentionFixture(std::string name)
      : name_(std::move(name)), state_(load(MINIMA_FIXTURES "/attention.safetensors").sub(name_)) {}

  /// An input, whose gradients count; undefined if the case has none of that name.
  Tensor input(const std::string& key) {
    const Tensor* x = state_.find("in." + key);
    if (!x) return {};
    const Tensor leaf = clone(*x).requires_grad(true);
    leaves_.emplace_back(key, leaf);
    return leaf;
  }
  /// A mask, or undefined.
  Tensor mask(const std::string& key) const {
    const Tensor* x = state_.find("in." + key);
    return x ? *x : Tensor();
  }
  /// Loads PyTorch's state dict: every name must match.
  void start(nn::ModuleBase& module) {
    module.to(float64);
    module.load_state_dict(state_.sub("params"));
    for (const auto& [name, parameter] : module.named_parameters()) leaves_.emplace_back(name, parameter);
  }

  /// Compares results, first and second gradients with PyTorch's.
  void check(const std::vector<std::pair<std::string, Tensor>>& results) const {
    Tensor loss = zeros({}, {.dtype = float64});
    for (const auto& [key, x] : results) {
      expect_close("out." + key, x);
      loss = loss + sum(x * reshape(cos(arange(x.numel()).to(float64)), x.shape()));
    }
    std::vector<Tensor> inputs;
    for (const auto& [key, leaf] : leaves_) inputs.push_back(leaf);
    expect_gradients("grad.", grad({loss}, inputs, {}, {.retain_graph = true}));
    const std::vector<Tensor> gradients = grad({loss}, inputs, {}, {.create_graph = true});
    expect_gradients("grad.", gradients);
    expect_gradients("second.", grad({sum(square(gradients[0]))}, inputs, {}, {.allow_unused = true}));
  }

 private:
  void expect_gradients(const std::string& kind, const std::vector<Tensor>& gradients) const {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const Tensor& leaf = leaves_[i].second;
      expect_close(kind + leaves_[i].first, gradients[i].defined() ? gradients[i] : zeros_like(leaf));
    }
  }
  void expect_close(const std::string& key, const Tensor& x) const {
    const Closeness close = allclose(x.detach(), state_.tensor(key), {.rtol = 1e-9, .atol = 1e-11});
    EXPECT_TRUE(close) << name_ << ", " << key << ": " << close.message;
  }

  std::string name_;
  State state_;
  std::vector<std::pair<std::string, Tensor>> leaves_;
};

}  // namespace minima::test
