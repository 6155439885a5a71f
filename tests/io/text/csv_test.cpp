#include <minima/io/text/csv.h>
#include <minima/tensor/base/error.h>

#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <limits>

namespace minima::csv_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;

TEST(CsvWriter, WritesNumbersShortAndExact) {
  const TemporaryFolder folder;
  CsvWriter log(folder / "log.csv", {"a", "b", "c", "d"});
  log.row(0.1f, 0.1, -3, std::numeric_limits<std::uint64_t>::max());
  log.row(1e-20f, 1.0 / 3, true, std::size_t{7});
  EXPECT_EQ(content_of(folder / "log.csv"), "a,b,c,d\n0.1,0.1,-3,18446744073709551615\n1e-20,0.3333333333333333,1,7\n");
}

TEST(CsvWriter, QuotesWhatNeedsIt) {
  const TemporaryFolder folder;
  CsvWriter log(folder / "log.csv", {"name, first", "note"});
  log.row("a \"b\"", std::string("two\nlines"));
  log.row("plain", "");
  EXPECT_EQ(content_of(folder / "log.csv"), "\"name, first\",note\n\"a \"\"b\"\"\",\"two\nlines\"\nplain,\n");
}

TEST(CsvWriter, ARowOfOneEmptyTextIsNoEmptyLine) {
  const TemporaryFolder folder;
  CsvWriter log(folder / "log.csv", {"note"});
  log.row("");
  EXPECT_EQ(content_of(folder / "log.csv"), "note\n\"\"\n");
}

TEST(CsvWriter, RowsAreInTheFileAtOnce) {
  const TemporaryFolder folder;
  CsvWriter log(folder / "log.csv", {"a"});
  log.row(1);
  EXPECT_EQ(content_of(folder / "log.csv"), "a\n1\n");
}

TEST(CsvWriter, StartsAnewOverAnOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.csv", "something old and long\n1\n2\n");
  CsvWriter log(path, {"a"});
  EXPECT_EQ(content_of(path), "a\n");
}

TEST(CsvWriter, ResumeKeepsTheRowsAskedFor) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.csv", "a,b\n1,x\n2,\"y\nz\"\n3,w\n");
  CsvWriter::resume(path, {"a", "b"}, 2).row(9, "n");
  EXPECT_EQ(content_of(path), "a,b\n1,x\n2,\"y\nz\"\n9,n\n");
  CsvWriter::resume(path, {"a", "b"}, 0).row(1, "first");
  EXPECT_EQ(content_of(path), "a,b\n1,first\n");
}

TEST(CsvWriter, ARowThatDoesNotFitTheDiskLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  CsvWriter log(path, {"step", "note"});
  log.row(1, "first");
  {
    const test::FullDisk disk(content_of(path).size() + 5);
    EXPECT_CONTAINS(message_of<FileError>([&] { log.row(2, "does not fit"); }), path + ": cannot write");
  }
  log.row(3, "third");
  EXPECT_EQ(content_of(path), "step,note\n1,first\n3,third\n");
}

TEST(CsvWriter, ResumeStartsAnewBehindAPieceOfTheHeader) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.csv", "step,no");
  CsvWriter::resume(path, {"step", "note"}).row(1, "x");
  EXPECT_EQ(content_of(path), "step,note\n1,x\n");
  EXPECT_THROW(CsvWriter::resume(folder.file("other.csv", "stop"), {"step", "note"}), FormatError);
  EXPECT_EQ(content_of(folder / "other.csv"), "stop");
}

TEST(CsvWriter, ResumeDropsALineCutOffByACrash) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log.csv", "a,b\n1,2\n3,");
  CsvWriter::resume(path, {"a", "b"}).row(3, 4);
  EXPECT_EQ(content_of(path), "a,b\n1,2\n3,4\n");
}

TEST(CsvWriter, ResumeStartsAMissingFileAndRefusesAnother) {
  const TemporaryFolder folder;
  CsvWriter::resume(folder / "new.csv", {"a"}).row(1);
  EXPECT_EQ(content_of(folder / "new.csv"), "a\n1\n");
  const std::string other = folder.file("other.csv", "x,y\n1,2\n");
  EXPECT_CONTAINS(message_of<FormatError>([&] { CsvWriter::resume(other, {"a"}); }), "header is not a");
  EXPECT_EQ(content_of(other), "x,y\n1,2\n");
}

TEST(CsvWriter, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  CsvWriter log(folder / "log.csv", {"a", "b"});
  EXPECT_CONTAINS(message_of<ValueError>([&] { log.row(1); }), "a row of 1 cells for 2 columns");
  EXPECT_CONTAINS(message_of<FileError>([&] { CsvWriter(folder / "no/log.csv", {"a"}); }), "no/log.csv");
  EXPECT_THROW(CsvWriter(folder / "x.csv", {}), ValueError);
}

}  // namespace
}  // namespace minima::csv_test
