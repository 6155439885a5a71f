#include <minima/ops/loops/convert.h>

#include <minima/tensor/base/convert.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/half.h>

#include <array>
#include <cstddef>
#include <cstdint>
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

}  // namespace minima::pointwise
