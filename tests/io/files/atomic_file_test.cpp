#include <minima/io/files/atomic_file.h>
#include <minima/io/files/append_file.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace minima::atomic_file_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;

TEST(AtomicFile, ReplacesOnlyAtCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights", "old");
  AtomicFile file(path);
  file.write("new ");
  file.write("content");
  EXPECT_EQ(content_of(path), "old");
  file.commit();
  EXPECT_EQ(content_of(path), "new content");
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "weights");
    file.write("half");
    EXPECT_EQ(folder.names().size(), 1u);
  }
  EXPECT_TRUE(folder.names().empty());
}

/// Runs `f`, which kills its process, in a child process.
template <class F>
void in_killed_process(F&& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    f();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(AtomicFile, KilledWriterLeavesTheOldFileAndTheNextWriterCleansUp) {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights", "old");
  in_killed_process([&] {
    AtomicFile file(path);
    file.write("half of the new");
    ::raise(SIGKILL);
  });
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.names().size(), 2u) << "the killed process should have left its temporary";
  write_file(path, "newest");
  EXPECT_EQ(content_of(path), "newest");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"weights"});
}

TEST(AtomicFile, LeavesOtherLiveWritersAndOtherFilesAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / "weights";
  folder.file(".weights.notes.tmp", "mine");
  folder.file(".weights2.01234567.tmp", "another file's");
  AtomicFile slow(path);
  slow.write("slow");
  write_file(path, "fast");
  EXPECT_EQ(content_of(path), "fast");
  slow.commit();
  EXPECT_EQ(content_of(path), "slow");
  EXPECT_EQ(folder.names().size(), 3u);
}

TEST(AtomicFile, FollowsLinksAndKeepsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("step100", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(::symlink("step100", (folder / "latest").c_str()), 0);
  write_file(folder / "latest", "new");
  EXPECT_EQ(content_of(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "latest"));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0600u);
}

TEST(AtomicFile, KeepsOwnerAndGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TemporaryFolder folder;
  const std::string path = folder.file("weights", "old");
  ASSERT_EQ(::chown(path.c_str(), 1234, 5678), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_file(path, "new");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234u);
  EXPECT_EQ(status.st_gid, 5678u);
  EXPECT_EQ(status.st_mode & 07777u, 0640u);
}

TEST(AtomicFile, AGroupThatCannotBeKeptLosesItsPermissions) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file of a group that the writer is not in";
  const TemporaryFolder folder;
  const std::string path = folder.file("weights", "old");
  ASSERT_EQ(::chown(path.c_str(), 1234, 5678), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0664), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // as a user who may write to the folder but is neither the file's owner nor in its group
    const bool lowered = ::setgroups(0, nullptr) == 0 && ::setgid(4321) == 0 && ::setuid(4321) == 0;
    if (lowered) write_file(path, "new");
    ::_exit(lowered ? 0 : 1);
  }
  int result = 0;
  ASSERT_EQ(::waitpid(child, &result, 0), child);
  ASSERT_EQ(result, 0);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(status.st_gid, 4321u);
  EXPECT_EQ(status.st_mode & 07777u, 0644u) << "the new file's group must not write what it could only read";
}

TEST(AtomicFile, ErrorsNameThePathAndTheReason) {
  const TemporaryFolder folder;
  const std::string missing = folder / "no/such/folder/file";
  const std::string text = message_of<FileError>([&] { write_file(missing, "x"); });
  EXPECT_CONTAINS(text, missing);
  EXPECT_CONTAINS(text, std::strerror(ENOENT));
  EXPECT_CONTAINS(message_of<FileError>([&] { write_file(folder.path(), "x"); }), std::strerror(EISDIR));
  EXPECT_CONTAINS(message_of<FileError>([&] { write_file("/dev/null", "x"); }), "not a regular file");
  EXPECT_THROW(write_file("", "x"), FileError);
}

TEST(AtomicFile, ReportsAFullDisk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const detail::Descriptor full = detail::open_file("/dev/full", 1, "cannot open");
  EXPECT_CONTAINS(message_of<FileError>([&] { detail::write_all(full, "x", 1, "disk"); }), std::strerror(ENOSPC));
}

TEST(AtomicFile, HandlesNamesAtTheLimit) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n');
  write_file(path, "x");
  EXPECT_EQ(content_of(path), "x");
}

TEST(MappedFile, ShowsTheFileAndWritesStayPrivate) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data", "abc");
  const MappedFile mapped(path);
  ASSERT_EQ(mapped.size(), 3u);
  EXPECT_EQ(std::memcmp(mapped.data(), "abc", 3), 0);
  mapped.data()[0] = std::byte{'X'};
  EXPECT_EQ(content_of(path), "abc");
}

TEST(MappedFile, ReleasesWholePagesAndReadsThemAgain) {
  const TemporaryFolder folder;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const MappedFile mapped(folder.file("pages", std::string(3 * page, 'a') + "end"));
  for (const std::size_t at : {page - 1, page, 2 * page}) mapped.data()[at] = std::byte{'b'};
  mapped.release(page - 1, page + 1);  // the second page, and a byte of the first
  EXPECT_EQ(mapped.text()[page - 1], 'b') << "a part of a page stays";
  EXPECT_EQ(mapped.text()[page], 'a') << "what was written is lost";
  EXPECT_EQ(mapped.text()[2 * page], 'b');
  mapped.release(0, mapped.size() - 1);
  EXPECT_EQ(mapped.text(), std::string(3 * page, 'a') + "end");
  mapped.release(0, 100 * page);  // beyond the file
  MappedFile(folder.file("none", "")).release(0, 0);
}

TEST(MappedFile, SurvivesReplacementOfTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data", "old");
  const MappedFile mapped(path);
  write_file(path, "new content");
  EXPECT_EQ(std::memcmp(mapped.data(), "old", 3), 0);
}

TEST(MappedFile, TakesAnEmptyFileAndRefusesOthers) {
  const TemporaryFolder folder;
  EXPECT_EQ(MappedFile(folder.file("empty", "")).size(), 0u);
  EXPECT_CONTAINS(message_of<FileError>([&] { MappedFile(folder / "absent"); }), std::strerror(ENOENT));
  EXPECT_CONTAINS(message_of<FileError>([&] { MappedFile(folder.path()); }), std::strerror(EISDIR));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_CONTAINS(message_of<FileError>([&] { MappedFile(folder / "pipe"); }), "not a regular file");
}

/// A log opened where a FIFO stands would wait for a reader.
TEST(AppendFile, RefusesPipes) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_CONTAINS(message_of<FileError>([&] { detail::AppendFile(pipe, 0); }), std::strerror(ENXIO));
  const detail::Descriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_CONTAINS(message_of<FileError>([&] { detail::AppendFile(pipe, 0); }), "cannot be written: not a regular file");
  detail::AppendFile("/dev/null", 0).append("x");
}

}  // namespace
}  // namespace minima::atomic_file_test
