#include <minima/ops/pointwise/convert.h>

#include <minima/tensor/convert.h>

#include <array>
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
static_assert(std::tuple_size_v<Types> == dtype_count);

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
  for (; i < count; ++i) out[i] = minima::detail::convert<To>(in[i]);
}

template <std::size_t To, std::size_t From> constexpr Convert entry() {
  if constexpr (To == From) return nullptr;
  else return &convert<Element<To>, Element<From>>;
}
template <std::size_t... I> constexpr auto table(std::index_sequence<I...>) {
  return std::array<Convert, sizeof...(I)>{entry<I / dtype_count, I % dtype_count>()...};
}
constexpr auto converters = table(std::make_index_sequence<dtype_count * dtype_count>{});

}  // namespace

Convert converter(DType to, DType from) { return converters[static_cast<int>(to) * dtype_count + static_cast<int>(from)]; }

}  // namespace minima::pointwise
