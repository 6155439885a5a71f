#pragma once

#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/pointwise/number.h>

#include <concepts>
#include <cstddef>
#include <utility>

// The loops' functors of a function given to Pointwise: the function itself and its derivatives.

namespace minima::detail {

/// Nanoseconds per element: a few operations and one function, unless the functor knows better.
template <class F>
constexpr double function_cost() {
  if constexpr (requires { F::cost; }) return F::cost;
  else return 1;
}

/// f(x…)
template <class F>
struct FunctionValue {
  static constexpr double cost = function_cost<F>();
  F f;
  template <class T, std::same_as<T>... More> MINIMA_HD T operator()(T x, More... more) const {
    return number::Real<T>(f(number::Real<T>(x), number::Real<T>(more)...)).value;
  }
};

/// g · ∂f(x…), by the input By or by two of them.
template <class F, int... By> struct FunctionDerivative;
template <class F, int By>
struct FunctionDerivative<F, By> {
  static constexpr double cost = 2 * function_cost<F>();
  F f;
  template <class T, std::same_as<T>... X> MINIMA_HD T operator()(T g, X... x) const {
    return by(std::index_sequence_for<X...>(), g, x...);
  }

 private:
  template <std::size_t... I, class T, class... X>
  MINIMA_HD T by(std::index_sequence<I...>, T g, X... x) const {
    using Number = number::Dual<number::Real<T>>;
    return g * Number(f(Number(x, I == By)...)).slope.value;
  }
};
template <class F, int First, int Second>
struct FunctionDerivative<F, First, Second> {
  static constexpr double cost = 4 * function_cost<F>();
  F f;
  template <class T, std::same_as<T>... X> MINIMA_HD T operator()(T g, X... x) const {
    return by(std::index_sequence_for<X...>(), g, x...);
  }

 private:
  template <std::size_t... I, class T, class... X>
  MINIMA_HD T by(std::index_sequence<I...>, T g, X... x) const {
    using Inner = number::Dual<number::Real<T>>;
    using Number = number::Dual<Inner>;
    return g * Number(f(Number(Inner(x, I == First), Inner(I == Second, 0))...)).slope.slope.value;
  }
};
template <class F> requires pointwise::BuiltForCuda<F> void built_for_cuda(const FunctionValue<F>&);
template <class F, int... By> requires pointwise::BuiltForCuda<F>
void built_for_cuda(const FunctionDerivative<F, By...>&);

}  // namespace minima::detail
