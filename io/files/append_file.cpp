#include <minima/io/files/append_file.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

namespace minima::detail {

// Without O_NONBLOCK, opening a FIFO that has no reader blocks for ever.
AppendFile::AppendFile(const std::string& path, int flags)
    : path_(path),
      file_(open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | flags, "cannot open for writing")) {
  struct stat status{};
  if (::fstat(file_.number(), &status) != 0) throw_file_error(path, "cannot write", errno);
  if (S_ISFIFO(status.st_mode)) throw FileError(str(printable(path), ": cannot be written: not a regular file"));
  if (::fcntl(file_.number(), F_SETFL, O_APPEND) != 0) throw_file_error(path, "cannot write", errno);
}

void AppendFile::append(std::string_view record) {
  cut_torn_record();
  std::size_t written = 0;
  while (written < record.size()) {
    const ssize_t count = ::write(file_.number(), record.data() + written, record.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      const off_t end = written > 0 ? ::lseek(file_.number(), 0, SEEK_CUR) : -1;  // -1 also for pipes
      if (end >= 0) {
        torn_end_ = end;
        torn_begin_ = end - static_cast<off_t>(written);
        try {
          cut_torn_record();
        } catch (...) {  // the next record tries again; report the error of the write
        }
      }
      throw_file_error(path_, "cannot write", error);
    }
    written += static_cast<std::size_t>(count);
  }
}

void AppendFile::shorten(std::uint64_t size) {
  int result;
  do result = ::ftruncate(file_.number(), static_cast<off_t>(size));
  while (result != 0 && errno == EINTR);
  if (result != 0) throw_file_error(path_, "cannot truncate", errno);
}

void AppendFile::cut_torn_record() {
  if (torn_end_ == 0) return;
  struct stat status{};
  if (::fstat(file_.number(), &status) != 0) throw_file_error(path_, "cannot remove a partially written record", errno);
  // Another writer may have appended to this file since; keep its records.
  if (status.st_size == torn_end_) shorten(static_cast<std::uint64_t>(torn_begin_));
  torn_begin_ = torn_end_ = 0;
}

}  // namespace minima::detail
