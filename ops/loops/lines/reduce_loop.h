#pragma once

#include <minima/ops/loops/loop.h>
#include <minima/tensor/base/loop_pragmas.h>

#include <algorithm>
#include <cstddef>

// The engine of reductions on the CPU, for operator sources only. A functor defines the reduction:
//
//   struct Mean {
//     using State = float;                                       // carried from element to element
//     float count;
//     State identity() const { return 0; }
//     State element(float x) const { return x; }                 // or element(float x, std::int64_t index)
//     State combine(State a, State b) const { return a + b; }    // associative and commutative but for rounding
//     float finish(State s) const { return s / count; }
//   };
//   reduction::reduce<float>(Mean{n}, {y, y_layout, float32}, {x, x_layout, bfloat16});
//
// Elements are combined in a fixed tree: first 64 rows of neighbours, then pairs of such leaves, pairs of pairs and so
// on. The tree depends on shape and strides alone, so a result is bitwise the same for any number of threads, and the
// rounding error of a sum grows with the logarithm of its length. ops/loops/lines/reducers.h has common functors.

namespace minima::reduction {

using pointwise::Operand;

namespace detail {

/// Neighbouring elements that are combined lane by lane when the reduced dimension is contiguous.
inline constexpr std::int64_t lanes = 64;

/// A functor behind function pointers, for the shared code. States are contiguous arrays.
struct Reduction {
  const void* functor;
  std::size_t state_size;
  bool indexed;
  double cost;
  DType in_type;  // of what `accumulate` reads
  int outputs;
  DType out_types[2];  // of what `finish` writes

  /// states[i] = identity
  void (*clear)(const void* functor, void* states, std::int64_t count);
  /// states[c] = states[c] ∘ x[r · stride + c] for each row r in turn; first + r · row_step + c · column_step is the
  /// index of that element.
  void (*accumulate)(const void* functor, void* states, const void* x, std::int64_t stride, std::int64_t rows,
                     std::int64_t columns, std::int64_t first, std::int64_t row_step, std::int64_t column_step);
  /// states[i] = row i combined; rows of at most one leaf (4096 elements) are contiguous in x.
  void (*whole_rows)(const void* functor, void* states, const void* x, std::int64_t rows, std::int64_t length);
  /// left[i] = left[i] ∘ right[i]
  void (*merge)(const void* functor, void* left, const void* right, std::int64_t count);
  void (*finish)(const void* functor, void* const* out, const void* states, std::int64_t count);
};

/// outs: `reduction.outputs` operands.
MINIMA_API void reduce(const Reduction& reduction, const Operand* outs, const Operand& in);

template <class F, class T, int = pointwise::instruction_set> struct ReductionKernels {
  using State = typename F::State;
  static constexpr bool indexed = requires(const F& f, T x) { f.element(x, std::int64_t{}); };

  static State element(const F& f, T x, [[maybe_unused]] std::int64_t index) {
    if constexpr (indexed) return f.element(x, index);
    else return f.element(x);
  }

  static void clear(const void* functor, void* states, std::int64_t count) {
    const State identity = static_cast<const F*>(functor)->identity();
    for (std::int64_t i = 0; i < count; ++i) static_cast<State*>(states)[i] = identity;
  }

  static void accumulate(const void* functor, void* states, const void* x, std::int64_t stride, std::int64_t rows,
                         std::int64_t columns, std::int64_t first, std::int64_t row_step, std::int64_t column_step) {
    accumulate_rows(*static_cast<const F*>(functor), static_cast<State*>(states), static_cast<const T*>(x), stride,
                    rows, columns, first, row_step, column_step);
  }

  __attribute__((always_inline)) static inline void accumulate_rows(const F f, State* __restrict s,
                                                                    const T* __restrict p, std::int64_t stride,
                                                                    std::int64_t rows, std::int64_t columns,
                                                                    std::int64_t first, std::int64_t row_step,
                                                                    std::int64_t column_step) {
    if constexpr (requires(T a) { F::wins(a, a); }) {
      for (std::int64_t c = 0; c < columns; c += winners)
        accumulate_winners(f, s + c, p + c, stride, rows, std::min(winners, columns - c), first + c * column_step,
                           row_step, column_step);
      return;
    }
    if (stride == lanes && columns == lanes) return accumulate_lanes(f, s, p, rows, first, row_step, column_step);
    // Four rows at once, combined as a small tree: fewer passes over the states.
    for (; rows >= 4; rows -= 4, p += 4 * stride, first += 4 * row_step)
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t i = first + c * column_step;
        const State early = f.combine(element(f, p[c], i), element(f, p[stride + c], i + row_step));
        const State late =
            f.combine(element(f, p[2 * stride + c], i + 2 * row_step), element(f, p[3 * stride + c], i + 3 * row_step));
        s[c] = f.combine(s[c], f.combine(early, late));
      }
    for (; rows > 0; --rows, p += stride, first += row_step)
      for (std::int64_t c = 0; c < columns; ++c) s[c] = f.combine(s[c], element(f, p[c], first + c * column_step));
  }

