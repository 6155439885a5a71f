#include <minima/io/tensors/safetensors.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <cstring>

namespace minima::safetensors_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;

/// A file with this header and this many zero bytes of data.
std::string file_of(const std::string& header, std::size_t data_bytes) {
  std::string out;
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(header.size() >> shift & 0xFFu);
  return out + header + std::string(data_bytes, '\0');
}

TEST(Safetensors, RoundTripsEveryDtypeAndShape) {
  const TemporaryFolder folder;
  State state;
  for (int d = 0; d < real_dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    dispatch<all_types>(dtype, "test", [&]<class T> {
      const T values[6] = {T(0), T(1), T(1), T(0), T(1), T(1)};
      state.add(name(dtype), from_values(values, 6, {2, 3}));
    });
  }
  state.add("scalar", scalar_tensor(2.5));
  state.add("empty", empty({3, 0, 2}));
  state.add("last.odd", from_vector<std::uint8_t>({7, 8, 9}, {3}));
  state.set_text("note", "é \"quoted\"\n");
  const std::string path = folder / "all.safetensors";
  write_safetensors(path, state);

  for (const bool copy : {false, true}) {
    const State back = read_safetensors(path, {.copy = copy});
    ASSERT_EQ(back.tensors().size(), state.tensors().size());
    for (std::size_t i = 0; i < back.tensors().size(); ++i) {
      const auto& [expected_name, expected] = state.tensors()[i];
      const auto& [name, tensor] = back.tensors()[i];
      EXPECT_EQ(name, expected_name);
      EXPECT_EQ(tensor.dtype(), expected.dtype()) << name;
      EXPECT_EQ(tensor.shape(), expected.shape()) << name;
      EXPECT_EQ(tensor.to_vector<double>(), expected.to_vector<double>()) << name;
    }
    EXPECT_EQ(back.text("note"), state.text("note"));
  }
}

TEST(Safetensors, ReadsTheReferenceImplementationsFile) {
  const State state = read_safetensors(MINIMA_FIXTURES "/safetensors/official.safetensors");
  for (int d = 1; d < real_dtype_count; ++d) {
    const Tensor tensor = state.tensor(name(static_cast<DType>(d)));
    EXPECT_EQ(tensor.dtype(), static_cast<DType>(d));
    EXPECT_EQ(tensor.to_vector<double>(), (std::vector<double>{0, 3, 3, 3, 0, 3})) << name(static_cast<DType>(d));
  }
  EXPECT_EQ(state.tensor("bool").to_vector<int>(), (std::vector<int>{0, 1, 1, 1, 0, 1}));
  EXPECT_EQ(state.tensor("scalar").item<float>(), 1.5f);
  EXPECT_EQ(state.tensor("scalar").rank(), 0);
  EXPECT_EQ(state.tensor("empty").shape(), (Shape{2, 0}));
  EXPECT_EQ(state.tensor("layers.0.weight").to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(state.text("note"), "é\n");
}

TEST(Safetensors, HoldsComplex64AndRefusesComplex128) {
  const TemporaryFolder folder;
  using Z = Complex<float>;
  State state;
  std::vector<Z> values{{1, 2}, {3, -4}, {0, 0.5}, {5, 6}};
  state.add("z", from_blob(values.data(), Layout::contiguous({2, 2}).transposed(0, 1), {.dtype = complex64}));
  write_safetensors(folder / "x", state);
  for (const bool copy : {false, true}) {
    const Tensor back = read_safetensors(folder / "x", {.copy = copy}).tensor("z");
    EXPECT_EQ(back.dtype(), complex64);
    EXPECT_EQ(back.to_vector<Z>(), (std::vector<Z>{{1, 2}, {0, 0.5}, {3, -4}, {5, 6}}));
  }
  state.add("wide", empty({1}, {.dtype = complex128}));
  EXPECT_CONTAINS(message_of<DTypeError>([&] { write_safetensors(folder / "x", state); }),
                  "the format has no complex128; write view_as_real(x) instead");
}

TEST(Safetensors, WritesStridedTensorsRowMajor) {
  const TemporaryFolder folder;
  std::vector<float> values{0, 1, 2, 3, 4, 5};
  State state;
  state.add("transposed", from_blob(values.data(), Layout::contiguous({2, 3}).transposed(0, 1)));
  state.add("broadcast", from_blob(values.data() + 1, Layout::contiguous({1}).expanded({2, 2})));
  write_safetensors(folder / "x", state);
  const State back = read_safetensors(folder / "x");
  EXPECT_EQ(back.tensor("transposed").to_vector<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_TRUE(back.tensor("transposed").is_contiguous());
  EXPECT_EQ(back.tensor("broadcast").to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
}

TEST(Safetensors, IsDeterministicAndAligned) {
  const TemporaryFolder folder;
  State state;
  state.add("odd", from_vector<std::uint8_t>({1, 2, 3}, {3}));
  state.add("float", tensor<float>({1, 2}));
  state.add("double", tensor<double>({1}));
  write_safetensors(folder / "a", state);
  write_safetensors(folder / "b", state);
  const std::string bytes = content_of(folder / "a");
  EXPECT_EQ(bytes, content_of(folder / "b"));
  EXPECT_EQ((8 + static_cast<unsigned char>(bytes[0]) + 256 * static_cast<unsigned char>(bytes[1])) % 64, 0);
  for (const auto& [name, tensor] : read_safetensors(folder / "a").tensors())
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.raw_data()) % tensor.itemsize(), 0u) << name;
}

TEST(Safetensors, TensorsKeepTheMappingAliveAndWritesStayPrivate) {
  const TemporaryFolder folder;
  State state;
  state.add("w", tensor<float>({1, 2, 3}));
  const std::string path = folder / "w.safetensors";
  write_safetensors(path, state);
  const std::string before = content_of(path);
  Tensor w = read_safetensors(path).tensor("w");
  w.data<float>()[1] = 20;
  state.tensor("w").data<float>()[0] = 100;
  EXPECT_EQ(content_of(path), before);
  write_safetensors(path, state);
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{1, 20, 3})) << "replacing the file must not reach old mappings";
}

