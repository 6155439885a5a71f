#pragma once

#include <minima/autograd/node.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace minima {

class Leaf;

/// A reference to a leaf that does not keep its tensor, gradient and hooks alive.
class MINIMA_API WeakLeaf {
 public:
  explicit WeakLeaf(Leaf& leaf);
  /// The leaf; null once its tensor is gone.
  Ref<Leaf> lock() const;

 private:
  std::shared_ptr<Leaf*> place_;
};

/// The graph's end at a tensor whose gradient is accumulated. The tensor owns its leaf; the leaf holds a weak reference
/// to the tensor.
class MINIMA_API Leaf final : public Node {
 public:
  explicit Leaf(TensorImpl& tensor);

  static void* operator new(std::size_t bytes) { return detail::small_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) { detail::small_free(block, bytes); }

  /// The leaf of a tensor without history, created on first use; null for the result of an operator.
  static Leaf* of(const Tensor& tensor);
  static Leaf* find(const Tensor& tensor);

  const char* name() const override { return "leaf"; }
  void backward(Tensor*, Tensor*, BackwardContext&) override {}
  void release_saved() override {}
  void tensor_destroyed(TensorImpl* tensor) noexcept override;

  void set_requires_grad(bool wanted) { requires_grad_ = wanted; }
  /// Follows a change of the tensor's shape or dtype through set_data.
  void tensor_changed();

  // --- all of these may be called by several threads at once ---

  /// Adds a gradient, reusing its memory if no other handle shares it. If this thread holds the lock (a formula that
  /// writes into `.grad` runs another backward), the gradient waits until the lock is released.
  void accumulate(Tensor gradient);
  /// Calls the post-accumulation hooks.
  void finish();
  /// A handle to the tensor, undefined if it is gone.
  Tensor tensor();

  /// The gradient; undefined if none has arrived since the last zero_grad.
  Tensor gradient();
  /// Sets it; an undefined tensor clears it.
  void replace(Tensor gradient);
  /// Clears it. On a GPU its memory, if no other handle shares it, serves the activations until backward; a CPU's
  /// pages stay.
  void zero();

  /// For kernels that write into `grad` themselves.
  bool try_lock();
  /// `grad`, while locked. Its memory is allocated if there is none, so that the first gradient is rounded like the
  /// later ones; undefined if the tensor is gone.
  Tensor writable();
  void add_waiting();
  void unlock() noexcept;

  // --- only while locked, or while no other thread uses the leaf ---

  Tensor grad;        ///< its memory is reused while stale
  bool stale = true;  ///< the next contribution overwrites
  /// The first access to the gradient since this was set to `none`: a captured step that clears a gradient before it
  /// uses it doesn't depend on what was there.
  enum class Access : std::uint8_t { none, cleared, used };
  Access first_access = Access::none;

 private:
  class Lock;
  friend class WeakLeaf;
  void add(Tensor gradient);
  void note(Access access) {
    if (first_access == Access::none) first_access = access;
  }

  TensorImpl* tensor_;
  Output output_;
  const void* owner_ = nullptr;  ///< of the lock: a thread
  std::vector<Tensor> waiting_;  ///< contributions from the owning thread
  std::shared_ptr<Leaf*> weak_;  ///< what weak references share, if there are any; null there once the tensor is gone
};

}  // namespace minima