  /// Contiguous rows of `lanes` elements, eight at a time. They are read strictly in order: interleaved reads of
  /// several rows defeat the prefetcher and cost up to half the speed from memory.
  __attribute__((always_inline)) static inline void accumulate_lanes(const F& f, State* __restrict s,
                                                                     const T* __restrict p, std::int64_t rows,
                                                                     std::int64_t first, std::int64_t row_step,
                                                                     std::int64_t column_step) {
    for (; rows >= 8; rows -= 8, p += 8 * lanes, first += 8 * row_step)
      accumulate_group<8>(f, s, p, first, row_step, column_step);
    if (rows >= 4) {
      accumulate_group<4>(f, s, p, first, row_step, column_step);
      rows -= 4, p += 4 * lanes, first += 4 * row_step;
    }
    for (; rows > 0; --rows, p += lanes, first += row_step)
      for (std::int64_t c = 0; c < lanes; ++c) s[c] = f.combine(s[c], element(f, p[c], first + c * column_step));
  }
  template <std::int64_t rows>
  __attribute__((always_inline)) static inline void accumulate_group(const F& f, State* __restrict s,
                                                                     const T* __restrict p, std::int64_t first,
                                                                     std::int64_t row_step, std::int64_t column_step) {
    State group[lanes];  // in registers, since the sizes are constants
    for (std::int64_t c = 0; c < lanes; ++c) group[c] = element(f, p[c], first + c * column_step);
    MINIMA_NO_UNROLL  // or the compiler would interleave the rows
        for (std::int64_t r = 1; r < rows; ++r) for (std::int64_t c = 0; c < lanes; ++c) group[c] =
            f.combine(group[c], element(f, p[r * lanes + c], first + r * row_step + c * column_step));
    for (std::int64_t c = 0; c < lanes; ++c) s[c] = f.combine(s[c], group[c]);
  }

  /// The first winning row of each column. Values and rows are separate arrays, both as wide as an element, so that the
  /// loop vectorises; there are few enough rows for the narrowest index.
  static constexpr std::int64_t winners = 64;
  static void accumulate_winners(const F& f, State* __restrict s, const T* __restrict p, std::int64_t stride,
                                 std::int64_t rows, std::int64_t columns, std::int64_t first, std::int64_t row_step,
                                 std::int64_t column_step) {
    using Row =
        std::conditional_t<sizeof(T) == 8, std::int64_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int8_t>>;
    T value[winners];
    Row row[winners];
    for (std::int64_t c = 0; c < columns; ++c) value[c] = p[c], row[c] = 0;
    for (std::int64_t r = 1; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        const T x = p[r * stride + c];
        const bool take = F::wins(x, value[c]);
        value[c] = take ? x : value[c];
        row[c] = take ? static_cast<Row>(r) : row[c];
      }
    if (rows > 0)
      for (std::int64_t c = 0; c < columns; ++c)
        s[c] = f.combine(s[c], f.element(value[c], first + row[c] * row_step + c * column_step));
  }

  /// s[0] = all of s combined, by merging the upper half into the lower repeatedly.
  template <int count> __attribute__((always_inline)) static inline void fold(const F& f, State* s) {
    if constexpr (count > 1) {
      for (int i = 0; i < count / 2; ++i) s[i] = f.combine(s[i], s[i + count / 2]);
      fold<count / 2>(f, s);
    }
  }

