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
#include <ctime>
#include <filesystem>

namespace minima::data::images_test {
namespace {

using minima::test::content_of;
using minima::test::message_of;
using minima::test::TemporaryFolder;
using Bytes = std::vector<std::uint8_t>;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Smooth, so that JPEG hardly changes it.
Bytes smooth(int height, int width, int channels) {
  Bytes pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        pixels.push_back(static_cast<std::uint8_t>(128 + 60 * std::sin(0.05 * y + c) + 60 * std::cos(0.04 * x - c)));
  return pixels;
}

double worst_difference(const Tensor& a, const Bytes& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    worst = std::max(worst, std::abs(double{a.data<std::uint8_t>()[i] * 1.0} - b[i]));
  return worst;
}

#ifdef MINIMA_HAVE_JPEG

TEST(Jpeg, DecodesColourAndGrey) {
  const Bytes colour = smooth(50, 70, 3), grey = smooth(50, 70, 1);
  const std::string jpeg = encode_jpeg(colour.data(), 50, 70, 3, 95),
                    grey_jpeg = encode_jpeg(grey.data(), 50, 70, 1, 95);
  const Tensor x = decode_image(as_bytes(jpeg), "a.jpg");
  EXPECT_EQ(x.shape(), (Shape{50, 70, 3}));
  EXPECT_LE(worst_difference(x, colour), 10);
  const Tensor g = decode_image(as_bytes(grey_jpeg), "b.jpg", {.channels = 1});
  EXPECT_EQ(g.shape(), (Shape{50, 70, 1}));
  EXPECT_LE(worst_difference(g, grey), 6);
  const Tensor widened = decode_image(as_bytes(grey_jpeg), "b.jpg");
  EXPECT_EQ(widened.size(2), 3);
  for (std::int64_t i = 0; i < g.numel(); ++i)
    ASSERT_EQ(widened.data<std::uint8_t>()[3 * i + 1], g.data<std::uint8_t>()[i]);
}

TEST(Jpeg, ScaledDecodingStopsAboveTheSideThatIsNeeded) {
  const Bytes pixels = smooth(400, 600, 3);
  const std::string jpeg = encode_jpeg(pixels.data(), 400, 600, 3);
  EXPECT_EQ(decode_image(as_bytes(jpeg), "a.jpg", {.min_side = 201}).shape(), (Shape{400, 600, 3}));
  EXPECT_EQ(decode_image(as_bytes(jpeg), "a.jpg", {.min_side = 200}).shape(), (Shape{200, 300, 3}));
  EXPECT_EQ(decode_image(as_bytes(jpeg), "a.jpg", {.min_side = 100}).shape(), (Shape{100, 150, 3}));
  const Tensor eighth = decode_image(as_bytes(jpeg), "a.jpg", {.min_side = 1});
  EXPECT_EQ(eighth.shape(), (Shape{50, 75, 3}));
  EXPECT_NEAR(eighth.data<std::uint8_t>()[(20 * 75 + 30) * 3], pixels[(164 * 600 + 244) * 3], 8);
}

TEST(Jpeg, RefusesWhatIsBroken) {
  const Bytes pixels = smooth(64, 64, 3);
  const std::string jpeg = encode_jpeg(pixels.data(), 64, 64, 3);
  const auto message = [](const std::string& bytes, DecodeOptions options = {}) {
    return message_of<FormatError>([&] { decode_image(as_bytes(bytes), "x.jpg", options); });
  };
  EXPECT_CONTAINS(message(jpeg.substr(0, jpeg.size() - 30)), "truncated");
  EXPECT_CONTAINS(message(jpeg.substr(0, 30)), "x.jpg: byte");
  EXPECT_CONTAINS(message(""), "neither a JPEG nor a PNG");
  EXPECT_CONTAINS(message("GIF89a"), "neither a JPEG nor a PNG");
  EXPECT_CONTAINS(message(jpeg, {.max_pixels = 4095}), "64 × 64 pixels; the limit is 4095");
  std::string huge = jpeg;  // claims 65,500 × 65,500 in its frame header
  const std::size_t frame = huge.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  huge.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_CONTAINS(message(huge), "65500 × 65500 pixels; the limit is");
  for (std::size_t size = 0; size < jpeg.size(); size += 7)
    EXPECT_THROW(decode_image(as_bytes(jpeg.substr(0, size)), "x.jpg"), FormatError) << size;
}

TEST(ImageFolder, ReadsClassesInOrder) {
  const TemporaryFolder folder;
  const Bytes a = smooth(30, 40, 3), b = smooth(20, 20, 1);
  for (const char* name : {"dog", "cat", "cat/more", ".ipynb_checkpoints"})
    std::filesystem::create_directories(folder / name);
  folder.file(".ipynb_checkpoints/1.jpg", "no class");
  folder.file("dog/1.JPEG", encode_jpeg(a.data(), 30, 40, 3));
  folder.file("cat/2.png", encode_png(b.data(), 20, 20, 1));
  folder.file("cat/more/3.jpg", encode_jpeg(a.data(), 30, 40, 3));
  folder.file("cat/notes.txt", "no image");
  const ImageFolder images(folder.path());
  EXPECT_EQ(images.classes(), (std::vector<std::string>{"cat", "dog"}));
  ASSERT_EQ(images.size(), 3);
  EXPECT_EQ(images.describe(0), "cat/2.png");
  EXPECT_EQ(images.describe(1), "cat/more/3.jpg");
  EXPECT_EQ(images.get(2).label, 1);
  EXPECT_EQ(images.get(0).image.shape(), (Shape{20, 20, 3}));
  EXPECT_THROW(images.get(3), IndexError);

  DataLoader loader(with_transform(images, Resize{16}), {.batch_size = 1, .workers = 2});
  std::vector<int> labels;
  for (auto& [image, label] : loader) {
    EXPECT_EQ(image.size(1), 16);
    labels.push_back(label.item<int>());
  }
  EXPECT_EQ(labels, (std::vector<int>{0, 0, 1}));

  folder.file("dog/1.JPEG", content_of(folder / "dog/1.JPEG").substr(0, 200));
  EXPECT_CONTAINS(message_of<FormatError>([&] {
                    for (auto& batch : loader) static_cast<void>(batch);
                  }),
                  "sample 2 (dog/1.JPEG)");
  EXPECT_THROW(ImageFolder(folder / "nowhere"), FileError);
  EXPECT_THROW(ImageFolder(folder / "dog"), ValueError);
}

TEST(ImageFolder, AnEmptyClassIsAnErrorThatSaysWhatWasLeftOut) {
  const TemporaryFolder folder;
  for (const char* name : {"cat", "dog", "empty"}) std::filesystem::create_directories(folder / name);
  const Bytes pixels = smooth(4, 4, 3);
  folder.file("cat/1.jpg", encode_jpeg(pixels.data(), 4, 4, 3));
  folder.file("cat/notes.txt", "no image");
  for (const char* name : {"dog/1.bmp", "dog/2.WebP", "dog/3.webp"}) folder.file(name, "an image");
  const std::string message = message_of<ValueError>([&] { ImageFolder(folder.path()); });
  EXPECT_CONTAINS(message, ": dog, empty; left out 1 .bmp and 2 .webp, which minima does not read");
  const ImageFolder images(folder.path(), {.allow_empty = true});
  EXPECT_EQ(images.classes(), (std::vector<std::string>{"cat", "dog", "empty"}));
  EXPECT_EQ(images.left_out(), (std::map<std::string, std::int64_t>{{".bmp", 1}, {".webp", 2}}));
}

TEST(ImageFolder, NamesOfFilesAndFoldersAreReportedPrintably) {
  const TemporaryFolder folder;
  const std::string name = "\x1b]0;owned\x07", shown = "\\x1b]0;owned\\x07";
  std::filesystem::create_directory(folder / name);
  std::filesystem::create_directory(folder / "b");
  folder.file("b/" + name + ".jpg", "no image");
  EXPECT_CONTAINS(message_of<ValueError>([&] { ImageFolder(folder.path()); }), shown);
  EXPECT_CONTAINS(message_of<ValueError>([&] { ImageFolder(folder.path(), {.classes = {"b"}}); }), shown);
  const ImageFolder images(folder.path(), {.allow_empty = true});
  EXPECT_CONTAINS(message_of<FormatError>([&] { images.get(0); }), shown + ".jpg: byte 0");
  const std::string in_loop = message_of<FormatError>([&] {
    for (const auto& batch : DataLoader(images, {.batch_size = 1})) static_cast<void>(batch);
  });
  EXPECT_CONTAINS(in_loop, "(b/" + shown);
  EXPECT_EQ(in_loop.find('\x1b'), std::string::npos);
}

TEST(ImageFolder, TakesTheClassesOfAnotherFolder) {
  const TemporaryFolder folder;
  const Bytes pixels = smooth(4, 4, 3);
  std::filesystem::create_directories(folder / "c");
  folder.file("c/1.jpg", encode_jpeg(pixels.data(), 4, 4, 3));
  EXPECT_EQ(ImageFolder(folder.path()).get(0).label, 0);
  const ImageFolder images(folder.path(), {.classes = {"a", "b", "c"}, .decode = {.channels = 1}});
  EXPECT_EQ(images.get(0).label, 2);
  EXPECT_EQ(images.get(0).image.size(2), 1);
  EXPECT_EQ(images.classes().size(), 3u);
  EXPECT_CONTAINS(message_of<ValueError>([&] { ImageFolder(folder.path(), {.classes = {"a", "b"}}); }),
                  "the folder c of ");
}

TEST(ImageFolder, FollowsLinks) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const Bytes pixels = smooth(4, 4, 3);
  for (const char* name : {"set/cat", "other/more", "dogs"}) fs::create_directories(folder / name);
  for (const char* name : {"set/cat/1.jpg", "other/2.jpg", "other/more/3.jpg", "dogs/4.jpg"})
    folder.file(name, encode_jpeg(pixels.data(), 4, 4, 3));
  fs::create_directory_symlink(folder / "other", folder / "set/cat/linked");
  fs::create_directory_symlink(folder / "set/cat", folder / "other/more/round");
  fs::create_directory_symlink(folder / "dogs", folder / "set/dog");
  const auto described = [&](const ImageFolder& images) {
    std::vector<std::string> paths;
    for (std::int64_t i = 0; i < images.size(); ++i) paths.push_back(images.describe(i));
    return paths;
  };
  EXPECT_EQ(described(ImageFolder(folder / "set")),
            (std::vector<std::string>{"cat/1.jpg", "cat/linked/2.jpg", "cat/linked/more/3.jpg", "dog/4.jpg"}));
  fs::create_symlink("nowhere.jpg", folder / "dogs/5.jpg");
  const ImageFolder images(folder / "set");
  ASSERT_EQ(images.size(), 5);
  EXPECT_THROW(images.get(4), FileError) << "a broken link";
}

#endif

#ifdef MINIMA_HAVE_PNG

TEST(Png, DecodesWhatIsWritten) {
  for (const int channels : {1, 3, 4}) {
    const Bytes pixels = smooth(33, 21, channels);
    const std::string png = encode_png(pixels.data(), 33, 21, channels);
    const Tensor x = decode_image(as_bytes(png), "a.png");
    EXPECT_EQ(x.shape(), (Shape{33, 21, 3}));
    for (std::size_t i = 0; i < 33 * 21; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_EQ(x.data<std::uint8_t>()[3 * i + c],
                  pixels[static_cast<std::size_t>(channels) * i + (channels == 1 ? 0 : c)]);
  }
  const Bytes grey = smooth(9, 9, 1);
  const Tensor g = decode_image(as_bytes(encode_png(grey.data(), 9, 9, 1)), "a.png", {.channels = 1});
  EXPECT_EQ(g.to_vector<std::uint8_t>(), grey);
}

std::string big_endian(std::size_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFFu);
  return text;
}
std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(content.size()) + body + big_endian(sum);
}
/// Inserts chunks after the first one.
std::string with_chunks(const std::string& png, const std::string& chunks) {
  return png.substr(0, 33) + chunks + png.substr(33);
}
std::string deflated(const std::string& text) {
  uLongf size = ::compressBound(text.size());
  std::string out(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size());
  out.resize(size);
  return out;
}

