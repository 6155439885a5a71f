#pragma once

#include <minima/autograd/node.h>

namespace minima {

/// The end of the graph at a tensor that gradients are collected for. The tensor owns its leaf; the leaf knows the
/// tensor only as long as it lives.
class MINIMA_API Leaf final : public Node {
 public:
  explicit Leaf(TensorImpl& tensor);

  static void* operator new(std::size_t bytes) { return detail::small_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) { detail::small_free(block, bytes); }

  /// The leaf of a tensor without operator history, made on first use; null for a tensor that an operator made.
  static Leaf* of(const Tensor& tensor);
  static Leaf* find(const Tensor& tensor);

  const char* name() const override { return "leaf"; }
  void backward(Tensor*, Tensor*, BackwardContext&) override {}
  void release_saved() override {}
  void tensor_destroyed(TensorImpl* tensor) noexcept override;

  void set_requires_grad(bool wanted) { requires_grad_ = wanted; }
  /// Follows a change of the tensor's shape or dtype through set_data.
  void tensor_changed();

  /// Adds a gradient; takes it over where it is nobody else's. Thread-safe.
  void accumulate(Tensor gradient);
  /// Calls the post-accumulation hooks.
  void finish();

  /// The gradient, undefined while there is none since the last zero_grad.
  Tensor gradient() const { return stale ? Tensor() : grad; }

  bool try_lock();
  void lock();
  void unlock();

  Tensor grad;        ///< memory is kept while stale
  bool stale = true;  ///< the next contribution overwrites

 private:
  TensorImpl* tensor_;
  Output output_;
  std::uint32_t locked_ = 0;
};

}  // namespace minima
