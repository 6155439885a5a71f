#pragma once

#include <minima/autograd/operator_tape.h>
#include <minima/autograd/saved_tensor.h>
#include <minima/ops/spec.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>
#include <minima/tensor/observer.h>

#include <array>
#include <concepts>
#include <span>
#include <tuple>
#include <vector>

// How an operator is written: one struct, and `apply`. For authors of operators; users include the operators' own
// headers. docs/adding-an-operator.md walks through it.
//
//   struct Softmax {
//     static constexpr Traits traits{.name = "softmax", .autocast = Cast::to_float32};
//     int dim;                                                   // attributes are members
//     TensorSpec result(const Tensor& x) const;                  // checks and output spec, before any device code
//     Cost cost(const Tensor& x) const;                          // for profiler and benchmarks
//     void cpu(const Tensor& x, Tensor& y) const;
//     void cuda(const Tensor& x, Tensor& y) const;               // calls a plain function that a .cu defines
//     Tensor gradient(Grad g, Output y) const;                   // public operators only: any order
//     Tensor fast_gradient(Grad g, Output y) const;              // optional kernel for when no graph of it is wanted
//   };
//   Tensor softmax(const Tensor& x, int dim) { return apply(Softmax{dim}, x); }

namespace minima {

// --- what `gradient` may ask for; its parameter types decide what a node saves ---

/// The gradient of output I; undefined means zero.
template <int I>
struct GradAt : Tensor { explicit GradAt(Tensor t) : Tensor(std::move(t)) {} };
using Grad = GradAt<0>;
/// The value of input I. With For..., it is kept only when the gradient of one of those inputs is wanted, and
/// undefined otherwise: `Input<0, 1>` is input 0, needed for the gradient of input 1.
template <int I, int... For>
struct Input : Tensor { explicit Input(Tensor t) : Tensor(std::move(t)) {} };
/// The value of public output I.
template <int I>
struct OutputAt : Tensor { explicit OutputAt(Tensor t) : Tensor(std::move(t)) {} };
using Output = OutputAt<0>;
/// The value of hidden output I (counted from the first hidden one).
template <int I>
struct Hidden : Tensor { explicit Hidden(Tensor t) : Tensor(std::move(t)) {} };
/// Shape, layout and dtype of input I, without its memory.
template <int I>
struct Spec : TensorSpec { explicit Spec(TensorSpec s) : TensorSpec(std::move(s)) {} };
/// The values, or the specs, of all inputs of an operator on a list.
struct InputList : std::vector<Tensor> {};
struct SpecList : std::vector<TensorSpec> {};
/// needs[i]: somebody wants the gradient of input i.
class Needs {
 public:
  explicit Needs(const BackwardContext& context) : context_(&context) {}
  bool operator[](int input) const { return context_->needs(static_cast<std::uint32_t>(input)); }

 private:
  const BackwardContext* context_;
};
/// The `.grad` behind input I, for a kernel that writes or accumulates there itself; then it calls done() and returns
/// an undefined gradient. `tensor` is undefined where that is not possible.
template <int I>
class Into {
 public:
  explicit Into(BackwardContext& context) : Into(context, context.destination(I)) {}
  Tensor tensor;
  bool accumulate;
  void done() const { context_->written(I); }

 private:
  Into(BackwardContext& context, Destination d)
      : tensor(std::move(d.tensor)), accumulate(d.accumulate), context_(&context) {}
  BackwardContext* context_;
};
/// The gradients of N inputs; an undefined one is zero or was not wanted.
template <std::size_t N>
using Gradients = std::array<Tensor, N>;

}  // namespace minima

#include <minima/ops/op_node.h>

