#pragma once

// IWYU pragma: begin_exports
#include <minima/ops/core/op_mistakes.h>
#include <minima/ops/core/run.h>
// IWYU pragma: end_exports

// Public functions that run an operator. tests/mistakes/ checks the compiler's messages for malformed ones.

namespace minima {

/// Runs an operator: applies autocast, checks, allocates, calls the device's kernel and records. Returns the public
/// output, or an array of them if there are several. Inputs are tensors or one span of tensors. A view operator's
/// `view` maps the layout of its single input to the result's.
template <class Op, class... In>
auto apply(const Op& op, const In&... inputs) {
  using Mistake = detail::OpMistake;
  constexpr Mistake found = detail::find_mistake<Op, In...>();
  static_assert(found != Mistake::traits, "an operator needs `static constexpr Traits traits{.name = \"...\"};`");
  static_assert(found != Mistake::inputs,
                "apply takes the operator, then its tensors (or one list of tensors); numbers are the "
                "operator's members");
  static_assert(found != Mistake::no_result,
                "an operator needs one public `TensorSpec result(const Tensor& x, ...) const`, no template; a "
                "view operator `Layout view(const Tensor& x) const`");
  static_assert(found != Mistake::result_not_const,
                "the operator's result must be const: `TensorSpec result(const Tensor& x, ...) const`");
  static_assert(found != Mistake::result_type,
                "the operator's result must return a TensorSpec, for instance spec_like(x) or spec_of(shape, "
                "dtype, device); for several outputs a std::array<TensorSpec, N>");
  static_assert(found != Mistake::result_inputs,
                "the operator's result does not take the inputs that apply was given: one `const Tensor&` for"
                " each, or one `std::span<const Tensor>`");
  static_assert(found != Mistake::view,
                "the operator's view must be const and return a layout: `Layout view(const Tensor& x) const`");
  static_assert(found != Mistake::view_inputs, "a view operator has one input: `apply(op, x)`");
  static_assert(found != Mistake::kernel,
                "an operator needs a const kernel that writes its outputs: `void cpu(const Tensor& x, ..., "
                "Tensor& y) const`, the inputs of result, then one `Tensor&` for each output");
  static_assert(found != Mistake::gradient_name,
                "the operator's gradient must be one public member function, neither overloaded nor a "
                "template");
  static_assert(found != Mistake::gradient_not_const,
                "the operator's gradient (and fast_gradient) must be const: `Tensor gradient(Grad g, ...) "
                "const`");
  static_assert(found != Mistake::gradient_parameter,
                "the operator's gradient takes `Grad g`, not Tensor, and by value what else it needs: "
                "Input<0> x, Output y, Spec<0>, Needs, ...; these types say what is saved");
  static_assert(found != Mistake::gradient_index,
                "the operator's gradient names an input or output that does not exist: Input<i>, Spec<i> and "
                "Into<i> count the inputs from 0, GradAt<i> and OutputAt<i> the public outputs, Hidden<i> the"
                " hidden ones");
  static_assert(found != Mistake::gradient_list,
                "the gradient of an operator on a list takes InputList or SpecList, that of any other "
                "Input<i> or Spec<i>");
  static_assert(found != Mistake::gradient_type,
                "the operator's gradient must return a Tensor, or Gradients<N> for N inputs "
                "(std::vector<Tensor> for a list)");
  static_assert(found != Mistake::gradient_count,
                "the operator's gradient returns more tensors than the operator has inputs");
  static_assert(found != Mistake::only_fast_gradient,
                "an operator with fast_gradient needs gradient too: the formula with public operators");

  if constexpr (found != Mistake::none) {
    return Tensor();
  } else if constexpr (ViewOperation<Op>) {
    return detail::apply_view(op, inputs...);
  } else {
    if constexpr (Op::traits.autocast != Cast::none)
      if (detail::mode().autocast) [[unlikely]]
        return detail::apply_autocast(op, detail::as_input(inputs)...);
    return detail::apply_to(op, detail::as_input(inputs)...);
  }
}

/// Runs an operator into its first input: `apply_in_place(Add{}, x, y)` is x += y. The result must have x's shape; it
/// is converted to x's dtype. Recorded by autograd's rules: an error on a leaf that requires grad, otherwise a new
/// history for x (or for x's base). Old values of x that the gradient needs are cloned first.
template <class Op, class... In>
void apply_in_place(const Op& op, const Tensor& x, const In&... others) {
  if constexpr (detail::find_mistake<Op, Tensor, In...>() != detail::OpMistake::none) {
    apply(op, x, others...);  // reports which mistake
  } else {
    static_assert(detail::outputs_of<Op> == 1, "apply_in_place takes operators with one output");
    const detail::InputRefs refs(x, detail::as_input(others)...);
    const bool recording = detail::check_inputs(Op::traits, refs);
    TensorSpec spec = op.result(x, others...);
    detail::check_in_place(Op::traits.name, x, spec);
    if (recording) detail::check_in_place_recording(Op::traits.name, x);

    detail::OpNode<Op, 1 + sizeof...(In)>* node = nullptr;
    if constexpr (detail::has_gradient<Op>) {
      if (recording) node = detail::make_node(op, refs, true);
    } else if (recording) {
      throw AutogradError(
          str(Op::traits.name, ": has no gradient, so it cannot change a tensor that requires grad in place"));
    }
    const Ref<Node> owner(node);
    if (spec.dtype == x.dtype()) {
      std::array<Tensor, 1> results{x};
      detail::run_kernel(op, results, x, detail::without_partial_overlap(x, others)...);
    } else {
      std::array<Tensor, 1> results{detail::allocate(std::move(spec), Op::traits.name)};
      detail::run_kernel(op, results, x, others...);
      detail::copy_values(results[0], x);
    }
    x.impl()->storage->bump_version();
    if (node) {
      node->describe_output(0, x);
      node->save_outputs(&x);
      detail::rebase_history(x, *node);
    }
  }
}

}  // namespace minima
