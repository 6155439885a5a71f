#include <minima/io/archives/tar.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include "tests/data/datasets/tar_builder.h"
#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace minima::tar_test {
namespace {

using test::gzip;
using test::message_of;
using test::tar_end;
using test::tar_file;
using test::tar_header;

/// Name and content of every file in an archive.
std::vector<std::pair<std::string, std::string>> files_of(const std::string& archive) {
  const auto source = open_bytes(std::as_bytes(std::span(archive.data(), archive.size())), "a.tar");
  TarReader tar(*source, "a.tar");
  TarReader::Entry entry;
  std::vector<std::pair<std::string, std::string>> files;
  while (tar.next(entry)) {
    std::string content;
    if (files.size() % 3 != 2) tar.read(entry, content);  // some are skipped
    files.emplace_back(entry.name, content);
  }
  return files;
}

TEST(TarReader, ReadsNamesOfAllKinds) {
  const std::string long_name = "deep/" + std::string(150, 'x') + ".txt";
  std::string archive = tar_file("dir/", "", '5') + tar_file("a.txt", "hello") + tar_file("link", "", '2') +
                        tar_file("././@LongLink", long_name + '\0', 'L') + tar_file("cut", "long") +
                        tar_file("pax", str(long_name.size() + 10, " path=", long_name, "\n"), 'x') +
                        tar_file("cut", std::string(600, 'p')) + tar_file("g", "20 comment=whatever\n", 'g') +
                        tar_file("empty", "") + tar_end();
  std::string prefixed = tar_header("name", 3);
  const auto files = files_of(archive);
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0], (std::pair<std::string, std::string>("a.txt", "hello")));
  EXPECT_EQ(files[1], (std::pair<std::string, std::string>(long_name, "long")));
  EXPECT_EQ(files[2].first, long_name);
  EXPECT_EQ(files[3], (std::pair<std::string, std::string>("empty", "")));
  EXPECT_EQ(files_of(gzip(archive)), files);
  EXPECT_TRUE(files_of(tar_end()).empty());
}