// The values of Pillow's convert("L"), whatever the file says about its colours.
TEST(Png, GreyIsTheLumaOfTheStoredValues) {
  const Bytes colours{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 200, 90, 1, 2, 3};
  const Bytes grey{76, 150, 29, 255, 131, 2};
  const std::string png = encode_png(colours.data(), 1, 6, 3);
  const std::string gamma = chunk("gAMA", big_endian(45455)), srgb = chunk("sRGB", std::string(1, '\0'));
  std::string adobe_rgb;
  for (const std::size_t value : {31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000})
    adobe_rgb += big_endian(value);
  for (const std::string& chunks :
       {std::string(), gamma, srgb, gamma + srgb, chunk("cHRM", adobe_rgb), gamma + chunk("cHRM", adobe_rgb)})
    EXPECT_EQ(decode_image(as_bytes(with_chunks(png, chunks)), "x.png", {.channels = 1}).to_vector<std::uint8_t>(),
              grey);

  std::string header = big_endian(6) + big_endian(1) + std::string("\x08\x03\0\0\0", 5);
  std::string palette(colours.begin(), colours.end());
  const std::string indexed = png.substr(0, 8) + chunk("IHDR", header) + gamma + chunk("PLTE", palette) +
                              chunk("IDAT", deflated(std::string("\0\0\1\2\3\4\5", 7))) + chunk("IEND", "");
  EXPECT_EQ(decode_image(as_bytes(indexed), "x.png", {.channels = 1}).to_vector<std::uint8_t>(), grey);
  EXPECT_EQ(decode_image(as_bytes(indexed), "x.png").to_vector<std::uint8_t>(), colours);
}

