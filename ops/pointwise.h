#pragma once

#include <minima/ops/op.h>
#include <minima/ops/pointwise/loop.h>
#include <minima/tensor/dispatch.h>

// For the sources of pointwise operators: a functor becomes an operator by deriving from Unary, Binary or Ternary.
//
//   struct Relu : Unary<Relu, functor::Relu> {
//     static constexpr Traits traits{.name = "relu"};
//     Tensor gradient(Grad g, Output y) const { return where(y > 0, g, 0); }
//   };
//
// The base supplies result (broadcast, promotion, memory order), cost and the CPU kernel. Inputs may differ in dtype:
// all are converted to the promoted one on the way.

namespace minima {

/// How the dtype of the result follows from the promoted dtype of the inputs.
enum class ResultType : std::uint8_t { same, floating, boolean };

namespace detail {

MINIMA_API TensorSpec pointwise_spec(const char* op, const Tensor* const* inputs, int count, ResultType rule);
MINIMA_API DType promoted(const Tensor* const* inputs, int count);

/// An input broadcast to the output's shape. The common case of equal shapes copies nothing.
class Broadcast {
 public:
  Broadcast(const Tensor& x, const Tensor& y)
      : same_(x.shape() == y.shape()), expanded_(same_ ? Layout() : x.layout().expanded(y.shape())), x_(&x) {}
  operator pointwise::Operand() const { return {x_->raw_data(), same_ ? x_->layout() : expanded_, x_->dtype()}; }

 private:
  bool same_;
  Layout expanded_;
  const Tensor* x_;
};

/// Calls f<T>() with the type that a loop for `dtype` computes in: half types go through float.
template <auto set, class F>
void dispatch_compute(DType dtype, const char* op, F&& f) {
  if (is_half(dtype)) dtype = DType::float32;
  dispatch<set>(dtype, op, [&]<class T> {
    if constexpr (!std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>) f.template operator()<T>();
  });
}

template <class Self, class F, auto set, ResultType rule>
struct PointwiseBase {
  F f{};

 protected:
  template <class... In>
  TensorSpec spec_for(const In&... inputs) const {
    const Tensor* list[] = {&inputs...};
    return pointwise_spec(Self::traits.name, list, sizeof...(In), rule);
  }

  template <class... In>
  Cost cost_for(const In&... inputs) const {
    const TensorSpec out = spec_for(inputs...);
    const double bytes = (0.0 + ... + (static_cast<double>(inputs.numel()) * static_cast<double>(inputs.itemsize())));
    const auto count = static_cast<double>(out.numel());
    double flops = 1;
    if constexpr (requires { F::flops; }) flops = F::flops;
    return {.flops = flops * count, .bytes = bytes + count * static_cast<double>(size_of(out.dtype))};
  }

  template <class... In>
  void run_cpu(Tensor& y, const In&... inputs) const {
    const Tensor* list[] = {&inputs...};
    DType dtype = promoted(list, sizeof...(In));
    if (rule == ResultType::floating && !is_floating(dtype)) dtype = DType::float32;
    dispatch_compute<set>(dtype, Self::traits.name, [&]<class T> {
      using Out = std::conditional_t<rule == ResultType::boolean, bool, T>;
      pointwise::loop<Out, std::conditional_t<true, T, In>...>(
          f, {y.raw_data(), y.layout(), y.dtype()}, static_cast<pointwise::Operand>(Broadcast(inputs, y))...);
    });
  }
};

}  // namespace detail

template <class Self, class F, auto set = numeric, ResultType rule = ResultType::same>
struct Unary : detail::PointwiseBase<Self, F, set, rule> {
  TensorSpec result(const Tensor& x) const { return this->spec_for(x); }
  Cost cost(const Tensor& x) const { return this->cost_for(x); }
  void cpu(const Tensor& x, Tensor& y) const { this->run_cpu(y, x); }
};

template <class Self, class F, auto set = numeric, ResultType rule = ResultType::same>
struct Binary : detail::PointwiseBase<Self, F, set, rule> {
  TensorSpec result(const Tensor& a, const Tensor& b) const { return this->spec_for(a, b); }
  Cost cost(const Tensor& a, const Tensor& b) const { return this->cost_for(a, b); }
  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const { this->run_cpu(y, a, b); }
};

template <class Self, class F, auto set = numeric, ResultType rule = ResultType::same>
struct Ternary : detail::PointwiseBase<Self, F, set, rule> {
  TensorSpec result(const Tensor& a, const Tensor& b, const Tensor& c) const { return this->spec_for(a, b, c); }
  Cost cost(const Tensor& a, const Tensor& b, const Tensor& c) const { return this->cost_for(a, b, c); }
  void cpu(const Tensor& a, const Tensor& b, const Tensor& c, Tensor& y) const { this->run_cpu(y, a, b, c); }
};

}  // namespace minima
