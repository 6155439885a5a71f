#include <minima/data/datasets/cifar.h>
#include <minima/data/datasets/tokens.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <cstring>

namespace minima::data::formats_test {
namespace {

using minima::test::message_of;
using minima::test::TemporaryFolder;

std::string cifar_record(const std::string& labels, int first_pixel) {
  std::string record = labels;
  for (int i = 0; i < 3072; ++i) record += static_cast<char>(first_pixel + i / 1024);
  return record;
}

TEST(Cifar, ReadsRecordsOfAllFiles) {
  const TemporaryFolder folder;
  for (int i = 1; i <= 5; ++i)
    folder.file(str("data_batch_", i, ".bin"),
                cifar_record(std::string(1, static_cast<char>(i)), 10 * i) + cifar_record(std::string(1, '\0'), 0));
  const LabelledImages train = Cifar10::train(folder.path());
  EXPECT_EQ(train.images.shape(), (Shape{10, 3, 32, 32}));
  EXPECT_EQ(train.labels.to_vector<int>(), (std::vector<int>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
  const auto* pixels = train.images.data<std::uint8_t>() + 4 * 3072;
  EXPECT_EQ(pixels[0], 30);
  EXPECT_EQ(pixels[1024], 31);
  EXPECT_EQ(pixels[3071], 32);

  folder.file("test.bin", cifar_record("\x05\x63", 1));
  EXPECT_EQ(Cifar100::test(folder.path()).labels.item<int>(), 99);
  EXPECT_EQ(Cifar100::test(folder.path(), Cifar100::Labels::coarse).labels.item<int>(), 5);
}

TEST(Cifar, RefusesWhatIsNotIt) {
  const TemporaryFolder folder;
  EXPECT_CONTAINS(message_of<FileError>([&] { Cifar10::test(folder.path()); }), "test_batch.bin");
  const std::string path =
      folder.file("test_batch.bin", cifar_record("\x01", 0) + cifar_record("\x02", 0).substr(0, 3000));
  EXPECT_CONTAINS(message_of<FormatError>([&] { Cifar10::test(folder.path()); }),
                  path + ": byte 3073: the file ends inside a record");
  folder.file("test_batch.bin", cifar_record("\x01", 0) + cifar_record("\x0a", 0));
  EXPECT_CONTAINS(message_of<FormatError>([&] { Cifar10::test(folder.path()); }),
                  "byte 3073: label 10, but the classes are 0 to 9");
  folder.file("train.bin", cifar_record("\x14\x01", 0));
  EXPECT_NO_THROW(Cifar100::train(folder.path()));
  EXPECT_THROW(Cifar100::train(folder.path(), Cifar100::Labels::coarse), FormatError);
}

std::vector<std::int64_t> all_tokens(const TokenFile& file) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(file.size()));
  file.read(0, file.size(), tokens.data());
  return tokens;
}

TEST(TokenFile, ReadsWhatItWritesInBothWidths) {
  const TemporaryFolder folder;
  for (const std::vector<std::int64_t>& tokens : {std::vector<std::int64_t>{0, 1, 65535}, {0, 65536, 4294967295}, {}}) {
    write_tokens(folder / "t.bin", tokens);
    EXPECT_EQ(all_tokens(TokenFile(folder / "t.bin")), tokens);
  }
  EXPECT_THROW(write_tokens(folder / "t.bin", std::vector<std::int64_t>{-1}), ValueError);
  EXPECT_THROW(write_tokens(folder / "t.bin", std::vector<std::int64_t>{std::int64_t{1} << 32}), ValueError);
}

TEST(TokenFile, ReadsPlainUint16AsNanoGptWritesIt) {
  const TemporaryFolder folder;
  EXPECT_EQ(all_tokens(TokenFile(folder.file("t.bin", std::string("\1\0\xff\xff", 4)))),
            (std::vector<std::int64_t>{1, 65535}));
  EXPECT_EQ(TokenFile(folder.file("t.bin", "")).size(), 0);
}

std::string header(std::int32_t magic, std::int32_t version, std::int32_t count) {
  std::int32_t ints[256] = {magic, version, count};
  return std::string(reinterpret_cast<const char*>(ints), sizeof ints);
}

TEST(TokenFile, RefusesHostileFiles) {
  const TemporaryFolder folder;
  const struct {
    std::string bytes;
    const char* reason;
  } cases[] = {
      {"abc", "byte 2: the file ends inside a token"},
      {header(20240520, 1, 2).substr(0, 100), "ends inside its header"},
      {header(20240520, 2, 1) + "ab", "byte 4: version 2, expected 1"},
      {header(20240801, 1, 1) + "abcd", "version 1, expected 7"},
      {header(20240520, 1, 2) + "ab", "promises 2 tokens of 2 bytes, but 2 bytes follow"},
      {header(20240520, 1, 1) + "abc", "promises 1 tokens of 2 bytes, but 3 bytes follow"},
      {header(20240520, 1, -1), "promises -1 tokens"},
      {header(20240801, 7, 1) + "abcdefgh", "promises 1 tokens of 4 bytes, but 8 bytes follow"},
  };
  for (const auto& hostile : cases) {
    const std::string path = folder.file("t.bin", hostile.bytes);
    const std::string message = message_of<FormatError>([&] { TokenFile file(path); });
    EXPECT_EQ(message.find(path + ": byte "), 0u) << message;
    EXPECT_CONTAINS(message, hostile.reason);
  }
}

TEST(TokenDataset, GivesStretchesAndTheirSuccessors) {
  const TemporaryFolder folder;
  write_tokens(folder / "t.bin", std::vector<std::int64_t>{10, 11, 12, 13, 14, 15, 16});
  const TokenFile file(folder / "t.bin");
  const TokenDataset dataset(file, 3);
  ASSERT_EQ(dataset.size(), 2);
  const std::int64_t indices[] = {1, 0};
  const auto [inputs, targets] = dataset.fetch(indices);
  EXPECT_EQ(inputs.shape(), (Shape{2, 3}));
  EXPECT_EQ(inputs.to_vector<int>(), (std::vector<int>{13, 14, 15, 10, 11, 12}));
  EXPECT_EQ(targets.to_vector<int>(), (std::vector<int>{14, 15, 16, 11, 12, 13}));

  EXPECT_EQ(TokenDataset(file, 3, 1).size(), 4);
  EXPECT_EQ(TokenDataset(file, 6).size(), 1);
  EXPECT_EQ(TokenDataset(file, 7).size(), 0);
  const std::int64_t outside[] = {2};
  EXPECT_THROW(dataset.fetch(outside), IndexError);
  EXPECT_THROW(TokenDataset(file, 0), ValueError);
  std::int64_t token;
  EXPECT_THROW(file.read(7, 1, &token), IndexError);
  EXPECT_THROW(file.read(-1, 1, &token), IndexError);
}

}  // namespace
}  // namespace minima::data::formats_test
