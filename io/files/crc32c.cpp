#include <minima/io/files/crc32c.h>

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

// Numbers represent polynomials over GF(2), with the coefficient of x^0 in the highest bit (the reflected form).

namespace minima::detail {

namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;

/// tables[k][b] is the checksum of byte b followed by k zeros, to process eight bytes at once.
constexpr auto make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t sum = b;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1u) ? sum >> 1 ^ polynomial : sum >> 1;
    tables[0][b] = sum;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b) tables[k][b] = tables[0][tables[k - 1][b] & 255u] ^ tables[k - 1][b] >> 8;
  return tables;
}

std::uint64_t word_at(const unsigned char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

#if defined(__x86_64__)

/// a · b modulo the polynomial.
constexpr std::uint32_t multiplied(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b & 1u) ? b >> 1 ^ polynomial : b >> 1;
  }
  return product;
}

/// x^(8 · bytes): multiplying a checksum by it appends so many zeros.
constexpr std::uint32_t zeros(std::size_t bytes) {
  std::uint32_t power = 1u << 31, square = 1u << 23;  // x^0 and x^8
  for (; bytes > 0; bytes >>= 1) {
    if (bytes & 1u) power = multiplied(power, square);
    square = multiplied(square, square);
  }
  return power;
}

/// The instruction has a latency of three cycles and a throughput of one, so three pieces are processed in parallel.
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(const unsigned char* p, std::size_t bytes,
                                                             std::uint32_t before) {
  constexpr std::size_t piece_size = 8192;
  constexpr std::uint32_t by_one = zeros(piece_size), by_two = zeros(2 * piece_size);
  std::uint64_t sum = ~before;
  for (; bytes >= 3 * piece_size; bytes -= 3 * piece_size, p += 3 * piece_size) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t i = 0; i < piece_size; i += 8) {
      sum = _mm_crc32_u64(sum, word_at(p + i));
      second = _mm_crc32_u64(second, word_at(p + piece_size + i));
      third = _mm_crc32_u64(third, word_at(p + 2 * piece_size + i));
    }
    sum = multiplied(static_cast<std::uint32_t>(sum), by_two) ^ multiplied(static_cast<std::uint32_t>(second), by_one) ^
          third;
  }
  for (; bytes >= 8; bytes -= 8, p += 8) sum = _mm_crc32_u64(sum, word_at(p));
  auto low = static_cast<std::uint32_t>(sum);
  for (; bytes > 0; --bytes, ++p) low = _mm_crc32_u8(low, *p);
  return ~low;
}

#endif

}  // namespace

std::uint32_t crc32c_portable(const void* data, std::size_t bytes, std::uint32_t before) {
  static constexpr auto tables = make_tables();
  auto p = static_cast<const unsigned char*>(data);
  std::uint32_t sum = ~before;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < 4; ++i) next ^= tables[7 - i][p[i] ^ (sum >> (8 * i) & 255u)] ^ tables[3 - i][p[4 + i]];
    sum = next;
  }
  for (; bytes > 0; --bytes, ++p) sum = tables[0][(sum ^ *p) & 255u] ^ sum >> 8;
  return ~sum;
}

std::uint32_t crc32c(const void* data, std::size_t bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return crc32c_sse42(static_cast<const unsigned char*>(data), bytes, before);
#endif
  return crc32c_portable(data, bytes, before);
}

}  // namespace minima::detail
