#pragma once

// IWYU pragma: begin_exports
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loops/loop.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/dispatch.h>
// IWYU pragma: end_exports

// For the sources of pointwise operators: deriving from Unary, Binary or Ternary turns a functor into an operator.
//
//   struct Relu : Unary<Relu, functor::Relu> {
//     static constexpr Traits traits{.name = "relu"};
//     Tensor gradient(Grad g, Output y) const { return where(y > 0, g, 0); }
//   };
//
// The base supplies result (broadcasting, promotion, memory order), cost and the kernels: the CPU's from this header,
// CUDA's if the functor is built for it (ops/loops/cuda_loop.h). Inputs of different dtypes are converted to the
// promoted one on the fly.

namespace minima {

namespace detail {

MINIMA_API TensorSpec pointwise_spec(const char* op, const Tensor* const* inputs, int count, ResultType rule);
/// Throws DTypeError if there is no loop for the inputs' promoted dtype. `whole` and `floating` tell whether integer
/// and floating loops exist.
[[noreturn]] MINIMA_API void refuse_dtypes(const char* op, const Tensor* const* inputs, int count, bool whole,
                                           bool floating);

/// An input broadcast to the output's shape.
class Broadcast {
 public:
  Broadcast(const Tensor& x, const Tensor& y) : x_(&x), layout_(&x.layout()) {
    if (x.shape() == y.shape()) return;
    expanded_ = x.layout().expanded(y.shape());
    layout_ = &expanded_;
  }
  operator pointwise::Operand() const { return {x_->raw_data(), *layout_, x_->dtype()}; }

 private:
  const Tensor* x_;
  const Layout* layout_;
  Layout expanded_;
};

/// Whether shape, strides and dtype agree.
inline bool same_layout(const TensorImpl& a, const TensorImpl& b) {
  return a.dtype == b.dtype && a.layout.shape == b.layout.shape && a.layout.strides == b.layout.strides;
}
/// raw_data() of a tensor that is known to be defined.
inline void* start_of(const TensorImpl& x) {
  return static_cast<char*>(x.storage->data()) + x.layout.offset * static_cast<std::int64_t>(size_of(x.dtype));
}

/// Calls f<T>() with the type that a loop for `dtype` computes in: float for half types.
template <auto set, class F>
void dispatch_compute(DType dtype, const char* op, F&& f) {
  if (is_half(dtype)) dtype = DType::float32;
  dispatch<set>(dtype, op, [&]<class T> {
    if constexpr (!std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>) f.template operator()<T>();
  });
}

template <class Self, class F, auto set, ResultType rule>
struct PointwiseBase {
  using Set = std::remove_cvref_t<decltype(set)>;
  F f{};

  /// The functor's numbers.
  void list_attributes(AttributeVisitor& visitor) const {
    const auto number = [&](const char* name, Scalar value) {
      if (value.is_floating()) visitor.number(name, value.to<double>());
      else visitor.integer(name, value.to<std::int64_t>());
    };
    if constexpr (requires { Scalar(f.value); }) number("value", f.value);
    if constexpr (requires { Scalar(f.low); }) number("low", f.low);
    if constexpr (requires { Scalar(f.high); }) number("high", f.high);
    if constexpr (requires { Scalar(f.slope); }) number("slope", f.slope);
    if constexpr (requires { Scalar(f.alpha); }) number("alpha", f.alpha);
    if constexpr (requires { Scalar(f.scale); }) number("scale", f.scale);
    if constexpr (requires { Scalar(f.rate); }) number("rate", f.rate);
    if constexpr (requires { Scalar(f.beta); }) number("beta", f.beta);
    if constexpr (requires { Scalar(f.threshold); }) number("threshold", f.threshold);
    if constexpr (requires { Scalar(f.lambda); }) number("lambda", f.lambda);
    if constexpr (requires { Scalar(f.weight); }) number("weight", f.weight);
    if constexpr (requires { Scalar(f.exponent); }) number("exponent", f.exponent);
  }

