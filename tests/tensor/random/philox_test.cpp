#include <minima/tensor/random/philox.h>

#include <gtest/gtest.h>

#include <vector>

namespace minima::philox_test {
namespace {

void expect_block(Philox::Block counter, std::uint64_t key, Philox::Block expected) {
  const Philox::Block actual = Philox::block(counter, key);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(actual.word[i], expected.word[i]) << "word " << i;
}

// The known answers that come with Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, EqualsThePublishedVectors) {
  expect_block({{0, 0, 0, 0}}, 0, {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}});
  expect_block({{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t{0}, {{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}});
  expect_block({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0x299f31d0a4093822u,
               {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}});
}

TEST(Philox, CountsPositionsIn64Bits) {
  const std::uint64_t position = 0x123456789abcdef0u, seed = 0xfedcba9876543210u;
  const Philox::Block at = Philox::at(seed, position);
  expect_block({{0x9abcdef0u, 0x12345678u, 0, 0}}, seed, at);
}

TEST(Philox, DrawsTheSameWordsInBulk) {
  // Across the carry into the counter's second word, and for counts that no vector width divides.
  for (const std::uint64_t position : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 5, ~std::uint64_t{0} - 3}) {
    for (std::int64_t blocks = 0; blocks <= 37; ++blocks) {
      std::vector<std::uint32_t> words(static_cast<std::size_t>(4 * blocks) + 1, 77u);
      philox_words(42, position, words.data(), blocks);
      for (std::int64_t k = 0; k < blocks; ++k) {
        const Philox::Block expected = Philox::at(42, position + static_cast<std::uint64_t>(k));
        for (int i = 0; i < 4; ++i)
          ASSERT_EQ(words[static_cast<std::size_t>(4 * k + i)], expected.word[i]) << "block " << k << " word " << i;
      }
      ASSERT_EQ(words.back(), 77u) << "written beyond the end of " << blocks << " blocks";
    }
  }
}

TEST(Philox, UniformNumbersAreBelowOne) {
  EXPECT_EQ(uniform_float(0u), 0.0f);
  EXPECT_EQ(uniform_float(~0u), 1.0f - 0x1p-24f);
  EXPECT_EQ(uniform_double(0u, 0u), 0.0);
  EXPECT_EQ(uniform_double(~0u, ~0u), 1.0 - 0x1p-53);
  EXPECT_EQ(uniform_double(0u, 0x80000000u), 0.5);
}

}  // namespace
}  // namespace minima::philox_test
