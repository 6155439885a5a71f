#pragma once

#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/loop_pragmas.h>

#include <type_traits>
#include <utility>

// The engine of pointwise operators on the CPU, for operator sources only.
//
//   struct Add { template <class T> T operator()(T a, T b) const { return a + b; } };
//   loop<float, float, float>(Add{}, {y, y_layout, float32}, {a, a_layout, float32}, {b, b_layout, bfloat16});
//
// One vector loop is compiled per functor and types, over contiguous memory. Everything else (strides, broadcasting,
// other element types) goes tile by tile through small buffers in the cache, in code shared by all functors. An
// operator therefore compiles its functor only for the types it computes in, yet accepts every dtype.

namespace minima::pointwise {

/// The type that a functor computes in: float for half types, else the element's own.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;

/// Nanoseconds per element on one core, from which the number of threads is chosen. A functor declares it as `static
/// constexpr double cost`; the default is that of moving memory.
template <class F> constexpr double cost_of() {
  if constexpr (requires { F::cost; }) return F::cost;
  else return 0.25;
}

/// The vector instructions that this file is compiled for. It is part of the types of compiled loops: otherwise the
/// linker could replace the library's loop by the same one from a user's file compiled for fewer instructions.
constexpr int instruction_set =
#if defined(__AVX512F__)
    3;
#elif defined(__AVX2__)
    2;
#elif defined(__AVX__)
    1;
#else
    0;
#endif

namespace detail {

using Kernel = void (*)(const void* functor, std::int64_t count, void* const* pointers);

/// A bool as a comparison: g++ does not vectorise loops that load bools.
template <class In> inline Compute<In> read(In x) {
  if constexpr (std::is_same_v<In, bool>) return __builtin_bit_cast(unsigned char, x) != 0;
  else return static_cast<Compute<In>>(x);
}

template <class F, class Out, class... In, std::size_t... I>
inline void kernel_loop(const F& f, std::int64_t count, void* const* pointers, std::index_sequence<I...>) {
  auto* out = static_cast<Out*>(pointers[0]);
  // The output may be one of the inputs, element by element, so it is not `restrict`; iterations are independent.
  const auto run = [&](const In*... in) __attribute__((always_inline)) {
    MINIMA_IVDEP
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = static_cast<Out>(static_cast<Compute<Out>>(f(read<In>(in[i])...)));
  };
  run(static_cast<const In*>(pointers[I + 1])...);
}

/// A functor whose general form does not vectorise may have a fast one that does, valid for most arguments: `fits(in…)`
/// tells for which.
template <class F, class... In>
concept HasFastForm = requires(const F& f, Compute<In>... in) { f.fits(in...), f.fast(in...); };

template <class F>
struct FastForm {
  F f;
  template <class... T> auto operator()(T... in) const { return f.fast(in...); }
};
/// Uses whichever fits, element by element: a result does not depend on its neighbours.
template <class F>
struct EitherForm {
  F f;
  template <class... T> auto operator()(T... in) const { return f.fits(in...) ? f.fast(in...) : f(in...); }
};

template <class F, class Out, class... In, std::size_t... I>
inline void fast_loop(const F& f, std::int64_t count, void* const* pointers, std::index_sequence<I...> index) {
  constexpr std::int64_t stretch = 512;
  for (std::int64_t first = 0; first < count; first += stretch) {
    const std::int64_t length = count - first < stretch ? count - first : stretch;
    void* const here[] = {static_cast<Out*>(pointers[0]) + first, static_cast<In*>(pointers[I + 1]) + first...};
    std::int32_t misfits = 0;
    for (std::int64_t i = 0; i < length; ++i)
      misfits |=
          static_cast<std::int32_t>(!f.fits(static_cast<Compute<In>>(static_cast<const In*>(here[I + 1])[i])...));
    if (misfits == 0) kernel_loop<FastForm<F>, Out, In...>({f}, length, here, index);
    else kernel_loop<EitherForm<F>, Out, In...>({f}, length, here, index);
  }
}

template <int, class F, class Out, class... In>
void kernel(const void* functor, std::int64_t count, void* const* pointers) {
  // A copy on the stack tells the compiler that writing the output does not change the functor.
  const F f = *static_cast<const F*>(functor);
  if constexpr (HasFastForm<F, In...>) fast_loop<F, Out, In...>(f, count, pointers, std::index_sequence_for<In...>{});
  else kernel_loop<F, Out, In...>(f, count, pointers, std::index_sequence_for<In...>{});
}

/// A loop with its types erased, as the shared code runs it. Operand 0 is the output.
struct Job {
  Kernel kernel;
  const void* functor;
  const Operand* operands;
  const DType* types;  // what the kernel reads and writes
  int count;
  std::int64_t grain;
};

MINIMA_API void run(const Job& job);
MINIMA_API std::int64_t grain(double cost);

template <class> using OperandFor = const Operand&;

}  // namespace detail

/// out[i] = f(in[i]…) for every index of the output's shape, which every input's layout shares (stride 0 broadcasts).
/// `Out` and `In` are the types that the loop is compiled for; operands of other dtypes are converted on the fly as
/// converter() does. The output may share memory with an input of the same layout; any other overlap is undefined
/// behaviour.
template <class Out, class... In, class F> void loop(const F& f, const Operand& out, detail::OperandFor<In>... in) {
  static_assert(sizeof...(In) < 8, "a pointwise loop has at most seven inputs");
  const Operand operands[] = {out, in...};
  static constexpr DType types[] = {dtype_of<Out>, dtype_of<In>...};
  detail::run({&detail::kernel<instruction_set, F, Out, In...>, &f, operands, types,
               1 + static_cast<int>(sizeof...(In)), detail::grain(cost_of<F>())});
}

/// out[i] = in[i], converted, between any two layouts of one shape.
MINIMA_API void copy(const Operand& out, const Operand& in);

}  // namespace minima::pointwise
