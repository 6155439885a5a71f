#pragma once

#include <minima/autograd/mode.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

class SecondMemory;

/// Decides what a checkpointed region does with an operator's outputs.
enum class Keep : std::uint8_t {
  recompute,  ///< recompute them
  save,       ///< keep them
  offload,    ///< offload them, and copy them back for the recomputation
};

struct CheckpointOptions {
  bool preserve_rng = true;     ///< false: dropout draws different numbers, which changes the gradient
  bool early_stop = true;       ///< stop recomputing once everything needed is available
  bool offload_inputs = false;  ///< offload the inputs, too
  /// Chooses the operators whose outputs are kept instead of recomputed; without a policy, none are.
  Function<Keep(const char* op)> policy = {};
  /// Where offloaded tensors go (autograd/checkpoint/offload.h). Null means pinned CPU memory for tensors on a GPU;
  /// tensors on the CPU stay in place.
  SecondMemory* memory = nullptr;
};

/// A policy that keeps the outputs of matrix products, convolutions and attention and recomputes the cheap rest.
MINIMA_API Keep keep_products(const char* op);

namespace detail {

/// During its lifetime, what this thread records can be recomputed by calling `again` with the inputs.
class MINIMA_API CheckpointScope {
 public:
  CheckpointScope(const CheckpointOptions& options, const std::vector<Tensor>& inputs,
                  Function<void(const std::vector<Tensor>&)> again);
  ~CheckpointScope();
  CheckpointScope(const CheckpointScope&) = delete;
  CheckpointScope& operator=(const CheckpointScope&) = delete;

 private:
  struct State;
  State* state_;
};

}  // namespace detail

/// Activation checkpointing: computes f(inputs…) and saves only the inputs; backward calls f again (Chen et al.,
/// "Training deep nets with sublinear memory cost", arXiv:1604.06174). Gradients are bitwise identical to those of the
/// plain call.
///
///     h = checkpoint(block, h);                                            // a module, or anything callable
///     h = checkpoint([&](const Tensor& x) { return attend(x, mask); }, h);
///
/// The second call sees the first call's random numbers, autocast state and inputs (changing those in place in between
/// is an error), whatever the state at backward. It stops once everything needed has been recomputed. batch_norm's
/// running statistics are not updated again; other code with side effects checks `is_recomputing()`. Regions nest and
/// work with higher-order gradients, hooks and autocast, and f may call backward itself. If the second call saves other
/// tensors than the first, AutogradError names the operators.
///
/// f is copied (a copy of a module is the same module) and must own what it refers to until backward. Tensors that f
/// captures stay in memory; pass tensors as inputs to have them checked and offloaded. f may return anything. Under
/// NoGrad it is simply called.
template <class F, class... In>
requires(std::is_convertible_v<const In&, const Tensor&> && ...)
auto checkpoint(const CheckpointOptions& options, F f, const In&... inputs) {
  if (!is_grad_enabled()) return f(inputs...);
  const detail::CheckpointScope scope(options, {inputs...}, [f](const std::vector<Tensor>& given) mutable {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static_cast<void>(f(given[I]...));
    }(std::index_sequence_for<In...>());
  });
  return f(inputs...);
}

template <class F, class... In>
requires(std::is_convertible_v<const In&, const Tensor&> && ...) auto checkpoint(F f, const In&... inputs) {
  return checkpoint(CheckpointOptions(), std::move(f), inputs...);
}

}  // namespace minima
