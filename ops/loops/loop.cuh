#pragma once

#include <minima/ops/loops/cuda_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/loop_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>

// For the .cu files of functors: defines CudaLoop; the instantiations there determine what is compiled.

namespace minima::pointwise {

namespace detail {

using minima::cuda::Grid;

inline Grid grid_of(std::uint32_t threads) { return minima::cuda::grid_for(threads); }

template <class Out, class... In, class F, std::size_t... I>
bool run_packed(const F& f, const Plan& plan, const Operand* operands, std::index_sequence<I...>) {
  constexpr int width = static_cast<int>(16 / std::max({sizeof(Out), sizeof(In)...}));
  constexpr DType types[] = {dtype_of<Out>, dtype_of<In>...};
  Plan packs = plan;
  std::uint32_t repeated = 0;
  if (!pack(packs, operands, types, width, repeated)) return false;
  for (const Part& part : parts_of(packs))
    minima::cuda::launch("packed_loop", grid_of(part.geometry.count), packed_loop_kernel<width, F, Out, In...>, f,
                         part.geometry, repeated, static_cast<Out*>(operands[0].data) + part.start[0],
                         static_cast<const In*>(operands[I + 1].data) + part.start[I + 1]...);
  return true;
}

template <class Out, class... In, class F>
void run_strided(const F& f, const Plan& plan, const Operand* operands) {
  for (const Part& part : parts_of(plan)) {
    Memory<1 + sizeof...(In)> memory;
    for (int k = 0; k < plan.operands; ++k) {
      const std::int64_t bytes = part.start[k] * static_cast<std::int64_t>(size_of(operands[k].dtype));
      memory.data[k] = static_cast<char*>(operands[k].data) + bytes;
      memory.dtype[k] = operands[k].dtype;
    }
    const std::uint32_t threads = (part.geometry.count + elements_per_thread - 1) / elements_per_thread;
    minima::cuda::launch("strided_loop", grid_of(threads), strided_loop_kernel<F, Out, In...>, f, part.geometry,
                         memory);
  }
}

/// The type of argument I: a condition stays bool whatever it selects.
template <class F, class T, std::size_t I>
using Argument = std::conditional_t<I == 0 && requires { F::condition_first; }, bool, T>;

template <class T, ResultType rule> using Result = std::conditional_t<rule == ResultType::boolean, bool, T>;

/// Computes in T. Packs are compiled only for floating types; integers are rarely performance-critical.
template <class T, ResultType rule, class F, std::size_t... I>
void run_as(const F& f, const Plan& plan, const Operand* operands, std::index_sequence<I...> inputs) {
  if constexpr (std::is_floating_point_v<T>)
    if (run_packed<Result<T, rule>, Argument<F, T, I>...>(f, plan, operands, inputs)) return;
  if constexpr (std::is_same_v<T, float>) {
    if (run_packed<Result<BFloat16, rule>, Argument<F, BFloat16, I>...>(f, plan, operands, inputs)) return;
    if (run_packed<Result<Float16, rule>, Argument<F, Float16, I>...>(f, plan, operands, inputs)) return;
    if constexpr (requires { F::mixes; }) {
      if (run_packed<float, float, BFloat16>(f, plan, operands, inputs)) return;
      if (run_packed<float, BFloat16, float>(f, plan, operands, inputs)) return;
      if (run_packed<float, float, Float16>(f, plan, operands, inputs)) return;
      if (run_packed<float, Float16, float>(f, plan, operands, inputs)) return;
    }
  }
  run_strided<Result<T, rule>, Argument<F, T, I>...>(f, plan, operands);
}

}  // namespace detail

template <class F, int inputs, class Set, ResultType rule>
void CudaLoop<F, inputs, Set, rule>::run(const char* op, const F& f, DType compute, const Operand* operands) {
  const Layout* layouts[1 + inputs];
  for (int k = 0; k <= inputs; ++k) layouts[k] = &operands[k].layout;
  const Plan plan = make_plan(layouts, 1 + inputs);
  const auto run_for = [&]<class T>(T) {
    if constexpr (Set::has(dtype_of<T>)) detail::run_as<T, rule>(f, plan, operands, std::make_index_sequence<inputs>());
    else throw DTypeError(str(op, ": no kernel for ", dtype_of<T>));
  };
  switch (compute) {
    case DType::boolean: return run_for(bool{});
    case DType::uint8: return run_for(std::uint8_t{});
    case DType::int8: return run_for(std::int8_t{});
    case DType::int32: return run_for(std::int32_t{});
    case DType::int64: return run_for(std::int64_t{});
    case DType::float64: return run_for(double{});
    case DType::complex64:
    case DType::complex128: throw DTypeError(str(op, ": no CUDA kernel for ", name(compute)));
    default: return run_for(float{});
  }
}

}  // namespace minima::pointwise
