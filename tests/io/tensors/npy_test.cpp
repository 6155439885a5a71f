#include <minima/io/tensors/npy.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/support/temporary_folder.h"

#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

namespace minima::npy_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;
using Values = std::vector<double>;

const std::string fixtures = MINIMA_FIXTURES "/npy/";

TEST(Npy, ReadsWhatNumPyWrites) {
  for (const char* archive : {"stored.npz", "deflated.npz"}) {
    const State state = read_npz(fixtures + archive);
    const auto values = [&](const char* name) { return state.tensor(name).to_vector<double>(); };
    EXPECT_EQ(values("b1"), (Values{0, 1, 0, 1, 0, 1}));
    EXPECT_EQ(values("u1"), (Values{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(values("i2"), (Values{0, -1000, -2000, -3000, -4000, -5000}));
    EXPECT_EQ(values("u2"), (Values{0, 10000, 20000, 30000, 40000, 50000}));
    EXPECT_EQ(values("u4"), (Values{0, 800000000, 1600000000, 2400000000, 3200000000, 4000000000}));
    for (const char* name : {"i1", "i4", "i8", "big_i4", "big_i8"})
      EXPECT_EQ(values(name), (Values{0, -1, -2, -3, -4, -5})) << name;
    for (const char* name : {"f2", "f4", "f8", "big_f4", "big_f8"})
      EXPECT_EQ(values(name), (Values{0, 0.5, 1, 1.5, 2, 2.5})) << name;
    EXPECT_EQ(values("big_i2"), values("i2"));
    EXPECT_EQ(state.tensor("f2").dtype(), DType::float16);
    EXPECT_EQ(state.tensor("u4").dtype(), DType::int64);
    EXPECT_EQ(state.tensor("f4").shape(), (Shape{2, 3}));
    EXPECT_EQ(state.tensor("scalar").rank(), 0);
    EXPECT_EQ(state.tensor("scalar").item<double>(), 2.5);
    EXPECT_EQ(state.tensor("empty").shape(), (Shape{0, 3}));
    Values ascending(24);
    for (int i = 0; i < 24; ++i) ascending[static_cast<std::size_t>(i)] = i;
    EXPECT_EQ(values("fortran"), ascending);
  }
}

TEST(Npy, MapsPlainFilesAndKeepsFortranStrides) {
  EXPECT_EQ(read_npy(fixtures + "plain.npy").to_vector<double>(), (Values{0, 0.5, 1, 1.5, 2, 2.5}));
  const Tensor x = read_npy(fixtures + "fortran.npy");
  EXPECT_EQ(x.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.strides(), (Strides{1, 2, 6}));
  EXPECT_EQ(x.to_vector<float>()[23], 23);
}

TEST(Npy, NeverReadsPickle) {
  EXPECT_CONTAINS(message_of<FormatError>([] { read_npy(fixtures + "objects.npy"); }), "Python objects (pickle)");
}

TEST(Npy, WritesWhatItReads) {
  const TemporaryFolder folder;
  for (int d = 0; d < real_dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (dtype == DType::bfloat16) continue;
    dispatch<all_types>(dtype, "test", [&]<class T> {
      const T values[6] = {T(0), T(1), T(1), T(0), T(1), T(1)};
      write_npy(folder / "x.npy", from_values(values, 6, {3, 2}));
    });
    const Tensor back = read_npy(folder / "x.npy");
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.shape(), (Shape{3, 2}));
    EXPECT_EQ(back.to_vector<double>(), (Values{0, 1, 1, 0, 1, 1}));
  }
  write_npy(folder / "s.npy", scalar_tensor(3));
  EXPECT_EQ(read_npy(folder / "s.npy").rank(), 0);
  std::vector<float> values{0, 1, 2, 3};
  write_npy(folder / "t.npy", from_blob(values.data(), Layout::contiguous({2, 2}).transposed(0, 1)));
  EXPECT_EQ(read_npy(folder / "t.npy").to_vector<double>(), (Values{0, 2, 1, 3}));
  EXPECT_THROW(write_npy(folder / "b.npy", empty({1}, {.dtype = DType::bfloat16})), DTypeError);
}

TEST(Npy, HoldsComplexNumbers) {
  const TemporaryFolder folder;
  const std::vector<Complex<double>> values{{1, 2}, {3, -4}, {0, 0.5}};
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const bool wide = dtype == DType::complex128;
    write_npy(folder / "x.npy",
              wide ? from_vector(values, {3}) : from_vector<Complex<float>>({{1, 2}, {3, -4}, {0, 0.5}}, {3}));
    const Tensor back = read_npy(folder / "x.npy");
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.to_vector<Complex<double>>(), values);
  }
}

std::string npy(const std::string& dictionary, const std::string& data) {
  std::string out("\x93NUMPY\x01\0", 8);
  out += static_cast<char>(dictionary.size() & 0xFF);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary + data;
}

