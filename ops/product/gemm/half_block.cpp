#include <minima/ops/product/gemm/half_block.h>

#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/memory/cpu/with_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// A function whose addresses would be spilled if it were inlined into its callers' loops.
#define MINIMA_OWN_REGISTERS __attribute__((noinline))

namespace minima::detail {

namespace {

#if defined(__AVX512F__)
constexpr int float_lanes = 16;
#elif defined(__AVX__)
constexpr int float_lanes = 8;
#else
constexpr int float_lanes = 4;
#endif

using Floats = float __attribute__((vector_size(float_lanes * sizeof(float))));
using Words = std::uint32_t __attribute__((vector_size(float_lanes * sizeof(std::uint32_t))));
using Four = float __attribute__((vector_size(4 * sizeof(float))));

inline Floats float_vector(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// The compiler would widen 16-bit integers half a vector at a time.
#if defined(__AVX512F__)
inline __m256i half_lanes(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
#elif defined(__AVX2__)
inline __m128i half_lanes(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
#endif

inline Floats widened_vector(const BFloat16* from) {
#if defined(__AVX512F__)
  const auto words = __builtin_bit_cast(Words, _mm512_cvtepu16_epi32(half_lanes(from)));
#elif defined(__AVX2__)
  const auto words = __builtin_bit_cast(Words, _mm256_cvtepu16_epi32(half_lanes(from)));
#else
  Words words{};
  for (int i = 0; i < float_lanes; ++i) words[i] = from[i].bits;
#endif
  return __builtin_bit_cast(Floats, words << 16);
}

inline Floats widened_vector(const Float16* from) {
#if defined(__AVX512F__)
  return __builtin_bit_cast(Floats, _mm512_cvtph_ps(half_lanes(from)));
#elif defined(__AVX2__) && defined(__F16C__)
  return __builtin_bit_cast(Floats, _mm256_cvtph_ps(half_lanes(from)));
#else
  Floats v{};
  for (int i = 0; i < float_lanes; ++i) v[i] = static_cast<float>(from[i]);
  return v;
#endif
}

template <class T>
void widen(const T* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
  for (; i + float_lanes <= count; i += float_lanes) {
    const Floats v = widened_vector(from + i);
    std::memcpy(to + i, &v, sizeof v);
  }
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

/// Two vectors' worth of elements. Of bfloat16, whose upper and lower halves of a 32-bit word are cheaper to separate
/// than to spread, the elements of even index come first; `in_pair_order` says where each one is.
struct FloatPair {
  Floats first, second;
};

constexpr std::int64_t pair_lanes = 2 * float_lanes;

inline FloatPair widened_pair(const Float16* from) {
  return {widened_vector(from), widened_vector(from + float_lanes)};
}
inline FloatPair widened_pair(const BFloat16* from) {
  Words both;
  std::memcpy(&both, from, sizeof both);
  return {__builtin_bit_cast(Floats, both << 16), __builtin_bit_cast(Floats, both & 0xffff0000u)};
}

constexpr std::int64_t in_pair_order(std::int64_t i, Float16) { return i; }
constexpr std::int64_t in_pair_order(std::int64_t i, BFloat16) {
  return i / pair_lanes * pair_lanes + i % 2 * float_lanes + i % pair_lanes / 2;
}

/// The sum of each of four vectors' lanes.
inline Four sums_of_lanes(const Floats (&v)[4]) {
  constexpr int parts = float_lanes / 4;
  Four part[4][parts], sum[4];
  MINIMA_UNROLL_FULLY
  for (int i = 0; i < 4; ++i) {
    std::memcpy(part[i], &v[i], sizeof v[i]);
    sum[i] = part[i][0];
    MINIMA_UNROLL_FULLY
    for (int p = 1; p < parts; ++p) sum[i] += part[i][p];
  }
  const Four of_01 =
      __builtin_shufflevector(sum[0], sum[1], 0, 4, 1, 5) + __builtin_shufflevector(sum[0], sum[1], 2, 6, 3, 7);
  const Four of_23 =
      __builtin_shufflevector(sum[2], sum[3], 0, 4, 1, 5) + __builtin_shufflevector(sum[2], sum[3], 2, 6, 3, 7);
  return __builtin_shufflevector(of_01, of_23, 0, 1, 4, 5) + __builtin_shufflevector(of_01, of_23, 2, 3, 6, 7);
}

/// The distance at which memory is requested ahead of its use. A single row is done with what it has read sooner than
/// the processor's own prefetching brings the next.
enum class Ahead : std::uint8_t {
  none,
  stream,   ///< the next columns share pages with these: as one stream
  columns,  ///< each has pages of its own
};

/// c[i][j] += Σ a[i][p] · b[j][p] over k terms, for rows × columns sums that stay in registers. `a` is in pair order.
template <class T, int rows, int columns, Ahead ahead = Ahead::none>
MINIMA_OWN_REGISTERS void add_dots(std::int64_t k, const float* a, std::int64_t lda, const T* b, std::int64_t ldb,
                                   float* c, std::int64_t ldc) {
  static_assert(columns <= 4);
  // Few sums would wait for each other's additions, so each is kept in two vectors.
  constexpr int vectors = rows * columns <= 4 ? 2 : 1;
  constexpr std::int64_t line = 64 / sizeof(T);
  const T* const next = b + columns * ldb;
  Floats sums[rows][columns][vectors] = {};
  std::int64_t p = 0;
  MINIMA_NO_UNROLL
  for (; p + pair_lanes <= k; p += pair_lanes) {
    if constexpr (ahead == Ahead::stream) {
      MINIMA_UNROLL_FULLY
      for (std::int64_t i = 0; i < columns * pair_lanes; i += line) __builtin_prefetch(next + columns * p + i);
    }
    FloatPair right[columns];
    MINIMA_UNROLL_FULLY
    for (int j = 0; j < columns; ++j) {
      if constexpr (ahead == Ahead::columns) __builtin_prefetch(next + j * ldb + p);
      right[j] = widened_pair(b + j * ldb + p);
    }
    MINIMA_UNROLL_FULLY
    for (int i = 0; i < rows; ++i) {
      const Floats first = float_vector(a + i * lda + p), second = float_vector(a + i * lda + p + float_lanes);
      MINIMA_UNROLL_FULLY
      for (int j = 0; j < columns; ++j) {
        sums[i][j][0] += first * right[j].first;
        sums[i][j][vectors - 1] += second * right[j].second;
      }
    }
  }
  MINIMA_UNROLL_FULLY
  for (int i = 0; i < rows; ++i) {
    Floats whole[4] = {};
    MINIMA_UNROLL_FULLY
    for (int j = 0; j < columns; ++j) whole[j] = vectors == 2 ? sums[i][j][0] + sums[i][j][vectors - 1] : sums[i][j][0];
    const Four sum = sums_of_lanes(whole);
    for (int j = 0; j < columns; ++j) c[i * ldc + j] += sum[j];
  }
  for (; p < k; ++p)
    for (int j = 0; j < columns; ++j) {
      const auto right = static_cast<float>(b[j * ldb + p]);
      for (int i = 0; i < rows; ++i) c[i * ldc + j] += a[i * lda + p] * right;
    }
}

/// c [rows, n] += a [rows, k] · bᵀ, for b [n, k].
template <class T, int rows>
void add_rows_by_dots(std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const T* b, std::int64_t ldb,
                      float* c, std::int64_t ldc) {
  constexpr int columns = rows == 1 || float_lanes == 16 ? 4 : 4 - rows / 2;  // what registers hold
  constexpr std::int64_t page = 4096 / sizeof(T);
  const auto add = rows > 1     ? add_dots<T, rows, columns>
                   : ldb < page ? add_dots<T, rows, columns, Ahead::stream>
                                : add_dots<T, rows, columns, Ahead::columns>;
  std::int64_t j = 0;
  for (; j + columns <= n; j += columns) add(k, a, lda, b + j * ldb, ldb, c + j, ldc);
  for (; j < n; ++j) add_dots<T, rows, 1>(k, a, lda, b + j * ldb, ldb, c + j, ldc);
}

/// c [rows, n] += a [rows, terms] · b [terms, n] for few terms.
template <class T, int rows, int terms>
MINIMA_OWN_REGISTERS void add_terms(std::int64_t n, const float* a, std::int64_t lda, const T* b, std::int64_t ldb,
                                    float* c, std::int64_t ldc) {
  std::int64_t j = 0;
  MINIMA_NO_UNROLL
  for (; j + float_lanes <= n; j += float_lanes) {
    Floats right[terms];
    MINIMA_UNROLL_FULLY
    for (int p = 0; p < terms; ++p) right[p] = widened_vector(b + p * ldb + j);
    MINIMA_UNROLL_FULLY
    for (int i = 0; i < rows; ++i) {
      float* const to = c + i * ldc + j;
      Floats sum = float_vector(to);
      MINIMA_UNROLL_FULLY
      for (int p = 0; p < terms; ++p) sum += a[i * lda + p] * right[p];
      std::memcpy(to, &sum, sizeof sum);
    }
  }
  for (; j < n; ++j)
    for (int i = 0; i < rows; ++i)
      for (int p = 0; p < terms; ++p) c[i * ldc + j] += a[i * lda + p] * static_cast<float>(b[p * ldb + j]);
}

/// c [rows, n] += a [rows, k] · b [k, n].
template <class T, int rows>
void add_rows_by_terms(std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const T* b, std::int64_t ldb,
                       float* c, std::int64_t ldc) {
  constexpr int terms = rows == 1 ? 8 : 4;
  std::int64_t p = 0;
  for (; p + terms <= k; p += terms) add_terms<T, rows, terms>(n, a + p, lda, b + p * ldb, ldb, c, ldc);
  for (; p < k; ++p) add_terms<T, rows, 1>(n, a + p, lda, b + p * ldb, ldb, c, ldc);
}

/// c [m, n] += a [m, k] · op(b), all rows of c by a part of b that stays in the cache before the next part.
template <class T>
void add_few_rows(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const T* b,
                  const GemmOperand& stored, float* c, std::int64_t ldc) {
  const std::int64_t columns = stored.transposed ? 12 : std::max<std::int64_t>(512, 8192 / m);
  const std::int64_t terms = stored.transposed ? k : 32;
  for (std::int64_t j = 0; j < n; j += columns)
    for (std::int64_t p = 0; p < k; p += terms) {
      const std::int64_t width = std::min(columns, n - j), depth = std::min(terms, k - p);
      const T* const part = b + (stored.transposed ? j * stored.ld + p : p * stored.ld + j);
      const auto add = [&]<int rows>(std::int64_t i) {
        const auto run = stored.transposed ? add_rows_by_dots<T, rows> : add_rows_by_terms<T, rows>;
        run(width, depth, a + i * lda + p, lda, part, stored.ld, c + i * ldc + j, ldc);
      };
      std::int64_t i = 0;
      for (; i + 4 <= m; i += 4) add.template operator()<4>(i);
      for (; i + 2 <= m; i += 2) add.template operator()<2>(i);
      if (i < m) add.template operator()<1>(i);
    }
}

/// The element of op(X) at row i and column j.
template <class T>
const T* element_of(const HalfOperand& x, std::int64_t i, std::int64_t j) {
  return static_cast<const T*>(x.data) + (x.stored.transposed ? j * x.stored.ld + i : i * x.stored.ld + j);
}

/// f, with an element of the type in which x is stored.
template <class F>
void with_element(const HalfOperand& x, F&& f) {
  switch (x.stored.half) {
    case HalfType::none: return f(float());
    case HalfType::float16: return f(Float16());
    case HalfType::bfloat16: return f(BFloat16());
  }
}

/// Elements after each widened line. Without them lines of a multiple of 1 KiB would compete for a few sets of the
/// cache.
constexpr std::int64_t padding = 16;

/// A part of an operand in float32, in the order in which it is stored.
struct WidePart {
  const float* data;
  std::int64_t ld;
};

/// rows × columns of op(x) from (i, j), in place if they are float32.
WidePart wide_part(const HalfOperand& x, std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                   std::vector<float>& memory) {
  WidePart part{};
  with_element(x, [&]<class T>(T) {
    const T* const from = element_of<T>(x, i, j);
    if constexpr (sizeof(T) == sizeof(float)) {
      part = {from, x.stored.ld};
    } else {
      const std::int64_t lines = x.stored.transposed ? columns : rows, width = x.stored.transposed ? rows : columns;
      part = {memory.data(), width + padding};
      for (std::int64_t line = 0; line < lines; ++line)
        widen(from + line * x.stored.ld, width, memory.data() + line * part.ld);
    }
  });
  return part;
}

float* at_cache_line(float* memory) {
  const auto place = reinterpret_cast<std::uintptr_t>(memory);
  return memory + (64 - place % 64) % 64 / sizeof(float);
}

/// Rows of op(A) in float32, `terms` of each from column p, in the order in which a product by B's type T reads them.
template <class T>
void widen_rows(const HalfBlock& x, std::int64_t p, std::int64_t terms, float* to) {
  const std::int64_t paired = x.b.stored.transposed ? terms / pair_lanes * pair_lanes : 0;
  with_element(x.a, [&]<class A>(A) {
    const A* const from = element_of<A>(x.a, 0, p);
    const std::int64_t row = x.a.stored.transposed ? 1 : x.a.stored.ld,
                       term = x.a.stored.transposed ? x.a.stored.ld : 1;
    for (std::int64_t i = 0; i < x.m; ++i) {
      const auto value = [&](std::int64_t q) { return static_cast<float>(from[i * row + q * term]); };
      for (std::int64_t q = 0; q < paired; ++q) to[i * terms + in_pair_order(q, T())] = value(q);
      for (std::int64_t q = paired; q < terms; ++q) to[i * terms + q] = value(q);
    }
  });
}

/// Few rows: those of A are widened before, B in registers.
void run_few_rows(const HalfBlock& x) {
  constexpr std::int64_t depth = 4096;
  static thread_local std::vector<float> memory;
  const auto most = static_cast<std::size_t>(x.m * std::min(x.k, depth) + 16);
  with_memory("a matrix product", [&] { memory.resize(std::max(memory.size(), most)); });
  float* const rows = at_cache_line(memory.data());
  if (!x.accumulate)
    for (std::int64_t i = 0; i < x.m; ++i) std::fill_n(x.c + i * x.ldc, x.n, 0.0f);
  for (std::int64_t p = 0; p < x.k; p += depth) {
    const std::int64_t terms = std::min(depth, x.k - p);
    with_element(x.b, [&]<class T>(T) {
      if constexpr (sizeof(T) < sizeof(float)) {
        widen_rows<T>(x, p, terms, rows);
        add_few_rows(x.m, x.n, terms, rows, terms, element_of<T>(x.b, p, 0), x.b.stored, x.c, x.ldc);
      }
    });
  }
}

}  // namespace

void half_block(Engine engine, const HalfBlock& x) {
  if (widens_in_registers(x.m, x.b.stored)) return run_few_rows(x);
  constexpr std::int64_t most = std::int64_t{1} << 18;  // elements: 1 MiB
  const std::int64_t depth = std::clamp<std::int64_t>(most / std::max(x.m, x.n), 64, 512);
  static thread_local std::vector<float> part_of_a, part_of_b;
  with_memory("a matrix product", [&] {
    const auto reserve = [&](std::vector<float>& memory, const HalfOperand& operand, std::int64_t side) {
      if (operand.stored.half == HalfType::none) return;
      const std::int64_t size = (side + padding) * (std::min(x.k, depth) + padding);
      memory.resize(std::max(memory.size(), static_cast<std::size_t>(size)));
    };
    reserve(part_of_a, x.a, x.m);
    reserve(part_of_b, x.b, x.n);
  });
  for (std::int64_t p = 0; p < x.k; p += depth) {
    const std::int64_t terms = std::min(depth, x.k - p);
    const WidePart a = wide_part(x.a, 0, p, x.m, terms, part_of_a), b = wide_part(x.b, p, 0, terms, x.n, part_of_b);
    gemm_block<float>(engine, {x.m, x.n, terms, a.data, a.ld, x.a.stored.transposed, b.data, b.ld,
                               x.b.stored.transposed, x.c, x.ldc, x.accumulate || p > 0 ? Into::add : Into::assign});
  }
}

}  // namespace minima::detail

#undef MINIMA_OWN_REGISTERS
