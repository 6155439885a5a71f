#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/files/format_error.h>
#include <minima/io/files/run_folder.h>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

// These tests plant what another user may leave where this one's run-time files go.

namespace minima::detail::run_folder_test {
namespace {

using minima::test::content_of;
using minima::test::expect_error;
using minima::test::TemporaryFolder;
using Access = RunFolder::Access;

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0);
  return status.st_mode & 07777u;
}

TEST(RunFolder, IsCreatedPrivate) {
  const TemporaryFolder base;
  const RunFolder folder(base / "a/b", Access::write);
  EXPECT_EQ(mode_of(base / "a/b"), 0700u);
  EXPECT_EQ(folder.write("x.json", "one"), base / "a/b/x.json");
  EXPECT_EQ(mode_of(base / "a/b/x.json"), 0600u);
  folder.write("x.json", "two");
  EXPECT_EQ(folder.read("x.json"), "two");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"x.json"});
  folder.remove("x.json");
  EXPECT_EQ(folder.read("x.json"), std::nullopt);
}

TEST(RunFolder, IsMadePrivateIfItIsOnesOwn) {
  const TemporaryFolder base;
  std::filesystem::create_directory(base / "open");
  ::chmod((base / "open").c_str(), 0777);
  expect_error<FileError>([&] { RunFolder(base / "open", Access::read); },
                          base / "open" + ": other users may write there, so nothing is read");
  RunFolder(base / "open", Access::write);
  EXPECT_EQ(mode_of(base / "open"), 0700u);
}

TEST(RunFolder, IsNoLink) {
  const TemporaryFolder base;
  std::filesystem::create_directory(base / "public");
  ::chmod((base / "public").c_str(), 0755);
  std::filesystem::create_symlink(base / "public", base / "link");
  EXPECT_THROW(RunFolder(base / "link", Access::write), FileError);
  EXPECT_THROW(RunFolder(base / "link", Access::read), FileError);
  EXPECT_EQ(mode_of(base / "public"), 0755u);
  RunFolder(base / "link", Access::shared).write("x", "named by the user");
  EXPECT_EQ(content_of(base / "public/x"), "named by the user");
}

TEST(RunFolder, OfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const TemporaryFolder base;
  std::filesystem::create_directory(base / "theirs");
  ASSERT_EQ(::chown((base / "theirs").c_str(), 3000, 3000), 0);
  const std::string says = base / "theirs" + ": belongs to another user (3000), so nothing is written or read there";
  expect_error<FileError>([&] { RunFolder(base / "theirs", Access::write); }, says);
  expect_error<FileError>([&] { RunFolder(base / "theirs", Access::read); }, says);
}

TEST(RunFolder, FilesThatAreLinksAreReplacedAndNotRead) {
  const TemporaryFolder base;
  base.file("notes", "mine");
  std::filesystem::create_symlink(base / "notes", base / "x.json");
  for (const Access access : {Access::write, Access::shared}) {
    const RunFolder folder(base.path(), access);
    if (access == Access::write) {
      EXPECT_EQ(folder.read("x.json"), std::nullopt);
    }
    folder.write("x.json", "status");
    EXPECT_EQ(content_of(base / "notes"), "mine");
    EXPECT_FALSE(std::filesystem::is_symlink(base / "x.json"));
  }
}

TEST(RunFolder, ReadsOnlyRegularFilesOfItsUserAndOfItsSize) {
  const TemporaryFolder base;
  const RunFolder folder(base.path(), Access::write);
  ASSERT_EQ(::mkfifo((base / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(base / "folder");
  base.file("large", "");
  std::filesystem::resize_file(base / "large", std::uintmax_t{20} << 30);
  for (const char* name : {"pipe", "folder", "large", "none"}) EXPECT_EQ(folder.read(name), std::nullopt) << name;
  base.file("small", "12345");
  EXPECT_EQ(folder.read("small", 5), "12345");
  EXPECT_EQ(folder.read("small", 4), std::nullopt);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((base / "small").c_str(), 3000, 3000), 0);
  EXPECT_EQ(folder.read("small"), std::nullopt);
}

TEST(RunFolder, TemporaryOnesHaveRandomNames) {
  const RunFolder a = RunFolder::temporary(), b = RunFolder::temporary();
  EXPECT_NE(a.path(), b.path());
  EXPECT_EQ(mode_of(a.path()), 0700u);
  for (const RunFolder* folder : {&a, &b}) std::filesystem::remove(folder->path());
}

TEST(Printable, EscapesWhatControlsATerminal) {
  EXPECT_EQ(printable("Grüße, 世界 \U0001F600 …"), "Grüße, 世界 \U0001F600 …");
  EXPECT_EQ(printable("\x1b]0;owned\x07\n\x7f"), "\\x1b]0;owned\\x07\\x0a\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");                 // CSI in one character
  EXPECT_EQ(printable("a\u202etxt.exe"), "a\\xe2\\x80\\xaetxt.exe");  // turns what follows
  EXPECT_EQ(printable("\xff\xc0\xaf \xe2\x82"), "\\xff\\xc0\\xaf \\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

}  // namespace
}  // namespace minima::detail::run_folder_test
