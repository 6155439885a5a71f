#include <minima/io/files/crc32c.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::crc32c_test {
namespace {

using detail::crc32c;
using detail::crc32c_portable;

/// RFC 3720, B.4, and the usual check value.
TEST(Crc32c, MatchesItsVectors) {
  std::string up;
  for (int i = 0; i < 32; ++i) up += static_cast<char>(i);
  const struct {
    std::string text;
    std::uint32_t sum;
  } vectors[] = {{"123456789", 0xe3069283u},
                 {std::string(32, '\0'), 0x8a9136aau},
                 {std::string(32, '\xff'), 0x62a8ab43u},
                 {up, 0x46dd794eu},
                 {"", 0u}};
  for (const auto& [text, sum] : vectors) {
    EXPECT_EQ(crc32c(text), sum) << text;
    EXPECT_EQ(crc32c_portable(text.data(), text.size()), sum) << text;
  }
}

TEST(Crc32c, IsTheSameWithoutTheInstructionAndInPieces) {
  std::string text(3 * 8192 * 3 + 100, ' ');
  std::uint32_t bits = 1;
  for (char& c : text) c = static_cast<char>((bits = bits * 1664525 + 1013904223) >> 24);
  for (const std::size_t size : {0, 1, 7, 8, 9, 8191, 24575, 24576, 24577, 49159, 73800}) {
    const char* data = text.data() + size % 5;
    const std::uint32_t whole = crc32c(data, size);
    EXPECT_EQ(crc32c_portable(data, size), whole) << size;
    for (const std::size_t first : {size / 3, size / 2, size})
      EXPECT_EQ(crc32c(data + first, size - first, crc32c(data, first)), whole) << size << " after " << first;
  }
}

}  // namespace
}  // namespace minima::crc32c_test
