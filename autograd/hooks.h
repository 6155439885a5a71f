#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

class Node;

/// Refers to a registered hook. Destroying the handle keeps the hook; `remove` unregisters it.
class MINIMA_API HookHandle {
 public:
  HookHandle() = default;
  HookHandle(Node& node, std::uint64_t id);
  HookHandle(const HookHandle& other);
  HookHandle& operator=(HookHandle other) noexcept;
  ~HookHandle();
  void remove();

 private:
  Node* node_ = nullptr;
  std::uint64_t id_ = 0;
};

/// Called with the gradient with respect to this tensor, summed over all uses, before anything else uses it. A defined
/// result replaces it (same shape, dtype and device, else AutogradError). On a leaf it runs before the gradient is
/// added to `.grad`.
MINIMA_API HookHandle register_hook(const Tensor& tensor, Function<Tensor(const Tensor& grad)> hook);
/// Runs once per backward for a leaf, after its last use in the graph, when `.grad` is complete.
MINIMA_API HookHandle register_post_accumulate_hook(const Tensor& leaf, Function<void(const Tensor& leaf)> hook);
/// Runs before the operator that made `tensor` computes its gradients; may replace those of its outputs, not their
/// number.
MINIMA_API HookHandle register_pre_backward_hook(const Tensor& tensor,
                                                 Function<void(std::vector<Tensor>& output_grads)> hook);
/// Runs after that operator; may replace the gradients of its inputs (undefined: not needed, or zero), not their
/// number.
MINIMA_API HookHandle register_backward_hook(const Tensor& tensor,
                                             Function<void(std::vector<Tensor>& input_grads)> hook);

}  // namespace minima
