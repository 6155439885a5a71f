#include <minima/io/posix_file.h>

#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace minima::detail {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void throw_file_error(const std::string& path, const std::string& action, int error) {
  throw FileError(str(path.empty() ? "(empty path)" : path, ": ", action, ": ", std::generic_category().message(error)));
}

Descriptor open_file(const std::string& path, int flags, const std::string& action) {
  int number;
  do number = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (number < 0 && errno == EINTR);
  if (number < 0) throw_file_error(path, action, errno);
  return Descriptor(number);
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

void write_all_at(const Descriptor& file, std::size_t offset, const void* data, std::size_t bytes, const std::string& path) {
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

void sync_folder(const std::string& folder) {
  const Descriptor opened = open_file(folder, O_RDONLY | O_DIRECTORY, "cannot open the folder");
  // Some network file systems do not know fsync of a folder; their own rename is all there is then.
  if (::fsync(opened.number()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
    throw_file_error(folder, "cannot sync the folder", errno);
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
