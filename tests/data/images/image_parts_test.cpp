#include <minima/data/images/decode.h>
#include <minima/data/images/folder.h>
#include <minima/data/loader/loader.h>
#include <minima/data/transforms/transforms.h>
#include <minima/io/plots/jpeg_writer.h>
#include <minima/io/plots/png_writer.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <zlib.h>
#include <cmath>
#include <filesystem>

#ifdef MINIMA_HAVE_JPEG

// Partial decoding, and images with an EXIF orientation.

namespace minima::data::image_parts_test {
namespace {

using minima::test::content_of;
using minima::test::message_of;
using minima::test::TemporaryFolder;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
Bytes bytes_of(const Tensor& x) { return x.to_vector<std::uint8_t>(); }

/// Sharp colour edges, so that interpolation between chroma pixels matters.
std::string jpeg_of(int height, int width, int channels = 3) {
  Bytes pixels;
  RandomStream random(static_cast<std::uint64_t>(height * 1000 + width));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        const double wave = 90 * std::sin(0.11 * y * (c + 1)) * std::cos(0.07 * x - c) + (x / 9 + y / 7 + c) % 3 * 30;
        pixels.push_back(static_cast<std::uint8_t>(std::clamp(90 + wave + 20 * random.uniform(), 0.0, 255.0)));
      }
  return encode_jpeg(pixels.data(), height, width, channels, 90);
}

void expect_parts_equal(std::span<const std::byte> file, DecodeOptions options, const std::string& what) {
  const Tensor whole = decode_image(file, what, options);
  RandomStream random(4);
  Tensor pixels;
  for (int i = 0; i < 60; ++i) {
    ImageDecoder decoder(file, what, options);
    ASSERT_EQ(decoder.height(), whole.size(0));
    ASSERT_EQ(decoder.width(), whole.size(1));
    PixelBox box;
    box.height = 1 + random.below(decoder.height());
    box.width = 1 + random.below(decoder.width());
    box.top = random.below(decoder.height() - box.height + 1);
    box.left = random.below(decoder.width() - box.width + 1);
    const PixelBox got = decoder.decode(box, pixels);
    ASSERT_TRUE(got.top <= box.top && got.left <= box.left && got.top + got.height >= box.top + box.height &&
                got.left + got.width >= box.left + box.width);
    ASSERT_EQ(pixels.shape(), (Shape{got.height, got.width, options.channels}));
    const Bytes expected = bytes_of(crop(whole, box.top, box.left, box.height, box.width));
    const Bytes part = bytes_of(crop(pixels, box.top - got.top, box.left - got.left, box.height, box.width));
    std::size_t differing = 0;
    for (std::size_t p = 0; p < part.size(); ++p) differing += part[p] != expected[p];
    ASSERT_EQ(differing, 0u) << what << ": " << box.height << " × " << box.width << " at " << box.top << ", "
                             << box.left << " of " << decoder.height() << " × " << decoder.width();
  }
}

TEST(ImageDecoder, APartIsWhatTheWholeImageHasThere) {
  const std::string colour = jpeg_of(203, 341), grey = jpeg_of(150, 97, 1);
  for (const std::int64_t min_side : {0, 100, 50})
    for (const int channels : {3, 1}) {
      expect_parts_equal(as_bytes(colour), {.channels = channels, .min_side = min_side}, "colour");
      expect_parts_equal(as_bytes(grey), {.channels = channels, .min_side = min_side}, "grey");
    }
}

TEST(ImageDecoder, PartsOfEveryKindOfJpeg) {
  for (const char* name : {"cmyk", "grey", "progressive", "rgb", "sampled"}) {
    const std::string file = content_of(MINIMA_FIXTURES "/../fuzz/seeds/jpeg/" + std::string(name));
    ASSERT_FALSE(file.empty()) << name;
    expect_parts_equal(as_bytes(file), {}, name);
    expect_parts_equal(as_bytes(file), {.channels = 1, .min_side = 4}, name);
  }
}

TEST(ImageDecoder, LooksAtNothingBehindThePart) {
  const std::string whole = jpeg_of(320, 200);
  const std::string cut = whole.substr(0, whole.size() / 2);
  Tensor pixels;
  ImageDecoder upper(as_bytes(cut), "cut.jpg");
  EXPECT_NO_THROW(upper.decode({0, 0, 100, 200}, pixels)) << "it ends before the file does";
  EXPECT_CONTAINS(message_of<FormatError>([&] { upper.decode({0, 0, 300, 200}, pixels); }), "cut.jpg: byte");
  EXPECT_CONTAINS(message_of<ValueError>([&] { upper.decode({0, 0, 321, 1}, pixels); }),
                  "321 × 1 pixels at 0, 0 are not inside an image of 320 × 200");
  EXPECT_THROW(upper.decode({0, -1, 1, 1}, pixels), ValueError);
}

/// Inserts an EXIF segment with this orientation, in either byte order, after the file's first marker.
std::string with_orientation(const std::string& jpeg, int orientation, bool little) {
  const auto number = [&](unsigned value, int size) {
    std::string text;
    for (int i = 0; i < size; ++i) text += static_cast<char>(value >> 8 * (little ? i : size - 1 - i) & 0xFFu);
    return text;
  };
  std::string tiff = little ? std::string("II*\0", 4) : std::string("MM\0*", 4);
  tiff += number(8, 4) + number(2, 2);
  tiff +=
      number(0x110, 2) + number(2, 2) + number(4, 4) + "cam" + std::string(1, '\0');  // the camera's name comes first
  tiff += number(0x112, 2) + number(3, 2) + number(1, 4) + number(static_cast<unsigned>(orientation), 2) +
          std::string(2, '\0');
  tiff += number(0, 4);
  const std::string content = std::string("Exif\0\0", 6) + tiff;
  const std::size_t size = content.size() + 2;
  return jpeg.substr(0, 2) + "\xff\xe1" + static_cast<char>(size >> 8) + static_cast<char>(size & 0xFF) + content +
         jpeg.substr(2);
}

TEST(ImageDecoder, FindsTheOrientationWhereverItMayStand) {
  const std::string jpeg = jpeg_of(48, 64), turned = with_orientation(jpeg, 6, false);
  const Shape shape{64, 48, 3};
  EXPECT_EQ(decode_image(as_bytes(turned), "turned").shape(), shape);
  const std::string filled = turned.substr(0, 2) + std::string(3, '\xff') + turned.substr(2);
  EXPECT_EQ(decode_image(as_bytes(filled), "fill bytes before a marker").shape(), shape);
  std::string long_type = turned;  // a LONG of big-endian 6 instead of a SHORT
  const std::size_t entry = turned.find(std::string("\x01\x12\x00\x03", 4));
  ASSERT_NE(entry, std::string::npos);
  long_type.replace(entry, 12, std::string("\x01\x12\x00\x04\x00\x00\x00\x01\x00\x00\x00\x06", 12));
  EXPECT_EQ(decode_image(as_bytes(long_type), "LONG").shape(), shape);
  EXPECT_EQ(decode_image(as_bytes(turned), "as stored", {.upright = false}).shape(), (Shape{48, 64, 3}));

  const std::vector<std::uint8_t> pixels(48 * 64 * 3, 1);
  const std::string png = encode_png(pixels.data(), 48, 64, 3);
  const std::string tiff = turned.substr(turned.find("MM"), 8 + 2 + 24 + 4);
  const std::string body = "eXIf" + tiff;
  const auto word = [](std::size_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFFu);
    return text;
  };
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  const std::string marked = png.substr(0, 33) + word(tiff.size()) + body + word(sum) + png.substr(33);
  EXPECT_EQ(decode_image(as_bytes(png), "a PNG").shape(), (Shape{48, 64, 3}));
  EXPECT_EQ(decode_image(as_bytes(marked), "a PNG with EXIF data").shape(), shape);
}

