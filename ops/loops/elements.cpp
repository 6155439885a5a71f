#include <minima/ops/loops/elements.h>

#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/convert.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace minima::pointwise {

namespace {

// In the order of DType.
using Types = std::tuple<bool, std::uint8_t, std::int8_t, std::int32_t, std::int64_t, Float16, BFloat16, float, double>;
template <std::size_t I> using Element = std::tuple_element_t<I, Types>;
static_assert(std::tuple_size_v<Types> == real_dtype_count);

/// Floating to integer. Stretches within the range of int32 or int64, nearly all, skip the check of each element.
template <class To, class From> void truncate(To* __restrict out, const From* __restrict in, std::int64_t count) {
  using Whole = std::conditional_t<sizeof(To) == 8, std::int64_t, std::int32_t>;
  constexpr From low = static_cast<From>(std::numeric_limits<Whole>::min());
  constexpr std::int64_t stretch = 256;
  for (; count > 0; count -= stretch, out += stretch, in += stretch) {
    const std::int64_t length = count < stretch ? count : stretch;
    std::int32_t outside = 0;
    for (std::int64_t i = 0; i < length; ++i) outside |= static_cast<std::int32_t>(!(in[i] >= low && in[i] < -low));
    if (outside == 0)
      for (std::int64_t i = 0; i < length; ++i) out[i] = static_cast<To>(static_cast<Whole>(in[i]));
    else
      for (std::int64_t i = 0; i < length; ++i) out[i] = minima::detail::convert<To>(in[i]);
  }
}

template <class To, class From> void convert(void* to, const void* from, std::int64_t count) {
  auto* __restrict out = static_cast<To*>(to);
  const auto* __restrict in = static_cast<const From*>(from);
  std::int64_t i = 0;
#ifdef __F16C__
  if constexpr (std::is_same_v<To, float> && std::is_same_v<From, Float16>)
    for (; i + 8 <= count; i += 8)
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  if constexpr (std::is_same_v<To, Float16> && std::is_same_v<From, float>)
    for (; i + 8 <= count; i += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>)
    truncate(out, in, count);
  else
    for (; i < count; ++i) out[i] = minima::detail::convert<To>(in[i]);
}

template <std::size_t To, std::size_t From> constexpr Convert entry() {
  if constexpr (To == From) return nullptr;
  else return &convert<Element<To>, Element<From>>;
}
template <std::size_t... I> constexpr auto table(std::index_sequence<I...>) {
  return std::array<Convert, sizeof...(I)>{entry<I / real_dtype_count, I % real_dtype_count>()...};
}
constexpr auto converters = table(std::make_index_sequence<real_dtype_count * real_dtype_count>{});

}  // namespace

Convert converter(DType to, DType from) {
  if (is_complex(to) || is_complex(from)) {
    if (to == from) return nullptr;
    throw DTypeError(str("no conversion from ", name(from), " to ", name(to), " within a loop"));
  }
  return converters[static_cast<int>(to) * real_dtype_count + static_cast<int>(from)];
}

using minima::detail::with_any_word;

namespace {

/// dst[i · dst_stride] = src[i · src_stride], as words of the element's size, whatever its type.
template <class W>
inline void move(void* dst, std::int64_t dst_stride, const void* src, std::int64_t src_stride, std::int64_t count) {
  auto* to = static_cast<std::byte*>(dst);
  const auto* from = static_cast<const std::byte*>(src);
  const auto size = static_cast<std::int64_t>(sizeof(W));
  for (std::int64_t i = 0; i < count; ++i) {
    W word;
    std::memcpy(&word, from + i * src_stride * size, sizeof word);
    std::memcpy(to + i * dst_stride * size, &word, sizeof word);
  }
}

/// Transposes four words of four columns: to[r · to_stride + c] = from[c · from_stride + r].
inline void transpose_four(std::uint32_t* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride) {
  using Four = std::uint32_t __attribute__((vector_size(16)));
  Four in[4];
  for (int c = 0; c < 4; ++c) std::memcpy(&in[c], from + c * from_stride * 4, sizeof(Four));
  const Four low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
             high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
  const Four low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
             high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
  const Four out[4] = {
      __builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
      __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int r = 0; r < 4; ++r) std::memcpy(to + r * to_stride, &out[r], sizeof(Four));
}

/// buffer[r · columns + c] = from[r + c · column_stride], for aligned four-byte words.
void transpose_block(std::uint32_t* buffer, const std::byte* from, std::int64_t rows, std::int64_t columns,
                     std::int64_t column_stride) {
  const std::int64_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  const auto one = [&](std::int64_t r, std::int64_t c) {
    std::memcpy(buffer + r * columns + c, from + (r + c * column_stride) * 4, 4);
  };
  for (std::int64_t c = 0; c < whole_columns; c += 4) {
    for (std::int64_t r = 0; r < whole_rows; r += 4)
      transpose_four(buffer + r * columns + c, columns, from + (r + c * column_stride) * 4, column_stride);
    for (std::int64_t r = whole_rows; r < rows; ++r)
      for (std::int64_t i = 0; i < 4; ++i) one(r, c + i);
  }
  for (std::int64_t c = whole_columns; c < columns; ++c)
    for (std::int64_t r = 0; r < rows; ++r) one(r, c);
}

/// Calls f(offset of a row piece in the operand, its first element in the buffer, its length) for each row piece.
template <class F>
void for_rows(const Plan& plan, int operand, Shape index, std::int64_t count, F&& f) {
  const Strides& strides = plan.strides[operand];
  const int inner = plan.rank() - 1;
  std::int64_t offset = plan.offset_of(operand, index);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t length = std::min(plan.sizes[inner] - index[inner], count - done);
    f(offset, done, length);
    done += length;
    offset -= index[inner] * strides[inner];
    index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
      offset += strides[d];
      if (++index[d] < plan.sizes[d]) break;
      offset -= plan.sizes[d] * strides[d];
      index[d] = 0;
    }
  }
}

}  // namespace