  /// The fast path (run_small in op_support.h) for few elements, row-major, all of one shape and of a dtype that the
  /// loop computes in. Dereferences the handles unchecked, since apply has checked them; the whole path takes a few
  /// nanoseconds.
  template <class... In>
  bool is_small(const Tensor& tensor, const In&... others) const {
    constexpr std::int64_t few = 2048;
    const TensorImpl& first = *tensor.impl();
    return !is_half(first.dtype) && Set::has(first.dtype) &&
           (rule != ResultType::floating || is_floating(first.dtype)) && (... && same_layout(first, *others.impl())) &&
           first.layout.numel() < few && first.layout.is_contiguous() && !on_cuda(tensor);
  }
  DType small_dtype(const Tensor& first) const {
    return rule == ResultType::boolean ? DType::boolean : first.impl()->dtype;
  }
  template <class... In>
  void cpu_small(Tensor& y, const Tensor& first, const In&... others) const {
    void* const pointers[] = {start_of(*y.impl()), start_of(*first.impl()), start_of(*others.impl())...};
    const std::int64_t count = y.impl()->layout.numel();
    dispatch_compute<set>(first.impl()->dtype, Self::traits.name, [&]<class T> {
      using Out = std::conditional_t<rule == ResultType::boolean, bool, T>;
      pointwise::detail::kernel<pointwise::instruction_set, F, Out, T, std::conditional_t<true, T, In>...>(&f, count,
                                                                                                           pointers);
    });
  }

 protected:
  template <class... In>
  TensorSpec spec_for(const In&... inputs) const {
    const Tensor* list[] = {&inputs...};
    if (!Set::has(compute_dtype_of(inputs...)))
      refuse_dtypes(Self::traits.name, list, sizeof...(In), Set::has(DType::int64), Set::has(DType::float32));
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

  /// The dtype in which the functor computes: float32 for half types.
  template <class... In>
  static DType compute_dtype_of(const In&... inputs) {
    const Tensor* list[] = {&inputs...};
    const DType dtype = promoted(list, sizeof...(In));
    return is_half(dtype) || (rule == ResultType::floating && !is_differentiable(dtype)) ? DType::float32 : dtype;
  }

  template <class... In>
  void run_cuda(Tensor& y, const In&... inputs) const {
    const Broadcast expanded[] = {Broadcast(inputs, y)...};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const pointwise::Operand operands[] = {{y.raw_data(), y.layout(), y.dtype()}, expanded[I]...};
      pointwise::CudaLoop<F, sizeof...(In), std::remove_const_t<decltype(set)>, rule>::run(
          Self::traits.name, f, compute_dtype_of(inputs...), operands);
    }(std::index_sequence_for<In...>());
  }

  template <class... In>
  void run_cpu(Tensor& y, const In&... inputs) const {
    dispatch_compute<set>(compute_dtype_of(inputs...), Self::traits.name, [&]<class T> {
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
  void cuda(const Tensor& x, Tensor& y) const requires pointwise::BuiltForCuda<F> { this->run_cuda(y, x); }
};

template <class Self, class F, auto set = numeric, ResultType rule = ResultType::same>
struct Binary : detail::PointwiseBase<Self, F, set, rule> {
  TensorSpec result(const Tensor& a, const Tensor& b) const { return this->spec_for(a, b); }
  Cost cost(const Tensor& a, const Tensor& b) const { return this->cost_for(a, b); }
  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const { this->run_cpu(y, a, b); }
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const requires pointwise::BuiltForCuda<F> {
    this->run_cuda(y, a, b);
  }
};

template <class Self, class F, auto set = numeric, ResultType rule = ResultType::same>
struct Ternary : detail::PointwiseBase<Self, F, set, rule> {
  TensorSpec result(const Tensor& a, const Tensor& b, const Tensor& c) const { return this->spec_for(a, b, c); }
  Cost cost(const Tensor& a, const Tensor& b, const Tensor& c) const { return this->cost_for(a, b, c); }
  void cpu(const Tensor& a, const Tensor& b, const Tensor& c, Tensor& y) const { this->run_cpu(y, a, b, c); }
  void cuda(const Tensor& a, const Tensor& b, const Tensor& c, Tensor& y) const requires pointwise::BuiltForCuda<F> {
    this->run_cuda(y, a, b, c);
  }
};

}  // namespace minima
