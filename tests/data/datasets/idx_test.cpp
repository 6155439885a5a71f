#include <minima/data/datasets/idx.h>
#include <minima/data/datasets/fashion_mnist.h>
#include <minima/data/datasets/mnist.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <zlib.h>
#include <filesystem>

namespace minima::data::idx_test {
namespace {

using minima::test::message_of;
using minima::test::TemporaryFolder;

std::string gzipped(const std::string& content) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string idx(int type, const std::vector<std::uint32_t>& sizes, const std::string& values) {
  std::string out{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) out += big_endian(size);
  return out + values;
}

TEST(Idx, ReadsEveryType) {
  const TemporaryFolder folder;
  const auto read = [&](int type, const std::string& values) {
    return read_idx(folder.file("x", idx(type, {2}, values)));
  };
  EXPECT_EQ(read(8, "\x01\xff").to_vector<int>(), (std::vector<int>{1, 255}));
  EXPECT_EQ(read(9, "\x01\xff").to_vector<int>(), (std::vector<int>{1, -1}));
  EXPECT_EQ(read(11, "\x01\x02\xff\xfe").to_vector<int>(), (std::vector<int>{258, -2}));
  EXPECT_EQ(read(12, "\x01\x02\x03\x04\xff\xff\xff\xfe").to_vector<int>(), (std::vector<int>{0x01020304, -2}));
  EXPECT_EQ(read(13, std::string("\x3f\xc0\0\0\xc0\0\0\0", 8)).to_vector<float>(), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(read(14, std::string("\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16)).to_vector<double>(),
            (std::vector<double>{1.5, -2}));
  EXPECT_EQ(read(9, "ab").dtype(), DType::int8);
  EXPECT_EQ(read(11, "abcd").dtype(), DType::int32);
}

TEST(Idx, KeepsTheShape) {
  const TemporaryFolder folder;
  const Tensor x = read_idx(folder.file("x", idx(8, {2, 1, 3}, "abcdef")));
  EXPECT_EQ(x.shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(read_idx(folder.file("y", idx(8, {0, 5}, ""))).shape(), (Shape{0, 5}));
  EXPECT_EQ(read_idx(folder.file("z", idx(8, {}, "a"))).item<int>(), 'a');
}

TEST(Idx, ReadsGzipAlsoInSeveralMembers) {
  const TemporaryFolder folder;
  const std::string plain = idx(8, {6}, "abcdef");
  EXPECT_EQ(read_idx(folder.file("x.gz", gzipped(plain))).to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(read_idx(folder.file("y.gz", gzipped(plain.substr(0, 10)) + gzipped(plain.substr(10)))).numel(), 6);
}

TEST(Idx, RefusesHostileFilesWithPathAndReason) {
  const TemporaryFolder folder;
  const std::string good = idx(8, {3}, "abc");
  std::string corrupt = gzipped(idx(8, {300}, std::string(300, 'x')));
  corrupt[corrupt.size() - 6] ^= 1;  // in the checksum
  const struct {
    std::string bytes;
    const char* reason;
  } cases[] = {
      {"", "byte 0: the file ends 4 bytes too early"},
      {"PK\x03\x04", "not an IDX file"},
      {std::string("\0\0\x07\x01\0\0\0\0", 8), "byte 2: unknown type 7"},
      {good.substr(0, 6), "the file ends 2 bytes too early"},
      {good.substr(0, 10), "the header promises uint8 [3], 3 bytes; the file holds at most 2"},
      {good + "d", "byte 11: 1 bytes follow"},
      {idx(8, {0x7fffffffu, 0x7fffffffu}, "a"), "the header promises"},
      {idx(14, {0xffffffffu, 0xffffffffu, 0xffffffffu}, "a"), "larger than any memory"},
      {idx(8, {0xffffffffu, 0xffffffffu, 0xffffffffu, 0}, ""), "larger than any memory"},
      {idx(8, {0xffffffffu, 0xffffffffu, 0}, ""), "larger than any memory"},  // more than int64, less than uint64
      {idx(8, std::vector<std::uint32_t>(17, 1), "a"), "17 dimensions"},
      {gzipped(idx(8, {0x7fffffffu}, "abc")), "the header promises uint8 [2147483647]"},
      {gzipped(idx(8, {4}, "abc")), "the data end 1 bytes too early"},
      {gzipped(idx(8, {3}, std::string(1 << 20, 'a'))), "are longer than promised"},
      {gzipped(good) + "tail", "4 bytes follow the compressed data"},
      {gzipped(idx(8, {300}, std::string(300, 'x'))).substr(0, 30), "truncated?"},
      {gzipped(good).substr(0, 2), "truncated?"},
      {corrupt, "corrupt compressed data"},
      {"\x1f\x8bgarbage", "corrupt compressed data"},
  };
  for (const auto& hostile : cases) {
    const std::string path = folder.file("hostile", hostile.bytes);
    const std::string message = message_of<FormatError>([&] { read_idx(path); });
    EXPECT_EQ(message.find(path + ": byte "), 0u) << message;
    EXPECT_CONTAINS(message, hostile.reason);
  }
  EXPECT_THROW(read_idx(folder / "absent"), FileError);
}

TEST(Idx, EveryTruncationAndEveryFlippedBitOfGzipIsRefused) {
  const TemporaryFolder folder;
  const std::string good = gzipped(idx(8, {64}, [] {
    std::string s;
    for (int i = 0; i < 64; ++i) s += static_cast<char>(i * 37);
    return s;
  }()));
  const Tensor expected = read_idx(folder.file("good", good));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(read_idx(folder.file("bad", good.substr(0, size))), FormatError) << size;
  int accepted = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      try {
        EXPECT_EQ(read_idx(folder.file("bad", bad)).to_vector<int>(), expected.to_vector<int>());
        ++accepted;
      } catch (const FormatError&) {}
    }
  EXPECT_LE(accepted, 8 * 6 + 8) << "only flags, time, extra flags and system may change unnoticed";
}

TEST(FashionMnist, SaysWhatIsMissingAndHowToGetIt) {
  const TemporaryFolder folder;
  const std::string message = message_of<FileError>([&] { FashionMnist::train(folder.path()); });
  for (const std::string& part :
       {std::string("train-images-idx3-ubyte"), folder.path(), std::string("apt install dataset-fashion-mnist"),
        std::string("name the folder that holds the four files")})
    EXPECT_CONTAINS(message, part);
}

TEST(FashionMnist, ReadsAFolderAndChecksIt) {
  const TemporaryFolder folder;
  const std::string images = idx(8, {2, 28, 28}, std::string(2 * 784, '\x07'));
  folder.file("t10k-images-idx3-ubyte.gz", gzipped(images));
  folder.file("t10k-labels-idx1-ubyte", idx(8, {2}, "\x03\x09"));
  const LabelledImages test = FashionMnist::test(folder.path());
  EXPECT_EQ(test.images.shape(), (Shape{2, 1, 28, 28}));
  EXPECT_EQ(test.images.dtype(), DType::uint8);
  EXPECT_EQ(test.labels.to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 9}));

  folder.file("t10k-labels-idx1-ubyte", idx(8, {2}, "\x03\x0a"));
  EXPECT_CONTAINS(message_of<FormatError>([&] { FashionMnist::test(folder.path()); }), "byte 9: label 10");
  folder.file("t10k-labels-idx1-ubyte", idx(8, {3}, "\x03\x01\x01"));
  EXPECT_CONTAINS(message_of<FormatError>([&] { FashionMnist::test(folder.path()); }), "expected uint8 [2]");
  folder.file("t10k-images-idx3-ubyte.gz", gzipped(idx(8, {2, 2}, "abcd")));
  EXPECT_CONTAINS(message_of<FormatError>([&] { FashionMnist::test(folder.path()); }), "found uint8 [2, 2]");
}

TEST(Mnist, ReadsTheFilesOfItsKin) {
  const TemporaryFolder folder;
  std::string pixels(784, '\0');
  pixels[1] = 5;  // row 0, column 1
  const std::string images = idx(8, {1, 28, 28}, pixels);
  for (const char* prefix : {"train", "t10k", "emnist-letters-train", "emnist-digits-test"}) {
    folder.file(str(prefix, "-images-idx3-ubyte"), images);
    folder.file(str(prefix, "-labels-idx1-ubyte.gz"), gzipped(idx(8, {1}, "\x09")));
  }
  EXPECT_EQ(Mnist::train(folder.path()).images[0][0][0][1].item<int>(), 5);
  EXPECT_EQ(Mnist::test(folder.path()).labels.item<int>(), 9);
  EXPECT_EQ(KMnist::train(folder.path()).labels.item<int>(), 9);
  EXPECT_EQ(KMnist::test(folder.path()).images.shape(), (Shape{1, 1, 28, 28}));
  const LabelledImages letters = EMnist::train(folder.path(), EMnist::Split::letters);
  EXPECT_EQ(letters.images[0][0][1][0].item<int>(), 5) << "upright";
  EXPECT_EQ(letters.images[0][0][0][1].item<int>(), 0);
  EXPECT_EQ(EMnist::test(folder.path(), EMnist::Split::digits).labels.item<int>(), 9);
  EXPECT_EQ(EMnist::classes(EMnist::Split::byclass), 62);

  EXPECT_CONTAINS(message_of<FileError>([&] { EMnist::test(folder.path(), EMnist::Split::letters); }),
                  "EMNIST: neither emnist-letters-test-images-idx3-ubyte nor");
  folder.file("t10k-labels-idx1-ubyte.gz", gzipped(idx(8, {1}, "\x0b")));
  EXPECT_CONTAINS(message_of<FormatError>([&] { Mnist::test(folder.path()); }), "label 11, but the classes are 0 to 9");
}

TEST(FashionMnist, ReadsTheRealData) {
  if (!std::filesystem::exists(FashionMnist::debian_folder)) GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  const LabelledImages train = FashionMnist::train(), test = FashionMnist::test();
  EXPECT_EQ(train.images.shape(), (Shape{60'000, 1, 28, 28}));
  EXPECT_EQ(test.images.shape(), (Shape{10'000, 1, 28, 28}));
  for (const LabelledImages& part : {train, test}) {
    std::vector<std::int64_t> per_class(10);
    for (const std::int64_t label : part.labels.to_vector<std::int64_t>()) ++per_class[static_cast<std::size_t>(label)];
    EXPECT_EQ(per_class, std::vector<std::int64_t>(10, part.labels.numel() / 10)) << "classes are balanced";
  }
  EXPECT_EQ(train.labels.data<std::int64_t>()[0], 9) << "the first training image is an ankle boot";
}

}  // namespace
}  // namespace minima::data::idx_test
