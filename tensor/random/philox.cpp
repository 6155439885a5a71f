#include <minima/tensor/random/philox.h>

#include <algorithm>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace minima {

namespace {

#if defined(__AVX2__)

/// Four blocks; each 64-bit lane holds one word of a block in its low half. The upper halves are ignored.
struct FourBlocks {
  __m256i word[4];

  explicit FourBlocks(std::uint64_t position) {
    const __m256i counters =
        _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(position)), _mm256_setr_epi64x(0, 1, 2, 3));
    word[0] = counters;
    word[1] = _mm256_srli_epi64(counters, 32);
    word[2] = word[3] = _mm256_setzero_si256();
  }

  void round(__m256i key0, __m256i key1) {
    const __m256i product0 = _mm256_mul_epu32(word[0], _mm256_set1_epi64x(0xD2511F53u));
    const __m256i product1 = _mm256_mul_epu32(word[2], _mm256_set1_epi64x(0xCD9E8D57u));
    word[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product1, 32), word[1]), key0);
    word[1] = product1;
    word[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product0, 32), word[3]), key1);
    word[3] = product0;
  }

  void store(std::uint32_t* words) const {
    const __m256i low_half = _mm256_set1_epi64x(0xffffffffu);
    const __m256i low = _mm256_or_si256(_mm256_and_si256(word[0], low_half), _mm256_slli_epi64(word[1], 32));
    const __m256i high = _mm256_or_si256(_mm256_and_si256(word[2], low_half), _mm256_slli_epi64(word[3], 32));
    const __m256i even = _mm256_unpacklo_epi64(low, high), odd = _mm256_unpackhi_epi64(low, high);
    auto* const out = reinterpret_cast<__m256i*>(words);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  }
};

constexpr std::int64_t lanes = 8;

void draw_lanes(std::uint64_t seed, std::uint64_t position, std::uint32_t* words) {
  // Two independent sets hide the latency of the multiplications.
  FourBlocks first(position), second(position + 4);
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const __m256i keys0 = _mm256_set1_epi64x(key0), keys1 = _mm256_set1_epi64x(key1);
    first.round(keys0, keys1);
    second.round(keys0, keys1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  first.store(words);
  second.store(words + 16);
}

#else

constexpr std::int64_t lanes = 1;

void draw_lanes(std::uint64_t seed, std::uint64_t position, std::uint32_t* words) {
  const Philox::Block block = Philox::at(seed, position);
  std::copy_n(block.word, 4, words);
}

#endif

}  // namespace

void philox_words(std::uint64_t seed, std::uint64_t position, std::uint32_t* words, std::int64_t blocks) {
  std::int64_t done = 0;
  for (; done + lanes <= blocks; done += lanes)
    draw_lanes(seed, position + static_cast<std::uint64_t>(done), words + 4 * done);
  for (; done < blocks; ++done) {
    const Philox::Block block = Philox::at(seed, position + static_cast<std::uint64_t>(done));
    std::copy_n(block.word, 4, words + 4 * done);
  }
}

}  // namespace minima
