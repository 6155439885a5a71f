#include <minima/distributed/store/sha256.h>

#include <gtest/gtest.h>

#include <set>

namespace minima::distributed::detail::sha256_test {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
  return text;
}

// FIPS 180-4's examples, and lengths around the end of a block (hashlib's digests).
TEST(Sha256, FollowsTheStandard) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string all;
  for (std::size_t size = 0; size < 200; ++size) all += sha256(std::string(size, '\xa5'));
  EXPECT_EQ(hex(sha256(all)), "af1ff0e5d4a8708a530c00a85e8885bda898e4866c64f1a6b156c41778f457a0");
}

// RFC 4231, test cases 1 to 4, 6 and 7.
TEST(HmacSha256, FollowsTheStandard) {
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  std::string counting;
  for (char c = 1; c <= 25; ++c) counting += c;
  EXPECT_EQ(hex(hmac_sha256(counting, std::string(50, '\xcd'))),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
  const std::string long_key(131, '\xaa');
  EXPECT_EQ(hex(hmac_sha256(long_key, "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(
      hex(hmac_sha256(
          long_key,
          "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
          "hashed before being used by the HMAC algorithm.")),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(EqualInConstantTime, ComparesEveryByte) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcd"));
  const std::string a(32, 'x');
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string b = a;
      b[i] = static_cast<char>(b[i] ^ 1 << bit);
      EXPECT_FALSE(equal_in_constant_time(a, b)) << i << " " << bit;
    }
}

TEST(RandomBytes, NeverRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_bytes(digest_size));
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(seen.begin()->size(), digest_size);
}

}  // namespace
}  // namespace minima::distributed::detail::sha256_test
