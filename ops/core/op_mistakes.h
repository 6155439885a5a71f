#pragma once

// IWYU pragma: begin_exports
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/signature.h>
// IWYU pragma: end_exports

// Included by apply.h. Detects how an operator deviates from the form in docs/adding-an-operator.md, so that `apply`
// can report it in one line instead of a page of template errors.

namespace minima::detail {

/// The first mistake found.
enum class OpMistake : std::uint8_t {
  none,
  traits,
  inputs,
  no_result,
  result_not_const,
  result_type,
  result_inputs,
  view,
  view_inputs,
  kernel,
  gradient_name,
  gradient_not_const,
  gradient_parameter,
  gradient_index,
  gradient_list,
  gradient_type,
  gradient_count,
  only_fast_gradient,
};

/// Bounds what the parameters of `gradient` may refer to.
struct OpLimits {
  int inputs;  ///< -1: an operator on a list
  int outputs, hidden;
};

constexpr OpMistake unless(bool holds, OpMistake mistake) { return holds ? OpMistake::none : mistake; }
constexpr OpMistake index_below(int index, int count) {
  return unless(index >= 0 && index < count, OpMistake::gradient_index);
}
constexpr OpMistake input_below(int index, OpLimits limits) {
  return limits.inputs < 0 ? OpMistake::gradient_list : index_below(index, limits.inputs);
}
constexpr OpMistake first_of(OpMistake a, OpMistake b) { return a == OpMistake::none ? b : a; }

template <class T> struct ParameterMistake {
  static constexpr OpMistake of(OpLimits) { return OpMistake::gradient_parameter; }
};
template <int I> struct ParameterMistake<GradAt<I>> {
  static constexpr OpMistake of(OpLimits limits) { return index_below(I, limits.outputs); }
};
template <int I> struct ParameterMistake<OutputAt<I>> : ParameterMistake<GradAt<I>> {};
template <int I> struct ParameterMistake<Hidden<I>> {
  static constexpr OpMistake of(OpLimits limits) { return index_below(I, limits.hidden); }
};
template <int I, int... For> struct ParameterMistake<Input<I, For...>> {
  static constexpr OpMistake of(OpLimits limits) {
    OpMistake found = input_below(I, limits);
    ((found = first_of(found, input_below(For, limits))), ...);
    return found;
  }
};
template <int I> struct ParameterMistake<Spec<I>> : ParameterMistake<Input<I>> {};
template <int I, bool wide> struct ParameterMistake<Into<I, wide>> : ParameterMistake<Input<I>> {};
template <int I> struct ParameterMistake<SoFar<I>> : ParameterMistake<Input<I>> {};
template <int I> struct ParameterMistake<PastMask<I>> : ParameterMistake<Input<I>> {};
template <> struct ParameterMistake<InputList> {
  static constexpr OpMistake of(OpLimits limits) { return unless(limits.inputs < 0, OpMistake::gradient_list); }
};
template <> struct ParameterMistake<SpecList> : ParameterMistake<InputList> {};
template <> struct ParameterMistake<Needs> {
  static constexpr OpMistake of(OpLimits) { return OpMistake::none; }
};

template <class R> struct GradientsIn {
  static constexpr int count = std::is_convertible_v<R, Tensor>                ? 1
                               : std::is_convertible_v<R, std::vector<Tensor>> ? 0
                                                                               : -1;
};
template <std::size_t N> struct GradientsIn<std::array<Tensor, N>> {
  static constexpr int count = N;
};

template <class R, class Op, class... Tags>
constexpr OpMistake mistake_in_formula(R (Op::*)(Tags...) const, OpLimits limits) {
  OpMistake found = OpMistake::none;
  ((found = first_of(found, ParameterMistake<Tags>::of(limits))), ...);
  constexpr int count = GradientsIn<R>::count;
  found = first_of(found, unless(count >= 0, OpMistake::gradient_type));
  return first_of(found, unless(limits.inputs < 0 || count <= limits.inputs, OpMistake::gradient_count));
}
template <class F>
constexpr OpMistake mistake_in_formula(F, OpLimits) {
  return OpMistake::gradient_not_const;
}

/// Detects a member `gradient` that &Op::gradient cannot name (private, a template or overloaded): deriving from both
/// makes the name ambiguous.
struct GradientName {
  int gradient;
};
template <class Op> struct WithGradientName : Op, GradientName {};
template <class Op>
constexpr bool names_gradient() {
  if constexpr (std::is_final_v<Op>) return has_gradient<Op>;
  else return !requires { &WithGradientName<Op>::gradient; };
}

template <class R> inline constexpr bool are_specs = std::is_convertible_v<R, TensorSpec>;
template <std::size_t N> inline constexpr bool are_specs<std::array<TensorSpec, N>> = N > 0;
template <class R, class Op, class... A>
constexpr OpMistake mistake_in_result(R (Op::*)(A...) const) {
  return unless(are_specs<R>, OpMistake::result_type);
}
template <class F>
constexpr OpMistake mistake_in_result(F) {
  return OpMistake::result_not_const;
}

template <class Op, class... In, std::size_t... Out>
constexpr bool has_kernel(std::index_sequence<Out...>) {
  return requires(const Op& op, const In&... inputs, Tensor& y) {
    op.cpu(as_input(inputs)..., (static_cast<void>(Out), y)...);
  };
}

template <class In>
concept IsInput = requires(const In& input) { as_input(input); };

template <class Op, class... In>
constexpr OpMistake find_mistake() {
  if constexpr (!requires { std::bool_constant<(static_cast<const Traits&>(Op::traits).hidden >= 0)>(); }) {
    return OpMistake::traits;
  } else if constexpr (!(IsInput<In> && ...)) {
    return OpMistake::inputs;
  } else if constexpr (ViewOperation<Op>) {
    return unless(InputRefs<std::remove_cvref_t<decltype(as_input(std::declval<const In&>()))>...>::static_size == 1,
                  OpMistake::view_inputs);
  } else if constexpr (!requires { &Op::result; }) {
    return requires { &Op::view; } ? OpMistake::view : OpMistake::no_result;
  } else if constexpr (mistake_in_result(&Op::result) != OpMistake::none) {
    return mistake_in_result(&Op::result);
  } else if constexpr (!requires(const Op& op, const In&... inputs) { op.result(as_input(inputs)...); }) {
    return OpMistake::result_inputs;
  } else if constexpr (!has_kernel<Op, In...>(std::make_index_sequence<static_cast<std::size_t>(outputs_of<Op>)>())) {
    return OpMistake::kernel;
  } else {
    constexpr OpLimits limits{
        InputRefs<std::remove_cvref_t<decltype(as_input(std::declval<const In&>()))>...>::static_size,
        outputs_of<Op> - Op::traits.hidden, Op::traits.hidden};
    OpMistake found = OpMistake::none;
    if constexpr (has_gradient<Op>) found = mistake_in_formula(&Op::gradient, limits);
    else found = unless(!names_gradient<Op>(), OpMistake::gradient_name);
    if constexpr (has_fast_gradient<Op>) {
      found = first_of(found, mistake_in_formula(&Op::fast_gradient, limits));
      found = first_of(found, unless(has_gradient<Op>, OpMistake::only_fast_gradient));
    }
    return found;
  }
}

}  // namespace minima::detail
