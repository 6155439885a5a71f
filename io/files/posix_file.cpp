#include <minima/io/files/posix_file.h>

#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>

namespace minima::detail {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void throw_file_error(const std::string& path, const std::string& action, int error) {
  throw FileError(
      str(path.empty() ? "(empty path)" : printable(path), ": ", action, ": ", std::generic_category().message(error)));
}

Descriptor open_file(const std::string& path, int flags, const std::string& action) {
  int number;
  do number = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (number < 0 && errno == EINTR);
  if (number < 0) throw_file_error(path, action, errno);
  return Descriptor(number);
}

OpenedFile open_regular(const std::string& path) {
  // Without O_NONBLOCK, opening a FIFO that has no writer blocks for ever. Regular files ignore it.
  OpenedFile opened{open_file(path, O_RDONLY | O_NONBLOCK, "cannot open for reading")};
  struct stat status{};
  if (::fstat(opened.file.number(), &status) != 0) throw_file_error(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) throw_file_error(path, "cannot read", EISDIR);
  if (!S_ISREG(status.st_mode)) throw FileError(str(printable(path), ": cannot be read: not a regular file"));
  opened.size = static_cast<std::size_t>(status.st_size);
  return opened;
}

std::size_t size_of_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  if (errno != ENOENT) throw_file_error(path, "cannot read its attributes", errno);
  return 0;
}

void read_all_at(const Descriptor& file, std::size_t offset, void* to, std::size_t bytes, const std::string& path) {
  auto next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(file.number(), next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path, "cannot read", errno);
    if (got == 0) throw_format_error(path, offset, "the file was truncated while it was read");
    next += got;
    offset += static_cast<std::size_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void write_all(const Descriptor& file, const void* data, std::size_t bytes, const std::string& path) {
  auto next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file.number(), next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_file_error(path, "cannot write", errno);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void write_all_at(const Descriptor& file, std::size_t offset, const void* data, std::size_t bytes,
                  const std::string& path) {
  auto next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(file.number(), next, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_file_error(path, "cannot write", errno);
    next += written;
    offset += static_cast<std::size_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void sync_file(const Descriptor& file, const std::string& path) {
  int result;
  do result = ::fsync(file.number());
  while (result != 0 && errno == EINTR);
  if (result != 0) throw_file_error(path, "cannot flush to disk", errno);
}

void sync_folder(const std::string& folder) {
  const Descriptor opened = open_file(folder, O_RDONLY | O_DIRECTORY, "cannot open the folder");
  // Some network file systems do not support fsync of a folder.
  int result;
  do result = ::fsync(opened.number());
  while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
    throw_file_error(folder, "cannot flush the folder to disk", errno);
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_name_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace minima::detail