TEST(ImageDecoder, TurnsAsTheExifOrientationSays) {
  const std::string jpeg = jpeg_of(48, 64);
  const Tensor stored = decode_image(as_bytes(jpeg), "stored");
  const std::int64_t h = 48, w = 64;
  for (const bool little : {true, false})
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const std::string file = with_orientation(jpeg, orientation, little);
      const Tensor x = decode_image(as_bytes(file), "turned");
      ASSERT_EQ(x.shape(), orientation < 5 ? (Shape{h, w, 3}) : (Shape{w, h, 3})) << orientation;
      // The visual position of the stored image's first row and first column, as in the EXIF standard.
      const auto upright = [&](std::int64_t row, std::int64_t column) -> std::pair<std::int64_t, std::int64_t> {
        switch (orientation) {
          case 1: return {row, column};                  // top, left
          case 2: return {row, w - 1 - column};          // top, right
          case 3: return {h - 1 - row, w - 1 - column};  // bottom, right
          case 4: return {h - 1 - row, column};          // bottom, left
          case 5: return {column, row};                  // left, top
          case 6: return {column, h - 1 - row};          // right, top
          case 7: return {w - 1 - column, h - 1 - row};  // right, bottom
          default: return {w - 1 - column, row};         // left, bottom
        }
      };
      for (std::int64_t row = 0; row < h; ++row)
        for (std::int64_t column = 0; column < w; ++column) {
          const auto [y, x_at] = upright(row, column);
          ASSERT_EQ(x.data<std::uint8_t>()[(y * x.size(1) + x_at) * 3],
                    stored.data<std::uint8_t>()[(row * w + column) * 3])
              << "orientation " << orientation << ", stored " << row << ", " << column;
        }
      expect_parts_equal(as_bytes(file), {}, "turned");
      EXPECT_EQ(bytes_of(decode_image(as_bytes(file), "as stored", {.upright = false})), bytes_of(stored));
    }
  for (const int nonsense : {0, 9, 0x1234})
    EXPECT_EQ(bytes_of(decode_image(as_bytes(with_orientation(jpeg, nonsense, true)), "x")), bytes_of(stored));
}