TEST(Npy, ReadsUint64ThatFitsInt64) {
  const TemporaryFolder folder;
  const auto file = [&](const char* descr, const std::string& data) {
    return folder.file("x.npy",
                       npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,)}", data));
  };
  const std::string seven("\7\0\0\0\0\0\0\0", 8), most = std::string(7, '\xff') + '\x7f';
  const Tensor x = read_npy(file("<u8", seven + most));
  EXPECT_EQ(x.dtype(), DType::int64);
  EXPECT_EQ(x.to_vector<std::int64_t>(), (std::vector<std::int64_t>{7, INT64_MAX}));
  EXPECT_EQ(read_npy(file(">u8", std::string("\0\0\0\0\0\0\0\7\0\0\0\0\0\0\1\0", 16))).to_vector<int>(),
            (std::vector<int>{7, 256}));
  const std::string past("\0\0\0\0\0\0\0\x80", 8);
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_npy(file("<u8", seven + past)); }),
                  "9223372036854775808 does not fit int64");
  EXPECT_THROW(read_npy(file(">u8", seven + std::string(8, '\xff'))), FormatError);
}

TEST(Npy, RefusesHostileFilesWithPathAndReason) {
  const TemporaryFolder folder;
  const auto of = [](const char* descr, const char* shape, std::size_t bytes) {
    return npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + "}",
               std::string(bytes, '\0'));
  };
  const struct {
    std::string bytes;
    const char* reason;
  } cases[] = {
      {"", "byte 0: not a .npy file"},
      {"\x93NUMPZ\x01", "not a .npy file"},
      {std::string("\x93NUMPY\x01\0", 8), "ends inside its header"},
      {std::string("\x93NUMPY\x04\0\0\0\0\0", 12), "unknown version 4.0"},
      {std::string("\x93NUMPY\x01\0\xff\x7f", 10), "the limit is 10000"},
      {std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12), "the limit is 10000"},
      {std::string("\x93NUMPY\x01\0\x20\0{", 11), "ends inside its header"},
      {of("<f4", "(2,)", 7), "needs 8 bytes, but the file has 7"},
      {of("<f4", "(2,)", 9), "needs 8 bytes, but the file has 9"},
      {of("<f4", "(9223372036854775807, 9)", 0), "larger than any memory"},
      {of("<u2", "(4611686018427387904,)", 0), "larger than any memory"},
      {of("<f4", "(9223372036854775807, 9, 0)", 0), "larger than any memory"},
      {of("<f4", "(0, 9223372036854775807, 9)", 0), "larger than any memory"},
      {of("|u1", "(0, 9223372036854775807, 2, 0)", 0), "larger than any memory"},
      {of("<f4", "(-1,)", 0), "expected a size"},
      {of("<f4", "(1.5,)", 4), "expected )"},
      {of("<f4", "(99999999999999999999,)", 4), "expected a size"},
      {of("<f4", "2", 8), "expected ("},
      {of("<c4", "(1,)", 4), "the type <c4 is not supported"},
      {of("<U3", "(1,)", 12), "the type <U3 is not supported"},
      {of("f4", "(1,)", 4), "the type f4 is not supported"},
      {of("|f4", "(1,)", 4), "the type |f4 is not supported"},
      {of("", "(1,)", 4), "is not supported"},
      {of("|O", "(1,)", 8), "pickle"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"), "records"},
      {npy("{'descr': '<f4', 'shape': (1,)}", "abcd"), "lacks fortran_order"},
      {npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcd"),
       "unknown or repeated key \"descr\""},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", "abcd"), "unknown or repeated key \"x\""},
      {npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "abcd"), "expected True or False"},
      {npy("{'descr': '<f4", "abcd"), "does not end"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "abcd"), "something follows"},
      {npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x01\x02"), "a bool of 2"},
  };
  for (const auto& hostile : cases) {
    const std::string path = folder.file("hostile.npy", hostile.bytes);
    const std::string message = message_of<FormatError>([&] { read_npy(path); });
    EXPECT_EQ(message.find(path + ": byte "), 0u) << message;
    EXPECT_CONTAINS(message, hostile.reason);
  }
}

TEST(Npz, EveryTruncationIsRefusedAndEveryFlippedByteIsHandled) {
  const auto read = [](const std::string& bytes) {
    return read_npz({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, "x");
  };
  for (const char* archive : {"stored.npz", "deflated.npz"}) {
    const std::string good = content_of(fixtures + archive);
    EXPECT_EQ(read(good).tensors().size(), 19u);
    for (std::size_t size = 0; size < good.size(); size += 7)
      EXPECT_THROW(read(good.substr(0, size)), FormatError) << size;
    int refused = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x41);
      try {
        read(bad);
      } catch (const FormatError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, static_cast<int>(good.size() / 3))
        << "what is left are times, attributes and other bytes without meaning";
  }
}

