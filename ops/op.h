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

template <class Op, class... In>
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

#include <minima/ops/apply.h>
