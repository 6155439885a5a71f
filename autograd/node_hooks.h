#pragma once

#include <minima/autograd/hooks.h>
#include <minima/autograd/node.h>

#include <memory>
#include <mutex>
#include <optional>

namespace minima {

/// The hooks of one node. Internal: register through hooks.h. Hooks may be added and removed while other threads run
/// passes, so a pass copies the list and calls the hooks without holding the lock.
class MINIMA_API NodeHooks {
 public:
  template <class Signature>
  struct Entry {
    std::uint64_t id;
    std::uint32_t output;
    Function<Signature> call;
  };
  template <class Signature>
  using List = std::vector<Entry<Signature>>;

  List<Tensor(const Tensor&)> on_gradient;
  List<void(std::vector<Tensor>&)> before, after;
  List<void(const Tensor&)> after_accumulation;

  /// Returns what another interface keeps with the node, such as its handle there. `make` runs once.
  template <class F>
  std::shared_ptr<void> companion(const F& make) {
    const std::lock_guard guard(lock_);
    if (!companion_) companion_ = make();
    return companion_;
  }

  /// A node's hooks: null if it has none; `of` creates them.
  static NodeHooks* find(const Node& node) { return __atomic_load_n(&node.hooks, __ATOMIC_ACQUIRE); }
  static NodeHooks& of(Node& node);

  template <class L>
  L copy(L NodeHooks::* list) const {
    const std::lock_guard guard(lock_);
    return this->*list;
  }
  template <class L, class E>
  void add(L NodeHooks::* list, E&& entry) {
    const std::lock_guard guard(lock_);
    (this->*list).push_back(std::forward<E>(entry));
  }
  void remove(std::uint64_t id);
  bool sees_gradients() const {
    const std::lock_guard guard(lock_);
    return !on_gradient.empty();
  }

  // --- retain_grad() ---

  void retain(std::uint32_t output, Tensor gradient = {});
  bool retains() const {
    const std::lock_guard guard(lock_);
    return !retained_.empty();
  }
  /// Adds to the retained gradients.
  void add_retained(const std::vector<Tensor>& gradients);
  Tensor retained(std::uint32_t output) const;
  void zero_retained(std::uint32_t output);
  /// Stops retaining; returns the gradient retained so far, if any was requested.
  std::optional<Tensor> take_retained(std::uint32_t output);

 private:
  struct Retained {
    std::uint32_t output;
    Tensor grad;
  };

  std::shared_ptr<void> companion_;
  mutable std::mutex lock_;
  std::vector<Retained> retained_;
};

}  // namespace minima
