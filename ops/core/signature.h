#pragma once

// IWYU pragma: begin_exports
#include <minima/ops/core/gradient_arguments.h>
// IWYU pragma: end_exports

#include <concepts>
#include <span>

// Derives an operator's inputs, outputs and saved values from its member functions at compile time.

namespace minima {

/// An operator has traits.
template <class Op>
concept AnyOperation = requires {
  { Op::traits } -> std::convertible_to<const Traits&>;
};
/// A computing operator: `result` gives the output's spec, a kernel computes it.
template <class Op>
concept Operation = AnyOperation<Op> && requires { &Op::result; };
/// A view operator: another layout for the same memory.
template <class Op>
concept ViewOperation = AnyOperation<Op> && requires(const Op& op, const Tensor& x) {
  { op.view(x) } -> std::convertible_to<Layout>;
};

}  // namespace minima

namespace minima::detail {

template <class R> inline constexpr int specs_in = 1;
template <std::size_t N> inline constexpr int specs_in<std::array<TensorSpec, N>> = N;

template <class R, class Op, class... A>
constexpr int count_outputs(R (Op::*)(A...) const) {
  return specs_in<R>;
}
template <class Op>
constexpr int count_outputs_of() {
  if constexpr (requires { &Op::result; }) return count_outputs(&Op::result);
  else return 1;
}
template <class Op> inline constexpr int outputs_of = count_outputs_of<Op>();

template <class Op> inline constexpr bool has_gradient = requires { &Op::gradient; };
template <class Op> inline constexpr bool has_fast_gradient = requires { &Op::fast_gradient; };

/// Tells what one parameter of `gradient` uses.
template <class Tag> struct Use {
  static constexpr std::uint32_t input = 0, output = 0, hidden = 0, spec = 0;
  static constexpr bool list = false, spec_list = false;
  static constexpr std::uint32_t needed_for(int) { return 0; }
};
template <int I, int... For> struct Use<Input<I, For...>> : Use<void> {
  static constexpr std::uint32_t input = 1u << I;
  static constexpr std::uint32_t needed_for(int i) {
    return i != I ? 0u : sizeof...(For) == 0 ? ~0u : (0u | ... | (1u << For));
  }
};
template <int I> struct Use<OutputAt<I>> : Use<void> {
  static constexpr std::uint32_t output = 1u << I;
};
template <int I> struct Use<Hidden<I>> : Use<void> {
  static constexpr std::uint32_t hidden = 1u << I;
};
template <int I> struct Use<Spec<I>> : Use<void> {
  static constexpr std::uint32_t spec = 1u << I;
};
template <> struct Use<InputList> : Use<void> {
  static constexpr bool list = true;
};
template <> struct Use<SpecList> : Use<void> {
  static constexpr bool spec_list = true;
};

template <class... Tags>
struct UsesOf {
  static constexpr std::uint32_t input = (0u | ... | Use<Tags>::input);
  static constexpr std::uint32_t output = (0u | ... | Use<Tags>::output);
  static constexpr std::uint32_t hidden = (0u | ... | Use<Tags>::hidden);
  static constexpr std::uint32_t spec = (0u | ... | Use<Tags>::spec);
  static constexpr bool list = (false || ... || Use<Tags>::list);
  static constexpr bool spec_list = (false || ... || Use<Tags>::spec_list);
  static constexpr std::uint32_t needed_for([[maybe_unused]] int i) { return (0u | ... | Use<Tags>::needed_for(i)); }
};

template <class R, class Op, class... Tags>
UsesOf<Tags...> uses_of(R (Op::*)(Tags...) const);

template <class Op>
auto gradient_uses() {
  if constexpr (has_gradient<Op>) return decltype(uses_of(&Op::gradient)){};
  else return UsesOf<>{};
}
template <class Op>
auto fast_gradient_uses() {
  if constexpr (has_fast_gradient<Op>) return decltype(uses_of(&Op::fast_gradient)){};
  else return UsesOf<>{};
}

/// Everything that a node of this operator saves. Which formula will run is unknown when recording, so both count.
template <class Op>
struct GradientUses {
  using Truth = decltype(gradient_uses<Op>());
  using Fast = decltype(fast_gradient_uses<Op>());
  static constexpr int first_hidden = outputs_of<Op> - Op::traits.hidden;
  static constexpr std::uint32_t input_mask = Truth::input;
  static constexpr std::uint32_t spec_mask = Truth::spec | Fast::spec;
  static constexpr std::uint32_t output_mask =
      Truth::output | Fast::output | (Truth::hidden | Fast::hidden) << first_hidden;
  static constexpr bool lists = Truth::list;
  static constexpr bool spec_lists = Truth::spec_list || Fast::spec_list;
  static constexpr std::uint32_t needed_for(int i) { return Truth::needed_for(i) | Fast::needed_for(i); }
  static_assert((Fast::input & ~Truth::input) == 0 && (!Fast::list || Truth::list),
                "fast_gradient may name only inputs that gradient names, otherwise they would be saved for nothing");
};

}  // namespace minima::detail
