#pragma once

// IWYU pragma: begin_exports
#include <minima/autograd/checkpoint/operator_tape.h>
#include <minima/ops/core/op_node.h>
// IWYU pragma: end_exports

// Runs one call of an operator and records it. `apply` checks the operator itself and calls this.

namespace minima {

namespace detail {

template <class Op, class... In>
auto apply_to(const Op& op, const In&... inputs) {
  const InputRefs refs(inputs...);
  constexpr int outputs = outputs_of<Op>;
  constexpr int public_outputs = outputs - Op::traits.hidden;
  const bool recording = check_inputs(Op::traits, refs) && has_gradient<Op>;

  [[maybe_unused]] Ref<Node> node;
  OperatorTape* tape = nullptr;
  if constexpr (has_gradient<Op>) {
    if (recording && (tape = mode().tape)) [[unlikely]]
      if (mode().recomputing)
        node = Ref<Node>(make_node(op, refs, false));  // may end the recomputation before the kernel
  }

  std::array<Tensor, outputs> results;
  if (!(tape && tape->take(Op::traits.name, results.data(), outputs)) && !run_small(op, results, inputs...)) {
    if constexpr (outputs == 1) {
      results[0] = allocate(op.result(inputs...), Op::traits.name);
    } else {
      auto specs = op.result(inputs...);
      for (int i = 0; i < outputs; ++i)
        if (i < public_outputs || recording) results[i] = allocate(std::move(specs[i]), Op::traits.name);
    }
    if constexpr (Op::traits.mutates != 0) {
      if (mode().recomputing) run_on_copies(op, results, inputs...);
      else run_kernel(op, results, inputs...);
    } else {
      run_kernel(op, results, inputs...);
    }
  }
  if constexpr (has_gradient<Op>) {
    if (recording) {
      if (tape) [[unlikely]]
        tape->put(Op::traits.name, results.data(), outputs);
      if (!node) node = Ref<Node>(make_node(op, refs, false));
      static_cast<OpNode<Op, InputRefs<In...>::static_size>*>(node.detach())->finish(results);
    }
  }
  if constexpr (public_outputs == 1) return std::move(results[0]);
  else return take_first<public_outputs>(results);
}

/// apply_to inside an autocast region: converts the inputs by the operator's policy and turns autocast off for what the
/// operator itself runs.
template <class Op, class... In>
auto apply_autocast(const Op& op, const In&... inputs) {
  std::vector<Tensor> cast;
  if constexpr (InputRefs<In...>::static_size < 0) (cast.assign(inputs.begin(), inputs.end()), ...);
  else cast = {inputs...};
  autocast_inputs(Op::traits.autocast, cast.data(), cast.size());
  const WithoutAutocast guard;
  if constexpr (InputRefs<In...>::static_size < 0) {
    return apply_to(op, std::span<const Tensor>(cast));
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return apply_to(op, cast[I]...);
    }(std::index_sequence_for<In...>());
  }
}

template <class Op>
Tensor apply_view(const Op& op, const Tensor& x) {
  const InputRefs refs(x);
  const bool recording = check_inputs(Op::traits, refs) && has_gradient<Op>;
  Tensor result = make_view(x, op.view(x));
  if (recording) {
    auto* node = make_node(op, refs, false);
    std::array<Tensor, 1> results{result};
    node->finish(results);
  }
  return result;
}

}  // namespace detail

}  // namespace minima