TEST(Safetensors, ReadsMisalignedData) {
  const TemporaryFolder folder;
  std::string bytes = file_of(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                              R"("f":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
                              1);
  const float value = 2.5f;
  bytes.append(reinterpret_cast<const char*>(&value), 4);
  const State state = read_safetensors(folder.file("x", bytes));
  EXPECT_EQ(state.tensor("f").item<float>(), 2.5f);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(state.tensor("f").raw_data()) % 4, 0u);
}

TEST(Safetensors, TakesAnEmptyStateAndAPaddedHeader) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", State());
  EXPECT_TRUE(read_safetensors(folder / "x").empty());
  EXPECT_TRUE(read_safetensors(folder.file("y", file_of("\n {} \t\n", 0))).empty());
}

TEST(Safetensors, HeaderOrderMayDifferFromDataOrder) {
  const TemporaryFolder folder;
  const State state =
      read_safetensors(folder.file("x", file_of(R"({"second":{"dtype":"U8","shape":[2],"data_offsets":[3,5]},)"
                                                R"("none":{"dtype":"F32","shape":[0],"data_offsets":[3,3]},)"
                                                R"("first":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})",
                                                5)));
  EXPECT_EQ(state.tensors()[0].name, "second");
}

TEST(Safetensors, WidensIntegersThatHaveNoDtype) {
  const TemporaryFolder folder;
  const std::string header = R"({"a":{"dtype":"I16","shape":[2],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"U16","shape":[1,2],"data_offsets":[4,8]},)"
                             R"("c":{"dtype":"U32","shape":[2],"data_offsets":[8,16]},)"
                             R"("d":{"dtype":"U64","shape":[2],"data_offsets":[16,32]},)"
                             R"("e":{"dtype":"U16","shape":[0,7],"data_offsets":[32,32]}})";
  std::string bytes = file_of(header, 0);
  bytes += std::string(
      "\xff\xff\x01\x80"
      "\xff\xff\x01\x80"
      "\xff\xff\xff\xff\x01\0\0\x80",
      16);
  const std::string largest = std::string(7, '\xff') + '\x7f';
  for (const bool copy : {false, true}) {
    const State state =
        read_safetensors(folder.file("x", bytes + largest + std::string("\7\0\0\0\0\0\0\0", 8)), {.copy = copy});
    EXPECT_EQ(state.tensor("a").dtype(), DType::int32);
    EXPECT_EQ(state.tensor("a").to_vector<int>(), (std::vector<int>{-1, -32767}));
    EXPECT_EQ(state.tensor("b").to_vector<int>(), (std::vector<int>{65535, 32769}));
    EXPECT_EQ(state.tensor("b").shape(), (Shape{1, 2}));
    EXPECT_EQ(state.tensor("c").dtype(), DType::int64);
    EXPECT_EQ(state.tensor("c").to_vector<std::int64_t>(), (std::vector<std::int64_t>{4294967295, 2147483649}));
    EXPECT_EQ(state.tensor("d").to_vector<std::int64_t>(), (std::vector<std::int64_t>{INT64_MAX, 7}));
    EXPECT_EQ(state.tensor("e").shape(), (Shape{0, 7}));
    const std::string too_large = folder.file("y", bytes + largest + std::string("\0\0\0\0\0\0\0\x80", 8));
    EXPECT_CONTAINS(message_of<FormatError>([&] { read_safetensors(too_large, {.copy = copy}); }),
                    "9223372036854775808 does not fit int64");
  }
}

