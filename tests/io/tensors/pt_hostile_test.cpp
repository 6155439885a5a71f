#include <minima/io/archives/zip_writer.h>
#include <minima/io/tensors/pt.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace minima::pt_hostile_test {
namespace {

using test::content_of;
using test::message_of;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// An archive with this pickle after its protocol, and members that replace the usual ones.
std::string archive(const std::string& pickle, std::map<std::string, std::string> members = {}) {
  std::string out;
  ZipWriter zip([&](const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); });
  members.emplace("data.pkl", "\x80\x02" + pickle + ".");
  members.emplace("version", "3\n");
  members.emplace("data/0", std::string(16, '\0'));
  for (const auto& [name, content] : members) zip.add("a/" + name, bytes_of(content));
  zip.finish();
  return out;
}

PtValue read(const std::string& bytes) { return read_pt(bytes_of(bytes), "f.pt"); }
std::string refusal(const std::string& bytes) {
  const std::string message = message_of<FormatError>([&] { read(bytes); });
  EXPECT_EQ(message.find("f.pt: "), 0u) << message;
  return message;
}

std::string text(const std::string& value) {
  return str("X", static_cast<char>(value.size()), std::string(3, '\0'), value);
}
std::string number(std::int64_t value) {
  std::string out("\x8a\x08");
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
std::string numbers(const std::vector<std::int64_t>& values) {
  std::string out = "(";
  for (const std::int64_t value : values) out += number(value);
  return out + "t";
}
std::string storage(std::int64_t count, const std::string& type = "ctorch\nFloatStorage\n",
                    const std::string& key = "0") {
  return "(" + text("storage") + type + text(key) + text("cpu") + number(count) + "tQ";
}
std::string tensor(std::int64_t offset, const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& strides, const std::string& of = storage(4)) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + of + number(offset) + numbers(sizes) + numbers(strides) + "\x89}tR";
}

constexpr std::int64_t huge = std::int64_t{1} << 62;

