#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/optim/update/tensor_update.h>

// A rule updates one element of a parameter. It is a trivially copyable struct of numbers, and one source serves the
// CPU and CUDA:
//
//   struct Momentum {
//     static constexpr detail::StateNames states{"momentum_buffer"};
//     double lr = 0, momentum = 0;
//     template <class T>
//     MINIMA_HD void operator()(T& p, T g, T& buffer) const {
//       buffer = static_cast<T>(momentum) * buffer + g;
//       p -= static_cast<T>(lr) * buffer;
//     }
//   };
//   inline Momentum rule_for(const MomentumOptions& o) { return {.lr = o.lr, .momentum = o.momentum}; }
//
// Every rule has `lr`, and `states`, the names of its state tensors in the order of operator()'s arguments. Optional:
//
//   void prepare(StepCount&)            computes what depends on the step, as bias corrections do: once per parameter;
//                                       in a kernel on CUDA, where only the device knows step and lr. May note in
//                                       StepCount::product what the next step needs of this one's lr
//   void advance(StepCount&) const      updates StepCount::product; steps is already incremented
//   double initial_state(int i) const   what state i is filled with at the first step, otherwise 0

namespace minima::optim {

namespace detail {

/// Names of a rule's state tensors in the state dict.
struct StateNames {
  template <class... Name>
  constexpr StateNames(Name... names) : count(sizeof...(names)), name{names...} {}
  int count;
  const char* name[max_states];
};
template <class Rule> inline constexpr int state_count = Rule::states.count;

template <class Rule>
MINIMA_HD void advance_rule(const Rule& rule, StepCount& count) {
  ++count.steps;
  if constexpr (requires { rule.advance(count); }) rule.advance(count);
}
template <class Rule>
MINIMA_HD void prepare_rule(Rule& rule, StepCount& count) {
  if constexpr (requires { rule.prepare(count); }) rule.prepare(count);
}

}  // namespace detail

namespace rules {

using detail::StateNames;
using detail::StepCount;

/// 1 - βᵗ of 0 ≤ β < 1 and t ≥ 1, without cancellation where βᵗ is near 1.
MINIMA_HD inline double bias_correction(double beta, double t) { return -math::expm1(t * math::log(beta)); }

/// Found for the rules of this namespace only: elementwise/rules_cuda.cu builds their kernels.
template <class Rule> void has_cuda_kernel(const Rule&);

}  // namespace rules

}  // namespace minima::optim