TEST(Png, TextsAndProfilesAreNotInflated) {
  const Bytes pixels = smooth(2, 2, 3);
  const std::string bomb = deflated(std::string(std::size_t{7} << 20, '\0'));
  std::string chunks = chunk("iCCP", std::string("p\0\0", 3) + bomb);
  for (int i = 0; i < 100; ++i)
    chunks += chunk("zTXt", std::string("t\0\0", 3) + bomb) + chunk("iTXt", std::string("t\0\1\0\0\0", 6) + bomb);
  const std::clock_t start = std::clock();
  const Tensor x = decode_image(as_bytes(with_chunks(encode_png(pixels.data(), 2, 2, 3), chunks)), "x.png");
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.3);
  EXPECT_EQ(x.to_vector<std::uint8_t>(), pixels);
}

TEST(Png, RefusesWhatIsBroken) {
  const Bytes pixels = smooth(64, 64, 3);
  const std::string png = encode_png(pixels.data(), 64, 64, 3);
  for (std::size_t size = 0; size < png.size(); size += 5)
    EXPECT_THROW(decode_image(as_bytes(png.substr(0, size)), "x.png"), FormatError) << size;
  EXPECT_CONTAINS(message_of<FormatError>([&] { decode_image(as_bytes(png.substr(0, png.size() / 2)), "x.png"); }),
                  "truncated");
  std::string damaged = png;
  damaged[png.size() / 2] = static_cast<char>(damaged[png.size() / 2] ^ 0x55);
  EXPECT_CONTAINS(message_of<FormatError>([&] { decode_image(as_bytes(damaged), "x.png"); }), "x.png: byte ");
  EXPECT_CONTAINS(message_of<FormatError>([&] { decode_image(as_bytes(png), "x.png", {.max_pixels = 100}); }),
                  "x.png: byte ");
}

#endif

TEST(DecodeImage, RefusesOtherChannels) { EXPECT_THROW(decode_image({}, "x", {.channels = 4}), ValueError); }

}  // namespace
}  // namespace minima::data::images_test
