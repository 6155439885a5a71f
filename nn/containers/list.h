#pragma once

#include <minima/nn/module/module_base.h>

#include <optional>
#include <vector>

namespace minima::nn {

/// A vector of child modules of one type. Its elements are named `layers.0`, `layers.1`, …
///
///   struct Mlp : nn::Module {
///     nn::ListOf<nn::Linear> layers = child("layers", nn::ListOf<nn::Linear>());
///     explicit Mlp(int depth) {
///       for (int i = 0; i < depth; ++i) layers.push_back(nn::Linear({.in = 64, .out = 64}));
///     }
///     Tensor forward(const Tensor& x) {
///       Tensor y = x;
///       for (nn::Linear& layer : layers) y = relu(layer(y));
///       return y;
///     }
///   };
template <class M>
class ListOf : public std::vector<M>, public detail::Member {
 public:
  using std::vector<M>::vector;

  static void each_child(detail::Member& group, detail::ChildVisitor& visitor) {
    std::int64_t index = 0;
    for (M& module : static_cast<ListOf&>(group)) visitor.visit(module, index++);
  }
};

/// A child that may be absent, named after the member:
///   nn::OptionalOf<nn::Linear> shortcut = child("shortcut", nn::OptionalOf<nn::Linear>());
///   …
///   if (in != out) shortcut = nn::Linear({.in = in, .out = out});
template <class M>
class OptionalOf : public std::optional<M>, public detail::Member {
 public:
  using std::optional<M>::optional;
  using std::optional<M>::operator=;

  static void each_child(detail::Member& group, detail::ChildVisitor& visitor) {
    if (auto& module = static_cast<OptionalOf&>(group)) visitor.visit(*module, -1);
  }
};

}  // namespace minima::nn