TEST(ImageDecoder, BrokenExifDataAreNoReasonNotToDecode) {
  const std::string jpeg = jpeg_of(16, 16), file = with_orientation(jpeg, 6, false);
  for (std::size_t at = 12; at < 12 + 38; ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = file;
      damaged[at] = value;
      EXPECT_NO_THROW(decode_image(as_bytes(damaged), "x")) << at;
    }
}

TEST(ImageFolder, DecodesThroughATransformWhatItWouldDecodeWhole) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  for (int i = 0; i < 6; ++i) folder.file("a/" + std::to_string(i) + ".jpg", jpeg_of(180 + 20 * i, 240));
  /// The same images without ImageFolder's get(index, make), which decodes parts.
  struct Whole {
    ImageFolder images;
    std::int64_t size() const { return images.size(); }
    LabelledImage get(std::int64_t index) const { return images.get(index); }
  };
  for (const std::int64_t min_side : {0, 64}) {
    const ImageFolder images(folder.path(), {.min_side = min_side});
    const auto transform = compose(RandomResizedCrop{.size = 64}, RandomHorizontalFlip{}, ColorJitter{.2});
    DataLoader parts(with_transform(images, transform), {.batch_size = 3, .shuffle = true, .workers = 2, .seed = 3});
    DataLoader whole(with_transform(Whole{images}, transform), {.batch_size = 3, .shuffle = true, .seed = 3});
    std::vector<Bytes> expected, got;
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (auto& [image, label] : whole) expected.push_back(bytes_of(image));
      for (auto& [image, label] : parts) got.push_back(bytes_of(image));
    }
    EXPECT_EQ(got, expected) << min_side;
  }
}

}  // namespace
}  // namespace minima::data::image_parts_test

#endif
