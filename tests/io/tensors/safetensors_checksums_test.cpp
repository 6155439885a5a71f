#include <minima/io/tensors/safetensors.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <cstdio>

namespace minima::safetensors_checksums_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;

State small_state() {
  State state;
  state.add("layer.weight", tensor<float>({1, -2, 3}));
  state.add("steps", tensor<std::int64_t>({7}));
  state.add("none", empty({0}));
  state.add("mask", tensor<bool>({true, false, true}));
  state.set_text("note", "a text");
  state.set_integer("epoch", 12);
  return state;
}

TEST(SafetensorsChecksums, EveryFlippedBitIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "w";
  write_safetensors(path, small_state());
  const std::string good = content_of(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
  };
  int accepted = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    put(bit / 8, static_cast<char>(good[bit / 8] ^ 1 << bit % 8));
    for (const bool copy : {false, true}) try {
        read_safetensors(path, {.copy = copy});
        ++accepted;
        ADD_FAILURE() << "bit " << bit << " of " << 8 * good.size();
      } catch (const FormatError& error) {
        EXPECT_EQ(std::string(error.what()).find(path + ": byte "), 0u) << error.what();
      }
    put(bit / 8, good[bit / 8]);
  }
  EXPECT_NO_THROW(read_safetensors(path));
  std::printf("flipped bits accepted: %d of %zu, read twice each\n", accepted, 8 * good.size());
}

TEST(SafetensorsChecksums, ChecksumsStayOutOfSightAndAreNamedWhenWrong) {
  const TemporaryFolder folder;
  const std::string path = folder / "w";
  write_safetensors(path, small_state());
  const State back = read_safetensors(path);
  EXPECT_EQ(back.texts().size(), 2u);
  EXPECT_EQ(back.text("note"), "a text");
  std::string bytes = content_of(path);
  EXPECT_CONTAINS(bytes, "\"minima.crc32c\": \"crc32c ");
  bytes[bytes.size() - 1] = 0;  // the last bool, which was true
  folder.file("w", bytes);
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_safetensors(path); }),
                  "the checksum of tensor mask does not match: its data are corrupt");
  EXPECT_EQ(read_safetensors(path, {.verify = false}).tensor("mask").to_vector<int>(), (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(read_safetensors(path, {.copy = true, .verify = false}).texts().size(), 2u);
  State reserved;
  reserved.set_text("minima.crc32c", "mine");
  EXPECT_CONTAINS(message_of<ValueError>([&] { write_safetensors(path, reserved); }),
                  "no value may be called minima.crc32c");
}

TEST(SafetensorsChecksums, AFileRewrittenByAnotherProgramThatKeptTheChecksumsIsTold) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"minima.crc32c":"crc32c 01234567 89abcdef"},"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  const std::string path = folder.file("w", bytes + header + "x");
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_safetensors(path); }),
                  "or another program has rewritten it and kept minima.crc32c");
  EXPECT_TRUE(read_safetensors(path, {.verify = false}).texts().empty());
}

TEST(SafetensorsChecksums, ReadingIntoOwnMemoryNeedsTheFileNoMore) {
  const TemporaryFolder folder;
  const std::string path = folder / "w";
  State state;
  state.add("w", ones({100'000}));
  write_safetensors(path, state);
  const Tensor w = read_safetensors(path, {.copy = true}).tensor("w");
  std::filesystem::resize_file(path, 0);  // a mapping would end in SIGBUS
  EXPECT_EQ(sum(w).item<float>(), 100'000);
}

}  // namespace
}  // namespace minima::safetensors_checksums_test
