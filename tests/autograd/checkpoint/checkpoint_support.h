#pragma once

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/hooks.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace minima::test {

/// A transformer's feed-forward layer: norm, linear, gelu, dropout, linear, residual.
struct Block : nn::Module {
  nn::LayerNorm norm = child("norm", nn::LayerNorm({.shape = {16}}));
  nn::Linear up = child("up", nn::Linear({.in = 16, .out = 64}));
  nn::Linear down = child("down", nn::Linear({.in = 64, .out = 16}));
  Tensor forward(const Tensor& x) override { return x + dropout(down(gelu(up(norm(x)))), 0.2, is_training()); }
};

inline nn::Sequential blocks(int count) {
  nn::Sequential net;
  for (int i = 0; i < count; ++i) net.push_back(Block());
  return net;
}

/// Counts the calls of each operator on this thread during its lifetime.
struct Calls final : Observer {
  Calls() : previous(set_observer(this)) {}
  ~Calls() { set_observer(previous); }
  void begin(const char* op, Cost) override { ++count[op]; }
  void end() noexcept override {}
  std::map<std::string, int> count;
  Observer* previous;
};

/// The gradients of the parameters, then of the input.
template <class F>
std::vector<Tensor> gradients(const nn::ModuleBase& net, const Tensor& x, F&& forward) {
  net.zero_grad();
  Tensor input = x.detach().requires_grad(true);
  manual_seed(7);
  sum(forward(input).to(float32)).backward();
  std::vector<Tensor> result{input.grad() + 0.0};
  for (const Tensor& p : net.parameters()) result.push_back(p.grad() + 0.0);
  return result;
}

inline void expect_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(identical(a[i], b[i])) << i;
}

inline std::int64_t allocated() { return memory_stats().allocated; }

}  // namespace minima::test