namespace minima {

namespace detail {

template <Operation Op, class... In>
auto apply_to(const Op& op, const In&... inputs) {
  const InputRefs refs(inputs...);
  constexpr int outputs = outputs_of<Op>;
  constexpr int public_outputs = outputs - Op::traits.hidden;
  const bool recording = check_inputs(Op::traits, refs) && has_gradient<Op>;

  [[maybe_unused]] UnfinishedNode node;
  OperatorTape* tape = nullptr;
  if constexpr (has_gradient<Op>) {
    if (recording && (tape = mode().tape)) [[unlikely]]
      if (mode().recomputing) node.set(make_node(op, refs, false));  // ends here where the kernel is not needed
  }

  std::array<Tensor, outputs> results;
  if (!(tape && tape->take(Op::traits.name, results.data(), outputs)) && !run_small(op, results, inputs...)) {
    if constexpr (outputs == 1) {
      results[0] = allocate(op.result(inputs...));
    } else {
      auto specs = op.result(inputs...);
      for (int i = 0; i < outputs; ++i)
        if (i < public_outputs || recording) results[i] = allocate(std::move(specs[i]));
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
      if (tape) [[unlikely]] tape->put(Op::traits.name, results.data(), outputs);
      if (!node) node.set(make_node(op, refs, false));
      static_cast<OpNode<Op, InputRefs<In...>::static_size>*>(node.take())->finish(results);
    }
  }
  if constexpr (public_outputs == 1) return std::move(results[0]);
  else return take_first<public_outputs>(results);
}

/// The same inside an autocast region: inputs as the operator's policy wants them. What runs inside the operator sees no
/// autocast.
template <Operation Op, class... In>
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

}  // namespace detail

/// Runs an operator: autocasts, checks, allocates, calls the device's kernel and records. Returns the public output, or an array
/// of them if there are several. Inputs are tensors, or one span of tensors.
template <Operation Op, class... In>
auto apply(const Op& op, const In&... inputs) {
  if constexpr (Op::traits.autocast != Cast::none)
    if (detail::mode().autocast) [[unlikely]] return detail::apply_autocast(op, detail::as_input(inputs)...);
  return detail::apply_to(op, detail::as_input(inputs)...);
}

/// Runs a view operator: one whose `view` maps the input's layout to the result's.
template <ViewOperation Op>
Tensor apply(const Op& op, const Tensor& x) {
  const detail::InputRefs refs(x);
  const bool recording = detail::check_inputs(Op::traits, refs) && detail::has_gradient<Op>;
  Tensor result = detail::make_view(x, op.view(x));
  if (recording) {
    auto* node = detail::make_node(op, refs, false);
    std::array<Tensor, 1> results{result};
    node->finish(results);
  }
  return result;
}

/// Runs an operator into its first input: `apply_in_place(Add{}, x, y)` is x += y. The result must have x's shape; it
/// is converted to x's dtype. Recorded by the rules of autograd: an error on a leaf that requires grad, a new history
/// for x (or for x's base) otherwise. What the gradient needs of the old x is cloned first.
template <Operation Op, class... In>
void apply_in_place(const Op& op, const Tensor& x, const In&... others) {
  const detail::InputRefs refs(x, detail::as_input(others)...);
  const bool recording = detail::check_inputs(Op::traits, refs);
  TensorSpec spec = op.result(x, others...);
  detail::check_in_place(Op::traits.name, x, spec);
  if (recording) detail::check_in_place_recording(Op::traits.name, x);

  detail::OpNode<Op, 1 + sizeof...(In)>* node = nullptr;
  if constexpr (detail::has_gradient<Op>) {
    if (recording) node = detail::make_node(op, refs, true);
  }
  detail::NodeOwner owner(node);
  if (spec.dtype == x.dtype()) {
    std::array<Tensor, 1> results{x};
    detail::run_kernel(op, results, x, detail::apart_from(x, others)...);
  } else {
    std::array<Tensor, 1> results{detail::allocate(std::move(spec))};
    detail::run_kernel(op, results, x, others...);
    detail::copy_values(results[0], x);
  }
  x.impl()->storage->bump_version();
  if (node) {
    node->describe_output(0, x);
    node->save_outputs(&x);
    detail::rebase_history(x, *node);
  } else if (recording) {
    throw AutogradError(str(Op::traits.name, ": has no gradient and cannot change a tensor that needs one in place"));
  }
}

}  // namespace minima