void gather(void* buffer, const void* from, std::int64_t stride, std::int64_t count, std::size_t element_size) {
  with_any_word(element_size, [&]<class W>(W) { move<W>(buffer, 1, from, stride, count); });
}

void scatter(void* to, const void* buffer, std::int64_t stride, std::int64_t count, std::size_t element_size) {
  with_any_word(element_size, [&]<class W>(W) { move<W>(to, stride, buffer, 1, count); });
}

void fill(void* buffer, const void* value, std::int64_t count, std::size_t element_size) {
  with_any_word(element_size, [&]<class W>(W) {
    W word;
    std::memcpy(&word, value, sizeof word);
    for (std::int64_t i = 0; i < count; ++i) move<W>(static_cast<std::byte*>(buffer) + i * sizeof(W), 1, &word, 1, 1);
  });
}

void gather_block(void* buffer, const void* from, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                  std::int64_t column_stride, std::size_t element_size) {
  with_any_word(element_size, [&]<class W>(W) {
    const auto size = static_cast<std::int64_t>(sizeof(W));
    auto* to = static_cast<std::byte*>(buffer);
    const auto* x = static_cast<const std::byte*>(from);
    if (sizeof(W) == 4 && row_stride == 1)
      transpose_block(static_cast<std::uint32_t*>(buffer), x, rows, columns, column_stride);
    else if (row_stride < column_stride)
      for (std::int64_t c = 0; c < columns; ++c)
        move<W>(to + c * size, columns, x + c * column_stride * size, row_stride, rows);
    else
      for (std::int64_t r = 0; r < rows; ++r)
        move<W>(to + r * columns * size, 1, x + r * row_stride * size, column_stride, columns);
  });
}

void scatter_block(void* to, const void* buffer, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                   std::int64_t column_stride, std::size_t element_size) {
  with_any_word(element_size, [&]<class W>(W) {
    const auto size = static_cast<std::int64_t>(sizeof(W));
    for (std::int64_t r = 0; r < rows; ++r)
      move<W>(static_cast<std::byte*>(to) + r * row_stride * size, column_stride,
              static_cast<const std::byte*>(buffer) + r * columns * size, 1, columns);
  });
}

void gather_rows(void* buffer, const void* data, const Plan& plan, int operand, const Shape& index, std::int64_t count,
                 std::size_t element_size) {
  const std::int64_t stride = plan.inner_stride(operand);
  with_any_word(element_size, [&]<class W>(W) {
    for_rows(plan, operand, index, count, [&](std::int64_t offset, std::int64_t first, std::int64_t length) {
      auto* const to = static_cast<std::byte*>(buffer) + first * static_cast<std::int64_t>(sizeof(W));
      const auto* const from = static_cast<const std::byte*>(data) + offset * static_cast<std::int64_t>(sizeof(W));
      if (stride == 0) move<W>(to, 1, from, 0, length);
      else if (stride == 1) move<W>(to, 1, from, 1, length);
      else move<W>(to, 1, from, stride, length);
    });
  });
}

void scatter_rows(void* data, const void* buffer, const Plan& plan, int operand, const Shape& index, std::int64_t count,
                  std::size_t element_size) {
  const std::int64_t stride = plan.inner_stride(operand);
  with_any_word(element_size, [&]<class W>(W) {
    for_rows(plan, operand, index, count, [&](std::int64_t offset, std::int64_t first, std::int64_t length) {
      move<W>(static_cast<std::byte*>(data) + offset * static_cast<std::int64_t>(sizeof(W)), stride,
              static_cast<const std::byte*>(buffer) + first * sizeof(W), 1, length);
    });
  });
}

}  // namespace minima::pointwise