TEST(Safetensors, WidensMoreThanOnePiece) {
  const TemporaryFolder folder;
  constexpr int sample_count = 300'000;
  std::string bytes = file_of(R"({"a":{"dtype":"U16","shape":[300000],"data_offsets":[0,600000]}})", 0);
  for (int i = 0; i < sample_count; ++i)
    bytes += static_cast<char>(i & 0xFF), bytes += static_cast<char>(i >> 8 & 0xFF);
  const std::vector<int> got = read_safetensors(folder.file("x", bytes), {.copy = true}).tensor("a").to_vector<int>();
  for (int i = 0; i < sample_count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i & 0xFFFF);
}

struct Hostile {
  const char* title;
  std::string bytes;
  const char* reason;
};

std::string entry(const char* name, const char* dtype, const char* shape, const char* offsets) {
  return std::string("\"") + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}
std::string one(const char* dtype, const char* shape, const char* offsets, std::size_t data) {
  return file_of(str("{", entry("t", dtype, shape, offsets), "}"), data);
}

std::vector<Hostile> hostile_files() {
  const std::string size_max("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  const std::string size_past_limit("\x01\xe1\xf5\x05\0\0\0\0", 8);  // 100,000,001
  std::string repeated = str("{", entry("a", "U8", "[4]", "[0,4]"));
  for (char c = 'b'; c < 'l'; ++c) repeated += str(",", entry(str(c).c_str(), "U8", "[4]", "[0,4]"));
  repeated += "}";
  return {
      {"empty file", "", "byte 0: the file ends inside the first 8 bytes"},
      {"short size", std::string(7, '\0'), "byte 7: the file ends"},
      {"no header", std::string(8, '\0'), "ends where a value should be"},
      {"header too large", size_max + "{}", "the limit is 100000000"},
      {"header one past the limit", size_past_limit + "{}", "the limit is 100000000"},
      {"header past the end of the file", std::string("\x03\0\0\0\0\0\0\0{}", 10),
       "a header of 3 bytes in a file of 10"},
      {"not UTF-8", file_of("{\"\xff\":1}", 0), "byte 10: is not UTF-8"},
      {"not JSON", file_of("hello", 0), "byte 8: expected a JSON value"},
      {"not an object", file_of("[]", 0), "expected an object"},
      {"JSON with a tail", file_of("{}{}", 0), "byte 10: something follows"},
      {"unclosed", file_of("{", 0), "byte 9: ends where a value should be"},
      {"repeated tensor",
       file_of("{" + entry("a", "U8", "[0]", "[0,0]") + "," + entry("a", "U8", "[0]", "[0,0]") + "}", 0),
       "\"a\" occurs twice"},
      {"repeated field", file_of(R"({"a":{"dtype":"U8","dtype":"F32","shape":[0],"data_offsets":[0,0]}})", 0),
       "\"dtype\" occurs twice"},
      {"repeated metadata", file_of(R"({"__metadata__":{"a":"1","a":"2"}})", 0), "\"a\" occurs twice"},
      {"unknown field", file_of(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", 0),
       "unknown key \"x\""},
      {"nameless tensor", file_of(str("{", entry("", "U8", "[0]", "[0,0]"), "}"), 0), "without a name"},
      {"missing dtype", file_of(R"({"a":{"shape":[0],"data_offsets":[0,0]}})", 0), "lacks dtype"},
      {"missing shape", file_of(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})", 0), "lacks shape"},
      {"missing offsets", file_of(R"({"a":{"dtype":"U8","shape":[0]}})", 0), "lacks data_offsets"},
      {"unknown dtype", one("F4", "[0]", "[0,0]", 0), "byte 22: tensor t has dtype F4, which minima does not have"},
      {"lower-case dtype", one("f32", "[1]", "[0,4]", 4), "tensor t has dtype f32"},
      {"eight-bit floats", one("F8_E4M3", "[1]", "[0,1]", 1),
       "tensor t has dtype F8_E4M3, which minima does not have; convert it to one of BOOL, U8"},
      {"complex numbers", one("C128", "[1]", "[0,16]", 16), "tensor t has dtype C128"},
      {"control characters in a name", file_of(R"({"\u001b[31m":{"dtype":"U8"}})", 0), "tensor \\x1b[31m lacks shape"},
      {"metadata not a string", file_of(R"({"__metadata__":{"a":1}})", 0), "expected a string"},
      {"metadata not an object", file_of(R"({"__metadata__":"x"})", 0), "expected an object"},
      {"negative size", one("U8", "[-1]", "[0,0]", 0), "not negative"},
      {"fractional size", one("U8", "[1.0]", "[0,1]", 1), "expected an integer"},
      {"huge size", one("U8", "[9223372036854775808]", "[0,0]", 0), "a size of 9223372036854775808"},
      {"larger than 64 bits", one("U8", "[18446744073709551616]", "[0,0]", 0), "does not fit a 64-bit integer"},
      {"element count overflow", one("U8", "[4294967296,4294967296]", "[0,0]", 0), "larger than any memory"},
      {"overflow hidden by zero", one("U8", "[4294967296,4294967296,0]", "[0,0]", 0), "larger than any memory"},
      {"overflow of int64 hidden by zero", one("U8", "[4294967295,4294967295,0]", "[0,0]", 0),
       "larger than any memory"},
      {"byte count overflow", one("F64", "[2305843009213693952]", "[0,0]", 0), "larger than any memory"},
      {"too many dimensions",
       one("U8",
           ("[1" +
            [] {
              std::string s;
              for (int i = 0; i < 64; ++i) s += ",1";
              return s;
            }() +
            "]")
               .c_str(),
           "[0,1]", 1),
       "more than 64 dimensions"},
      {"shape larger than offsets", one("F32", "[2]", "[0,4]", 4), "needs 8 bytes, but data_offsets span 4"},
      {"shape smaller than offsets", one("F32", "[1]", "[0,8]", 8), "needs 4 bytes, but data_offsets span 8"},
      {"offsets reversed", one("U8", "[1]", "[1,0]", 1), "ends before it begins"},
      {"offsets negative", one("U8", "[1]", "[-1,0]", 1), "not negative"},
      {"one offset", one("U8", "[1]", "[0]", 1), "fewer than two"},
      {"three offsets", one("U8", "[1]", "[0,1,2]", 1), "more than two"},
      {"overlap", file_of("{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[2,6]") + "}", 6),
       "inside another tensor's"},
      {"ten tensors on the same bytes", file_of(repeated, 4), "inside another tensor's"},
      {"gap", file_of("{" + entry("a", "U8", "[1]", "[0,1]") + "," + entry("b", "U8", "[1]", "[2,3]") + "}", 3),
       "after a gap"},
      {"gap at the start", one("U8", "[1]", "[1,2]", 2), "after a gap"},
      {"trailing bytes", one("U8", "[1]", "[0,1]", 2), "the tensors fill 1 of 2 bytes"},
      {"bytes without tensors", file_of("{}", 1), "the tensors fill 0 of 1 bytes"},
      {"two bytes short", one("U8", "[4]", "[0,4]", 2), "only 2 bytes of data"},
      {"a bool of two",
       [] {
         std::string s = one("BOOL", "[2]", "[0,2]", 2);
         s.back() = 2;
         return s;
       }(),
       "has a bool of 2"},
      {"deep nesting", file_of(std::string(100'000, '['), 0), "expected an object"},
      {"deep nesting inside", file_of("{\"__metadata__\":{\"a\":" + std::string(100'000, '['), 0), "expected a string"},
  };
}

TEST(Safetensors, RefusesHostileFilesWithPathAndReason) {
  const TemporaryFolder folder;
  for (const Hostile& hostile : hostile_files()) {
    const std::string path = folder.file("hostile.safetensors", hostile.bytes);
    for (const bool copy : {false, true}) {
      const std::string message = message_of<FormatError>([&] { read_safetensors(path, {.copy = copy}); });
      EXPECT_EQ(message.find(path + ": byte "), 0u) << hostile.title << ": " << message;
      EXPECT_NE(message.find(hostile.reason), std::string::npos) << hostile.title << ": " << message;
    }
  }
}

TEST(Safetensors, SaysWhatAnotherFormatIsAndHowToReadIt) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    return message_of<FormatError>([&] { read_safetensors(folder.file("w.pt", bytes), {.copy = true}); });
  };
  // The first local header of a zip archive: 26 bytes, the name's length, that of the extra field, the name.
  const auto zip = [](const std::string& name) {
    return std::string("PK\x03\x04\0\0\x08\x08", 8) + std::string(18, '\0') + static_cast<char>(name.size()) +
           std::string(3, '\0') + name + std::string(600, 'x');
  };
  EXPECT_CONTAINS(message(zip("archive/data.pkl")),
                  "w.pt: byte 0: not a safetensors file but a PyTorch file: use read_pt");
  EXPECT_CONTAINS(message(std::string("\x80\x02\x8a\nl\xfc\x9c"
                                      "F\xf9 j\xa8P\x19.",
                                      15)),
                  "a PyTorch file of before 1.6");
  EXPECT_CONTAINS(message(zip("a.npy")), "use read_npz");
  EXPECT_CONTAINS(message(zip("a.txt")), "not a safetensors file but a zip archive");
  EXPECT_CONTAINS(message("\x93NUMPY\x01"), "use read_npy");
}

TEST(Safetensors, EveryTruncationAndEveryFlippedHeaderByteIsHandled) {
  const TemporaryFolder folder;
  const std::string good = content_of(MINIMA_FIXTURES "/safetensors/official.safetensors");
  const auto header_of = [](const std::string& bytes) {
    return detail::read_safetensors_header({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()},
                                           bytes.size(), "x");
  };
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(header_of(good.substr(0, size)), FormatError) << size;
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int bit : {0, 1, 4, 7}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      try {
        for (const auto& entry : header_of(bad).entries) EXPECT_LE(entry.end, bad.size());
      } catch (const FormatError&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 1000);
}

TEST(Safetensors, ManyTensorsTakeLinearTime) {
  const TemporaryFolder folder;
  std::string header = "{";
  for (int i = 0; i < 200'000; ++i)
    header += str(i ? ",\"t" : "\"t", i, R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})");
  EXPECT_EQ(read_safetensors(folder.file("x", file_of(header + "}", 0))).tensors().size(), 200'000u);
}

TEST(Safetensors, WriterRefusesWithoutTouchingTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x", "old");
  State reserved;
  reserved.add("__metadata__", scalar_tensor(1));
  EXPECT_THROW(write_safetensors(path, reserved), ValueError);
  State invalid;
  invalid.add("\xff", scalar_tensor(1));
  EXPECT_THROW(write_safetensors(path, invalid), ValueError);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.names().size(), 1u);
}

}  // namespace
}  // namespace minima::safetensors_test
