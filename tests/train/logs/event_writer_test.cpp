#include "tests/support/temporary_folder.h"

#include <minima/io/files/crc32c.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>
#include <minima/train/logs/event_writer.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace minima::event_writer_test {
namespace {

std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

template <class T>
T read(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Reads the file's messages and checks their lengths and checksums.
std::vector<std::string> records(const std::string& path) {
  const std::string file = contents(path);
  std::vector<std::string> result;
  for (std::size_t at = 0; at < file.size();) {
    const auto length = read<std::uint64_t>(file, at);
    EXPECT_EQ(read<std::uint32_t>(file, at + 8), detail::masked_crc32c(file.substr(at, 8)));
    result.push_back(file.substr(at + 12, length));
    EXPECT_EQ(read<std::uint32_t>(file, at + 12 + length), detail::masked_crc32c(result.back()));
    at += 16 + length;
    EXPECT_LE(at, file.size());
  }
  return result;
}

/// protoc's decoding of a message without its schema.
std::string decoded(const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string in = folder / "message.bin", out = folder / "message.txt";
  std::ofstream(in, std::ios::binary) << message;
  if (std::system(("protoc --decode_raw < " + in + " > " + out).c_str()) != 0) return "protoc failed";
  return contents(out);
}

bool has_protoc() { return std::system("protoc --version > /dev/null 2>&1") == 0; }

TEST(EventWriter, FramesItsRecords) {
  const test::TemporaryFolder folder;
  EventWriter events(folder.path());
  for (int step = 0; step < 5; ++step) events.scalar("loss", 1.0 / (step + 1), step);
  const auto messages = records(events.path());
  ASSERT_EQ(messages.size(), 6u);
  EXPECT_NE(messages[0].find("brain.Event:2"), std::string::npos);
  EXPECT_NE(events.path().find("events.out.tfevents."), std::string::npos);
}

TEST(EventWriter, WritesScalarsThatProtocReads) {
  if (!has_protoc()) GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
  const test::TemporaryFolder folder;
  EventWriter events(folder.path());
  events.scalar("train/loss", 0.75, 300);
  const std::string text = decoded(records(events.path())[1]);
  EXPECT_NE(text.find("2: 300"), std::string::npos) << text;
  EXPECT_NE(text.find("1: \"train/loss\""), std::string::npos) << text;
  EXPECT_NE(text.find("2: 0x3f400000"), std::string::npos) << text;  // 0.75f
}

TEST(EventWriter, WritesHistogramsAndTexts) {
  if (!has_protoc()) GTEST_SKIP() << "protoc is not installed (protobuf-compiler)";
  const test::TemporaryFolder folder;
  EventWriter events(folder.path());
  events.histogram("weights", tensor<float>({0, 1, 2, 3, NAN}), 7, 3);
  events.text("note", "a text", 8);
  const auto messages = records(events.path());
  const std::string histogram = decoded(messages[1]), text = decoded(messages[2]);
  EXPECT_NE(histogram.find("2: 0x4008000000000000"), std::string::npos) << histogram;  // the largest, 3
  EXPECT_NE(histogram.find("3: 0x4010000000000000"), std::string::npos) << histogram;  // four values
  EXPECT_NE(histogram.find("5: 0x402c000000000000"), std::string::npos) << histogram;  // the sum of squares, 14
  EXPECT_NE(text.find("8: \"a text\""), std::string::npos) << text;
  EXPECT_THROW(events.histogram("w", ones({2}), 0, 0), ValueError);
}

TEST(EventWriter, TwoInOneSecondUseSeparateFiles) {
  const test::TemporaryFolder folder;
  EventWriter one(folder.path()), two(folder.path());
  EXPECT_NE(one.path(), two.path());
}

TEST(EventWriter, ThrowsForAnUnwritableFolder) { EXPECT_THROW(EventWriter("/proc/nothing"), FileError); }

}  // namespace
}  // namespace minima::event_writer_test