  static State whole_row(const F& f, const T* p, std::int64_t length) {
    constexpr std::int64_t few = 8;
    State s[lanes];
    if (length >= lanes) {
      const State identity = f.identity();
      for (State& state : s) state = identity;
      const std::int64_t whole = length / lanes;
      accumulate_rows(f, s, p, lanes, whole, lanes, 0, lanes, 1);
      accumulate_rows(f, s, p + whole * lanes, lanes, 1, length % lanes, whole * lanes, lanes, 1);
      fold<lanes>(f, s);
    } else if (length >= few) {
      for (std::int64_t i = 0; i < few; ++i) s[i] = element(f, p[i], i);
      std::int64_t first = few;
      for (; first + few <= length; first += few)
        for (std::int64_t i = 0; i < few; ++i) s[i] = f.combine(s[i], element(f, p[first + i], first + i));
      // The remainder is combined separately: writing it into s one by one would stall the vector load that follows.
      State rest = f.identity();
      for (; first < length; ++first) rest = f.combine(rest, element(f, p[first], first));
      fold<few>(f, s);
      return f.combine(s[0], rest);
    } else {
      s[0] = f.identity();
      for (std::int64_t i = 0; i < length; ++i) s[0] = f.combine(s[0], element(f, p[i], i));
    }
    return s[0];
  }

  static void whole_rows(const void* functor, void* states, const void* x, std::int64_t rows, std::int64_t length) {
    const F f = *static_cast<const F*>(functor);
    for (std::int64_t r = 0; r < rows; ++r)
      static_cast<State*>(states)[r] = whole_row(f, static_cast<const T*>(x) + r * length, length);
  }

  static void merge(const void* functor, void* left, const void* right, std::int64_t count) {
    const F f = *static_cast<const F*>(functor);
    auto* __restrict l = static_cast<State*>(left);
    const auto* __restrict r = static_cast<const State*>(right);
    for (std::int64_t i = 0; i < count; ++i) l[i] = f.combine(l[i], r[i]);
  }

  static void finish_one(const void* functor, void* const* out, const void* states, std::int64_t count) {
    using Out = decltype(std::declval<const F&>().finish(std::declval<State>()));
    const F f = *static_cast<const F*>(functor);
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<Out*>(out[0])[i] = f.finish(static_cast<const State*>(states)[i]);
  }

  static void finish_two(const void* functor, void* const* out, const void* states, std::int64_t count) {
    using Pair = decltype(std::declval<const F&>().finish(std::declval<State>()));
    const F f = *static_cast<const F*>(functor);
    for (std::int64_t i = 0; i < count; ++i) {
      const Pair pair = f.finish(static_cast<const State*>(states)[i]);
      static_cast<typename Pair::first_type*>(out[0])[i] = pair.first;
      static_cast<typename Pair::second_type*>(out[1])[i] = pair.second;
    }
  }

  static Reduction reduction(const F& f) {
    static_assert(std::is_trivially_copyable_v<State>);
    Reduction r{&f,          sizeof(State), indexed, pointwise::cost_of<F>(), dtype_of<T>, 0, {}, &clear, &accumulate,
                &whole_rows, &merge,        nullptr};
    return r;
  }
};

}  // namespace detail

/// Combines the elements of `in` over every dimension in which the output has size 1. Both layouts have the same rank.
/// `T` is the type that the functor takes; operands of other dtypes are converted as in pointwise loops. Over an empty
/// dimension the result is finish(identity()). `index` counts an output's elements in row-major order.
template <class T, class F>
void reduce(const F& f, const Operand& out, const Operand& in) {
  using Kernels = detail::ReductionKernels<F, T>;
  detail::Reduction reduction = Kernels::reduction(f);
  reduction.outputs = 1;
  reduction.out_types[0] = dtype_of<decltype(f.finish(f.identity()))>;
  reduction.finish = &Kernels::finish_one;
  detail::reduce(reduction, &out, in);
}

/// The same with two results of one shape; finish returns them as a std::pair.
template <class T, class F>
void reduce(const F& f, const Operand& first, const Operand& second, const Operand& in) {
  using Kernels = detail::ReductionKernels<F, T>;
  using Pair = decltype(f.finish(f.identity()));
  detail::Reduction reduction = Kernels::reduction(f);
  reduction.outputs = 2;
  reduction.out_types[0] = dtype_of<typename Pair::first_type>;
  reduction.out_types[1] = dtype_of<typename Pair::second_type>;
  reduction.finish = &Kernels::finish_two;
  const Operand outs[] = {first, second};
  detail::reduce(reduction, outs, in);
}

}  // namespace minima::reduction
