#pragma once

// IWYU pragma: begin_exports
#include <minima/autograd/node.h>
#include <minima/ops/core/spec.h>
// IWYU pragma: end_exports

#include <array>
#include <optional>
#include <vector>

// The parameter types of an operator's `gradient`. They decide what a node saves.

namespace minima {

/// The gradient of output I; undefined means zero.
template <int I>
struct GradAt : Tensor {
  explicit GradAt(Tensor t) : Tensor(std::move(t)) {}
};
using Grad = GradAt<0>;
/// The value of input I. With For..., it is saved only if the gradient of one of those inputs is wanted, and is
/// undefined otherwise: `Input<0, 1>` is input 0, needed for the gradient of input 1.
template <int I, int... For>
struct Input : Tensor {
  explicit Input(Tensor t) : Tensor(std::move(t)) {}
};
/// The value of public output I.
template <int I>
struct OutputAt : Tensor {
  explicit OutputAt(Tensor t) : Tensor(std::move(t)) {}
};
using Output = OutputAt<0>;
/// The value of hidden output I (counted from the first hidden one).
template <int I>
struct Hidden : Tensor {
  explicit Hidden(Tensor t) : Tensor(std::move(t)) {}
};
/// Shape, layout and dtype of input I, without its memory.
template <int I>
struct Spec : TensorSpec {
  explicit Spec(TensorSpec s) : TensorSpec(std::move(s)) {}
};
/// The values, or the specs, of all inputs of an operator that takes a list.
struct InputList : std::vector<Tensor> {};
struct SpecList : std::vector<TensorSpec> {};
/// needs[i]: whether the gradient of input i is wanted.
class Needs {
 public:
  explicit Needs(const BackwardContext& context) : context_(&context) {}
  bool operator[](int input) const { return context_->needs(static_cast<std::uint32_t>(input)); }

 private:
  const BackwardContext* context_;
};
/// The gradients of N inputs; undefined means zero or not wanted.
template <std::size_t N>
using Gradients = std::array<Tensor, N>;

// What follows is for kernels of the library: arguments of a fast_gradient that spare it passes over memory.

/// The `.grad` that input I's gradient goes to, for a kernel that writes or accumulates into it directly, calls done()
/// and returns an undefined gradient. `tensor` is undefined where that is not possible. With `wide` it may be that of a
/// float32 parameter of which autocast made input I: in float32, where input I has a half type.
template <int I, bool wide = false>
class Into {
 public:
  explicit Into(BackwardContext& context) : Into(context, context.destination(I, wide)) {}
  Tensor tensor;
  bool accumulate;
  std::optional<DType> dtype;  ///< of a gradient that is returned instead, if it may be wider than input I
  void done() const { context_->written(I); }

 private:
  Into(BackwardContext& context, Destination d)
      : tensor(std::move(d.tensor)), accumulate(d.accumulate), dtype(d.wide), context_(&context) {}
  BackwardContext* context_;
};
/// Holds what other operators have contributed to input I's gradient so far, in its shape and dtype: a fast_gradient
/// that takes it returns the sum with its own. Undefined if there is nothing.
template <int I>
struct SoFar : Tensor {
  explicit SoFar(Tensor t) : Tensor(std::move(t)) {}
};
/// Whether input I is the output of an operator with Traits::passes_where_nonzero, has no other use in the pass, and no
/// hook or caller asks for its gradient: then a fast_gradient that takes it must return the gradient of that operator's
/// input instead, which is zero where input I is.
template <int I>
struct PastMask {
  bool wanted;
  explicit PastMask(bool is_wanted) : wanted(is_wanted) {}
};

}  // namespace minima
