#pragma once

#include <minima/autograd/mode.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

class SecondMemory;

/// What a checkpointed region does with what an operator computes.
enum class Keep : std::uint8_t {
  recompute,  ///< computes it again
  save,       ///< keeps it
  offload,    ///< keeps it in a second memory, and copies it back when the region is recomputed
};

struct CheckpointOptions {
  bool preserve_rng = true;     ///< false: dropout draws anew, which changes the gradient
  bool early_stop = true;       ///< end the recomputation when all that is missing is there
  bool offload_inputs = false;  ///< the inputs wait in `memory` too
  /// Which operators' outputs are kept instead of computed again; none: all are recomputed.
  Function<Keep(const char* op)> policy = {};
  /// Where offloaded tensors go (autograd/checkpoint/offload.h); null is pinned CPU memory, and for tensors on the CPU
  /// nothing.
  SecondMemory* memory = nullptr;
};

/// A policy: what matrix products, convolutions and attention compute is kept; the cheap rest is recomputed.
MINIMA_API Keep keep_products(const char* op);

namespace detail {

/// While it lives, what this thread records can be recomputed by calling `again` with the inputs.
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

/// Computes f(inputs…) and keeps nothing for its gradient but the inputs: when backward comes there, f is called again
/// (Chen et al., "Training deep nets with sublinear memory cost", arXiv:1604.06174). Gradients are bitwise those of the
/// plain call.
///
///     h = checkpoint(block, h);                                            // a module, or anything callable
///     h = checkpoint([&](const Tensor& x) { return attend(x, mask); }, h);
///
/// The second call sees the random numbers and the autocast state of the first and the inputs as they were (changing
/// them in place in between is an error), whatever the caller's state is then. It ends as soon as all that is missing
/// has been computed. Running statistics of batch_norm are left alone; other code with side effects asks
/// `is_recomputing()`. Regions nest, work with gradients of gradients, hooks and autocast, and f may call backward
/// itself. If the second call saves something else than the first, AutogradError names the operators.
///
/// f is copied (a module's copy is the same module), and must own what it refers to until backward. Tensors that f
/// captures are not recomputed but simply there; give as inputs those whose memory is to be watched over. f returns
/// whatever it likes. Under NoGrad it is just called.
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
