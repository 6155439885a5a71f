#include <minima/io/name_hash.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

namespace minima::detail {

std::uint64_t sip_hash(std::string_view text, std::uint64_t key0, std::uint64_t key1) {
  std::uint64_t a = key0 ^ 0x736f6d6570736575, b = key1 ^ 0x646f72616e646f6d, c = key0 ^ 0x6c7967656e657261,
                d = key1 ^ 0x7465646279746573;
  const auto round = [&] {
    a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
    c += d, d = std::rotl(d, 16) ^ c;
    a += d, d = std::rotl(d, 21) ^ a;
    c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
  };
  const auto word_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8 && at + i < text.size(); ++i)
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[at + i])) << (8 * i);
    return word;
  };
  const auto absorb = [&](std::uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  };
  const std::size_t whole = text.size() / 8 * 8;
  for (std::size_t at = 0; at < whole; at += 8) absorb(word_at(at));
  absorb(word_at(whole) | static_cast<std::uint64_t>(text.size()) << 56);
  c ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return a ^ b ^ c ^ d;
}

std::uint64_t name_hash(std::string_view name) {
  struct Key {
    std::uint64_t first, second;
  };
  static const Key key = [] {
    std::random_device random;
    const auto word = [&] { return static_cast<std::uint64_t>(random()) << 32 | random(); };
    return Key{word(), word()};
  }();
  return sip_hash(name, key.first, key.second);
}

}  // namespace minima::detail
