#include <minima/io/plots/png_writer.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <zlib.h>
#include <cstring>
#include <vector>

namespace minima::png_writer_test {
namespace {

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Decoded {
  std::uint32_t width, height;
  int colour;
  std::vector<std::uint8_t> rows;  ///< with the filter byte that starts each
};

/// Walks the chunks, checking every length and CRC, and inflates the pixels.
Decoded decode(const std::string& png, std::size_t expected) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  Decoded result{};
  std::string last;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = big_endian(png, at);
    const std::string type = png.substr(at + 4, 4);
    const std::string data = png.substr(at + 8, length);
    const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(png.data() + at + 4), static_cast<uInt>(length + 4));
    EXPECT_EQ(big_endian(png, at + 8 + length), crc) << type;
    if (type == "IHDR") {
      result.width = big_endian(data, 0);
      result.height = big_endian(data, 4);
      result.colour = data[9];
    } else if (type == "IDAT") {
      result.rows.resize(expected);
      uLongf size = expected;
      EXPECT_EQ(::uncompress(result.rows.data(), &size, reinterpret_cast<const Bytef*>(data.data()), data.size()),
                Z_OK);
      EXPECT_EQ(size, expected);
    }
    last = type;
    at += 12 + length;
  }
  EXPECT_EQ(last, "IEND");
  return result;
}

TEST(Png, HoldsThePixels) {
  const std::uint8_t grey[6] = {0, 1, 2, 253, 254, 255};
  const Decoded image = decode(encode_png(grey, 2, 3, 1), 8);
  EXPECT_EQ(image.width, 3u);
  EXPECT_EQ(image.height, 2u);
  EXPECT_EQ(image.colour, 0);
  EXPECT_EQ(image.rows, (std::vector<std::uint8_t>{0, 0, 1, 2, 0, 253, 254, 255}));
}

TEST(Png, KnowsColour) {
  const std::uint8_t pixel[4] = {1, 2, 3, 4};
  EXPECT_EQ(decode(encode_png(pixel, 1, 1, 3), 4).colour, 2);
  EXPECT_EQ(decode(encode_png(pixel, 1, 1, 4), 5).rows, (std::vector<std::uint8_t>{0, 1, 2, 3, 4}));
  EXPECT_THROW(encode_png(pixel, 1, 1, 2), ValueError);
  EXPECT_THROW(encode_png(pixel, 0, 1, 1), ValueError);
}

TEST(Base64, AgreesWithTheVectorsOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace minima::png_writer_test