TEST(PtHostile, TheBuilderMakesGoodFiles) {
  EXPECT_EQ(read(archive(tensor(1, {3}, {1}))).tensor().to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST(PtHostile, NothingButTheListedNamesIsUnderstood) {
  for (const auto& [pickle, name] : std::map<std::string, std::string>{
           {"cos\nsystem\n(" + text("true") + "tR", "os.system"},
           {"cbuiltins\neval\n(" + text("1") + "tR", "builtins.eval"},
           {"cbuiltins\ngetattr\n}" + text("a") + "\x86R", "builtins.getattr"},
           {"ctorch.nn\nLinear\n)\x81}b", "torch.nn.Linear"},
           {"ctorch._utils\n_rebuild_sparse_tensor\n)R", "torch._utils._rebuild_sparse_tensor"},
           {"ctorch._utils\n_rebuild_qtensor\n)R", "torch._utils._rebuild_qtensor"},
           {"ctorch.storage\n_load_from_bytes\n)R", "torch.storage._load_from_bytes"},
           {text("os") + text("system") + "\x93)R", "os.system"},
           {"ctorch\nfloat8_e4m3fn\n", "torch.float8_e4m3fn"},
           {tensor(0, {1}, {1}, storage(4, "ctorch\nQInt8Storage\n")), "torch.QInt8Storage"},
           {"cos\nFloatStorage\n", "os.FloatStorage"}})
    EXPECT_CONTAINS(refusal(archive(pickle)), "the file holds a " + name);
}

TEST(PtHostile, InstructionsThatTorchDoesNotWriteAreRefused) {
  EXPECT_CONTAINS(refusal(archive("(ios\nsystem\n")),
                  "the instruction INST; only those that torch.save writes are read");
  EXPECT_CONTAINS(refusal(archive("\x82\x01")), "EXT1");
  EXPECT_CONTAINS(refusal(archive("\xff")), "the instruction 255");
  EXPECT_CONTAINS(refusal(archive("N", {{"data.pkl", "\x80\x07N."}})), "protocol 7; 2 to 5 are read");
  EXPECT_CONTAINS(refusal(archive("N", {{"data.pkl", "(lp0\n."}})), "not a pickle of protocol 2 or later");
}

TEST(PtHostile, TensorsStayInsideTheirStorage) {
  struct Case {
    std::string pickle, reason;
  };
  for (const auto& [pickle, reason] : std::vector<Case>{
           {tensor(0, {5}, {1}), "exceeds its storage, which has 4"},
           {tensor(2, {3}, {1}), "exceeds its storage"},
           {tensor(5, {0}, {1}), "exceeds its storage"},
           {tensor(4, {}, {}), "exceeds its storage"},
           {tensor(0, {2, 2}, {3, 1}), "exceeds its storage"},
           {tensor(0, {2}, {huge}), "exceeds its storage"},
           {tensor(0, {3, 3}, {huge, huge}), "larger than any memory"},
           {tensor(0, {huge, 4}, {0, 0}), "larger than any memory"},
           {tensor(0, {0, huge, 4}, {0, 0, 0}), "larger than any memory"},
           {tensor(0, {-1}, {1}), "a size or stride that is no number from 0"},
           {tensor(0, {2}, {-1}), "a size or stride that is no number from 0"},
           {tensor(-1, {2}, {1}), "offset is no number from 0"},
           {tensor(0, {2}, {1, 1}), "sizes [2] and strides [1, 1]"},
           {tensor(0, std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1)), "more than 64 dimensions"},
           {tensor(0, {1}, {1}, storage(5)), "storage 0 has 16 bytes, which are not 5 elements of 4"},
           {tensor(0, {1}, {1}, storage(huge)), "storage 0 has 16 bytes"},
           {tensor(0, {1}, {1}, storage(-1)), "a storage that is not described as PyTorch does"},
           {tensor(0, {1}, {1}, storage(4, "ctorch\nFloatStorage\n", "1")), "the file lacks storage 1"},
           {tensor(0, {1}, {1}, "N"), "a tensor without a storage"}})
    EXPECT_CONTAINS(refusal(archive(pickle)), reason);
}

TEST(PtHostile, OverlappingStridesAreRead) {
  const Tensor x = read(archive(tensor(0, {3, 2}, {1, 1}))).tensor();
  EXPECT_TRUE(x.layout().may_overlap());
  EXPECT_EQ(x.to_vector<float>().size(), 6u);
}

TEST(PtHostile, BoolsAndUnsignedNumbersAreChecked) {
  const std::string bools = tensor(0, {16}, {1}, storage(16, "ctorch\nBoolStorage\n"));
  EXPECT_CONTAINS(refusal(archive(bools, {{"data/0", std::string(16, '\2')}})), "storage 0 has a bool of 2");
  const std::string wide = "ctorch._utils\n_rebuild_tensor_v3\n(" + storage(16, "ctorch.storage\nUntypedStorage\n") +
                           number(0) + numbers({2}) + numbers({1}) + "\x89}ctorch\nuint64\ntR";
  EXPECT_EQ(read(archive(wide)).tensor().dtype(), int64);
  EXPECT_CONTAINS(refusal(archive(wide, {{"data/0", std::string(16, '\xff')}})), "does not fit int64");
}

TEST(PtHostile, CirclesDeepNestingAndBombsAreRefused) {
  EXPECT_CONTAINS(refusal(archive("]q\1h\1a")), "an object that contains itself");
  EXPECT_CONTAINS(refusal(archive("}q\1" + text("a") + "h\1s")), "an object that contains itself");
  EXPECT_CONTAINS(refusal(archive("ctorch._utils\n_rebuild_parameter\n]q\1\x85R")), "a parameter that is no tensor");
  std::string deep(100000, ']');
  EXPECT_CONTAINS(refusal(archive(deep + std::string(99999, 'a'))), "nested deeper than 100 levels");
  std::string bomb = "]q" + std::string(1, '\0');  // each list holds the one before twice
  for (char i = 1; i < 60; ++i)
    bomb += str("]q", i, "(h", static_cast<char>(i - 1), "h", static_cast<char>(i - 1), "e");
  EXPECT_CONTAINS(refusal(archive("(" + bomb + "t")), "the same objects stand in each other too often");
}

TEST(PtHostile, TextsAreUtf8AndStacksDoNotUnderflow) {
  EXPECT_CONTAINS(refusal(archive(text("\xc0\x80"))), "a text that is not UTF-8");
  EXPECT_CONTAINS(refusal(archive(std::string("X\xff\xff\xff\x7f", 5))), "the pickle is truncated");
  EXPECT_CONTAINS(refusal(archive("\x86")), "lacks its value");
  EXPECT_CONTAINS(refusal(archive("e")), "lacks its mark");
  EXPECT_CONTAINS(refusal(archive("(N0"
                                  "0")),
                  "lacks its value");
  EXPECT_CONTAINS(refusal(archive("NN")), "more than one value");
  EXPECT_CONTAINS(refusal(archive("h\5")), "value 5 is used before it is made");
  EXPECT_CONTAINS(refusal(archive("N}b")), "lacks its object");
  EXPECT_CONTAINS(refusal(archive("N.N")), "something follows the pickle");
}

TEST(PtHostile, RecordsAreChecked) {
  EXPECT_CONTAINS(refusal(archive("N", {{"version", "11"}})), "the archive's version is \"11\"; 1 to 10 are read");
  EXPECT_CONTAINS(refusal(archive("N", {{"version", "x"}})), "the archive's version is \"x\"");
  EXPECT_CONTAINS(refusal(archive("N", {{".data/version", "99"}})), "the archive's version is \"99\"");
  EXPECT_CONTAINS(refusal(archive("N", {{".format_version", "2"}})), "format version is \"2\"; 1 is read");
  EXPECT_CONTAINS(refusal(archive("N", {{"byteorder", "middle"}})), "byte order is \"middle\"");
  EXPECT_CONTAINS(refusal("PK\x03\x04"), "not a zip archive");
  EXPECT_CONTAINS(refusal("\x80\x02N."), "a pickle, but none that torch.save wrote");
  EXPECT_CONTAINS(refusal("hello"), "not a PyTorch file");
  EXPECT_CONTAINS(refusal(""), "not a PyTorch file");
}

TEST(PtHostile, NamesOfAStateAreDistinct) {
  const std::string twice =
      "}(" + text("a.b") + tensor(0, {1}, {1}) + text("a") + "}" + text("b") + tensor(0, {1}, {1}) + "su";
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_pt_state(bytes_of(archive(twice)), "f.pt"); }),
                  "two tensors are called a.b");
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_pt_state(bytes_of(archive("})Ns")), "f.pt"); }),
                  "a dict's key that is a tuple is no name");
}

TEST(PtHostile, EveryTruncationAndManyChangedBytesAreHandled) {
  for (const char* name : {"legacy-1.13.1.pt", "protocol5.pt", "oldest.pt"}) {
    const std::string good = content_of(std::string(MINIMA_FIXTURES "/pt/") + name);
    const std::size_t end = good.find_last_not_of('\0');  // a tar archive's padding may be shorter
    for (std::size_t size = 0; size < end; size += size < 1000 ? 1 : 13)
      EXPECT_THROW(read(good.substr(0, size)), FormatError) << name << " " << size;
    for (std::size_t i = 0; i < good.size(); i += 3) {
      std::string changed = good;
      changed[i] = static_cast<char>(changed[i] + 1);
      try {
        read_pt(bytes_of(changed), "x", {.verify = false});
      } catch (const FormatError&) {}
    }
  }
}

}  // namespace
}  // namespace minima::pt_hostile_test
