#pragma once

#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/pointwise_function_functors.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace minima {

namespace detail {

template <std::size_t> using TensorAt = Tensor;

template <class F>
constexpr const char* function_name() {
  if constexpr (requires { F::name; }) return F::name;
  else return "pointwise";
}
template <class Self, class F>
using FunctionBase = PointwiseBase<Self, F, full_floating, ResultType::floating>;

template <class F, class Inputs, int... By> struct DerivativeOperator;

template <class F, std::size_t... I, int... By>
struct DerivativeOperator<F, std::index_sequence<I...>, By...>
    : FunctionBase<DerivativeOperator<F, std::index_sequence<I...>, By...>, FunctionDerivative<F, By...>> {
  static constexpr Traits traits{.name = function_name<F>()};

  TensorSpec result(const Tensor& g, const TensorAt<I>&... x) const { return this->spec_for(g, x...); }
  Cost cost(const Tensor& g, const TensorAt<I>&... x) const { return this->cost_for(g, x...); }
  void cpu(const Tensor& g, const TensorAt<I>&... x, Tensor& y) const { this->run_cpu(y, g, x...); }
  void cuda(const Tensor& g, const TensorAt<I>&... x, Tensor& y) const requires pointwise::BuiltForCuda<F> {
    this->run_cuda(y, g, x...);
  }

  Gradients<1 + sizeof...(I)> gradient(Grad gg, Input<0> g, Input<static_cast<int>(I) + 1>... x, Needs needs) const {
    [[maybe_unused]] const Tensor scale = (... || needs[I + 1]) ? gg * g : Tensor();
    return {
        needs[0] ? minima::apply(*this, static_cast<const Tensor&>(gg), static_cast<const Tensor&>(x)...) : Tensor(),
        needs[I + 1] ? by<static_cast<int>(I)>(scale, x...) : Tensor()...};
  }

 private:
  template <int Next>
  Tensor by(const Tensor& scale, const TensorAt<I>&... x) const {
    if constexpr (sizeof...(By) > 1) {
      throw AutogradError(
          str(traits.name, ": a function given to Pointwise has derivatives of first and second order only"));
    } else {
      constexpr int first = std::min({By..., Next}), second = std::max({By..., Next});
      return minima::apply(DerivativeOperator<F, std::index_sequence<I...>, first, second>{{{this->f.f}}}, scale, x...);
    }
  }
};

template <class F, class Inputs> struct FunctionOperator;

template <class F, std::size_t... I>
struct FunctionOperator<F, std::index_sequence<I...>>
    : FunctionBase<FunctionOperator<F, std::index_sequence<I...>>, FunctionValue<F>> {
  static constexpr Traits traits{.name = function_name<F>()};

  TensorSpec result(const TensorAt<I>&... x) const { return this->spec_for(x...); }
  Cost cost(const TensorAt<I>&... x) const { return this->cost_for(x...); }
  void cpu(const TensorAt<I>&... x, Tensor& y) const { this->run_cpu(y, x...); }
  void cuda(const TensorAt<I>&... x, Tensor& y) const requires pointwise::BuiltForCuda<F> { this->run_cuda(y, x...); }

  Gradients<sizeof...(I)> gradient(Grad g, Input<static_cast<int>(I)>... x, Needs needs) const {
    return {needs[I]
                ? minima::apply(DerivativeOperator<F, std::index_sequence<I...>, static_cast<int>(I)>{{{this->f.f}}},
                                static_cast<const Tensor&>(g), static_cast<const Tensor&>(x)...)
                : Tensor()...};
  }
};

}  // namespace detail

/// A function of numbers as an operator on tensors: one pass over memory however long the formula, with gradients of
/// first and second order by dual numbers.
///
///   const Pointwise gauss([](auto x, auto y) { return x * exp(-y * y); });
///   Tensor z = gauss(a, b);
///
/// The function takes one to five numbers by `auto` and returns one. It uses arithmetic, comparisons, `where(condition,
/// a, b)`, max, min, pow, abs, sign, floor, round, exp, expm1, log, log1p, sqrt, rsqrt, sin, cos, tanh, sigmoid and erf
/// without `std::`. Branches work; `where` is faster. What it captures are numbers, copied. Tensors broadcast and
/// promote to a floating dtype (integers to float32); half types compute in float32 and are rounded once. A derivative
/// of third order throws AutogradError.
///
/// For CUDA the function is a struct whose call is a template marked MINIMA_HD, with `void built_for_cuda(const
/// Gauss&);` next to it, in a header that includes only <minima/ops/pointwise/number.h>; a .cu file that
/// includes it and <minima/ops/pointwise/pointwise_function.cuh> has the line `template struct
/// minima::PointwiseForCuda<Gauss, 2>;`. Otherwise it throws on a GPU. `static constexpr const char* name` in the
/// struct names the operator in errors and profiles.
template <class F>
class Pointwise {
  static_assert(std::is_trivially_copyable_v<F>, "the function given to Pointwise may capture numbers only, by value");

 public:
  explicit Pointwise(const F& f = {}) : f_(f) {}

  template <class... X> requires(std::is_convertible_v<const X&, const Tensor&> && ...)
  Tensor operator()(const X&... x) const {
    static_assert(sizeof...(X) >= 1 && sizeof...(X) <= 5, "a function given to Pointwise takes one to five tensors");
    static_assert(std::is_invocable_v<const F&, std::conditional_t<true, number::Real<float>, X>...>,
                  "the function given to Pointwise must be callable with as many numbers, taken by auto");
    return minima::apply(detail::FunctionOperator<F, std::index_sequence_for<X...>>{{{f_}}},
                         static_cast<const Tensor&>(x)...);
  }

 private:
  F f_;
};

}  // namespace minima