/// A zip archive with one stored member, whose fields tests can corrupt.
struct OneEntry {
  std::string name = "a.npy", local_name = "a.npy", content = "x";
  std::uint32_t method = 0, flags = 0, compressed = 1, size = 1, offset = 0, crc = 0, entries = 1, copies = 1;
  std::string comment = "";

  static std::string number(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> 8 * i & 0xFF : 0);
    return out;
  }
  std::string bytes() const {
    const std::string common =
        number(flags, 2) + number(method, 2) + number(0, 4) + number(crc, 4) + number(compressed, 4) + number(size, 4);
    std::string out =
        "PK\3\4" + number(20, 2) + common + number(local_name.size(), 2) + number(0, 2) + local_name + content;
    const std::size_t start = out.size();
    for (std::uint32_t i = 0; i < copies; ++i)
      out += "PK\1\2" + number(20, 2) + number(20, 2) + common + number(name.size(), 2) + number(0, 12) +
             number(offset, 4) + name;
    const std::size_t directory = out.size() - start;
    return out + "PK\5\6" + number(0, 4) + number(entries, 2) + number(entries, 2) + number(directory, 4) +
           number(start, 4) + number(comment.size(), 2) + comment;
  }
};

TEST(Npz, RefusesHostileArchives) {
  const TemporaryFolder folder;
  const struct {
    OneEntry archive;
    const char* reason;
  } cases[] = {
      {{}, "wrong checksum"},
      {{.name = "a.txt", .local_name = "a.txt"}, "a.txt is not an array"},
      {{.name = ".npy", .local_name = ".npy"}, "is not an array"},
      {{.name = "", .local_name = ""}, "without a name"},
      {{.local_name = "b.npy"}, "the directory and the local header disagree"},
      {{.flags = 1}, "is encrypted"},
      {{.method = 12}, "compression method 12"},
      {{.size = 2}, "two different sizes"},
      {{.compressed = 100, .size = 100}, "do not fit"},
      {{.method = 8, .size = 0x7fffffff}, "cannot inflate to 2147483647"},
      {{.offset = 5}, "the local header is missing"},
      {{.offset = 0xfffffff0}, "the local header is missing"},
      {{.offset = 0xffffffff}, "the local header is missing"},
      {{.entries = 2}, "the directory has 1 members, but the end record says 2"},
      {{.entries = 2, .copies = 2}, "overlaps"},
      {{.entries = 0xffff}, "zip64 locator is missing"},
  };
  for (const auto& hostile : cases) {
    const std::string path = folder.file("hostile.npz", hostile.archive.bytes());
    const std::string message = message_of<FormatError>([&] { read_npz(path); });
    EXPECT_EQ(message.find(path + ": byte "), 0u) << message;
    EXPECT_CONTAINS(message, hostile.reason);
  }
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_npz(folder.file("x", "not a zip")); }), "not a zip archive");
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_npz(folder.file("x", std::string(100, 'x'))); }), "no end record");
}

#ifndef __SANITIZE_ADDRESS__  // which reserves address space itself
TEST(Npz, AnArrayIsInMemoryOnce) {
  constexpr std::size_t byte_count = 64u << 20;
  std::string content = npy(str("{'descr': '|u1', 'fortran_order': False, 'shape': (", byte_count, ",)}"), "");
  content.resize(content.size() + byte_count);
  OneEntry archive{.method = 8};
  archive.size = static_cast<std::uint32_t>(content.size());
  archive.crc = static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(content.data()), archive.size));
  z_stream stream{};
  ::deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  archive.content.assign(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(archive.content.data());
  stream.avail_out = static_cast<uInt>(archive.content.size());
  ::deflate(&stream, Z_FINISH);
  archive.content.resize(stream.total_out);
  ::deflateEnd(&stream);
  archive.compressed = static_cast<std::uint32_t>(archive.content.size());
  const std::string bytes = archive.bytes();
  content = std::string();

  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  rlimit limit = before;
  limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + byte_count * 7 / 4;
  ::setrlimit(RLIMIT_AS, &limit);
  State state;
  EXPECT_NO_THROW(state = read_npz(std::as_bytes(std::span(bytes.data(), bytes.size())), "x"));
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(state.tensor("a").numel(), static_cast<std::int64_t>(byte_count));
}
#endif

TEST(Npz, TakesACommentBehindTheArchive) {
  const TemporaryFolder folder;
  OneEntry archive{.content = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "\x07")};
  archive.comment = "written by hand";
  archive.size = archive.compressed = static_cast<std::uint32_t>(archive.content.size());
  archive.crc =
      static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(archive.content.data()), archive.size));
  EXPECT_EQ(read_npz(folder.file("x.npz", archive.bytes())).tensor("a").item<int>(), 7);
}

}  // namespace
}  // namespace minima::npy_test