TEST(TarReader, EndsWhereEveryWriterEndsAnArchive) {
  const std::string two = tar_file("a.txt", "hello") + tar_file("b.txt", std::string(700, 'b'));
  const auto count = [](const std::string& archive) { return files_of(archive).size(); };
  EXPECT_EQ(count(two + tar_end()), 2u) << "two blocks of zeros: Go, Rust, libarchive";
  EXPECT_EQ(count(two + std::string(10240 - two.size() % 10240, '\0')), 2u)
      << "filled up to a record: GNU tar, Python, WebDataset";
  EXPECT_EQ(count(two + std::string(512, '\0')), 2u) << "one block: nothing is missing";
  EXPECT_EQ(count(two + std::string(21 * 512, '\0')), 2u) << "the most that filling up gives";

  const auto message = [](const std::string& archive) { return message_of<FormatError>([&] { files_of(archive); }); };
  for (const auto& pack :
       {+[](const std::string& text) { return text; }, +[](const std::string& text) { return gzip(text); }}) {
    EXPECT_CONTAINS(message(pack(two)), "a.tar: byte 2560: the archive does not end in a block of zeros: truncated?");
    EXPECT_CONTAINS(message(pack(two + tar_end() + two + tar_end())),
                    "a.tar: byte 3584: data after the end of the archive at byte 2560");
    std::string zeroed = two + tar_end();
    zeroed.replace(1024, 512, 512, '\0');  // the header of b.txt
    EXPECT_CONTAINS(message(pack(zeroed)), "a.tar: byte 1536: data after the end of the archive at byte 1024");
    EXPECT_CONTAINS(message(pack(two + std::string(22 * 512, '\0'))),
                    "a.tar: byte 2560: the archive ends in more zeros than its end marker has");
    EXPECT_CONTAINS(message(pack(std::string(30'000, '\0'))), "a.tar: byte 0: the archive ends in more zeros");
  }
  EXPECT_CONTAINS(message(""), "a.tar: byte 0: an empty file, not a tar archive");
  EXPECT_CONTAINS(message(tar_file("././@LongLink", std::string(150, 'x'), 'L') + tar_end()),
                  "without the file it describes");
}

/// WebDataset's TarWriter is Python's tarfile with mode `w|`.
TEST(TarReader, ReadsWhatTarAndPythonWrite) {
  const test::TemporaryFolder folder;
  folder.file("a.txt", "hello");
  folder.file("b.txt", std::string(700, 'b'));
  const std::string out = folder / "out.tar", inside = "-C " + folder.path() + " a.txt b.txt";
  const auto python = [&](const std::string& mode) {
    return "python3 -c \"import tarfile; t = tarfile.open('" + out + "', '" + mode + "'); [t.add('" + folder.path() +
           "/' + n, n) for n in ('a.txt', 'b.txt')]; t.close()\"";
  };
  int written = 0;
  for (const std::string& command :
       {"tar -cf " + out + " " + inside, "tar --format=pax -cf " + out + " " + inside,
        "tar --format=v7 -b 1 -cf " + out + " " + inside, python("w"), python("w|"), python("w|gz")}) {
    if (std::system((command + " 2> /dev/null").c_str()) != 0) continue;
    ++written;
    const auto files = files_of(test::content_of(out));
    ASSERT_EQ(files.size(), 2u) << command;
    EXPECT_EQ(files[0].second, "hello") << command;
    EXPECT_EQ(files[1].second, std::string(700, 'b')) << command;
  }
  if (written == 0) GTEST_SKIP() << "neither tar nor python3 is installed";
}

TEST(TarReader, EscapesControlCharactersInNames) {
  const auto files = files_of(tar_file("a\x1b[31m\n.txt", "x") + tar_end());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].first, "a\\x1b[31m\\x0a.txt");
}

/// As Python's tarfile does.
TEST(TarReader, TakesChecksumsOfSignedBytes) {
  std::string archive = tar_file("caf\xc3\xa9.txt", "x") + tar_end();
  std::int64_t sum = 0;
  for (int i = 0; i < 512; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<signed char>(archive[static_cast<std::size_t>(i)]);
  std::snprintf(&archive[148], 8, "%06o", static_cast<unsigned>(sum));
  const auto files = files_of(archive);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].first, "caf\xc3\xa9.txt");
}

TEST(TarReader, RefusesSparseFiles) {
  const auto message = [](const std::string& archive) { return message_of<FormatError>([&] { files_of(archive); }); };
  EXPECT_CONTAINS(message(tar_file("a", "x", 'S') + tar_end()), "a.tar: byte 0: sparse files are not supported");
  EXPECT_CONTAINS(message(tar_file("pax", "22 GNU.sparse.major=1\n", 'x') + tar_file("a", "b") + tar_end()), "sparse");
}

TEST(TarReader, RefusesWhatIsBroken) {
  const std::string good = tar_file("a.txt", std::string(1000, 'a')) + tar_end();
  const auto message = [](const std::string& archive) { return message_of<FormatError>([&] { files_of(archive); }); };
  EXPECT_CONTAINS(message(good.substr(0, 700)), "a.tar: byte 700: the archive ends inside a.txt");
  EXPECT_CONTAINS(message(good.substr(0, 300)), "ends inside a header");
  std::string bad = good;
  bad[3] = 'X';
  EXPECT_CONTAINS(message(bad), "a.tar: byte 0: not a tar header: wrong checksum");
  EXPECT_CONTAINS(message(tar_header("huge", 077777777777) + "x"),
                  "huge has 8589934591 bytes; the limit is 2147483648");
  EXPECT_CONTAINS(message(tar_header("large", 1 << 30) + "x"), "ends inside large")
      << "no gigabyte is asked for before it is there";
  EXPECT_CONTAINS(message(tar_file("pax", "99 path=x\n", 'x')), "malformed pax header");
  EXPECT_CONTAINS(message(tar_file("pax", "11 size=-5\n", 'x') + tar_file("a", "b")), "malformed pax header");
  EXPECT_CONTAINS(message(tar_header("x", 1 << 22, 'L')), "extended header of 4194304 bytes");
  EXPECT_CONTAINS(message(gzip(good).substr(0, 40)), "truncated");
}

}  // namespace
}  // namespace minima::tar_test
