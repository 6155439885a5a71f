#pragma once

#include <minima/autograd/hooks.h>
#include <minima/autograd/node.h>

namespace minima {

/// The hooks of one node. Internal: register through hooks.h.
struct NodeHooks {
  template <class Signature>
  struct Entry {
    std::uint64_t id;
    std::uint32_t output;
    Function<Signature> call;
  };
  struct Retained {
    std::uint32_t output;
    Tensor grad;
  };

  std::vector<Entry<Tensor(const Tensor&)>> on_gradient;
  std::vector<Entry<void(std::vector<Tensor>&)>> before;
  std::vector<Entry<void(std::vector<Tensor>&)>> after;
  std::vector<Entry<void(const Tensor&)>> after_accumulation;
  std::vector<Retained> retained;

  Retained* find_retained(std::uint32_t output);
  static NodeHooks& of(Node& node);
};

}  // namespace minima
