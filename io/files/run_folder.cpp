#include <minima/io/files/run_folder.h>

#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

bool is_own(const struct stat& status) { return status.st_uid == ::geteuid(); }

std::string random_suffix() {
  static thread_local std::random_device source;
  std::string digits;
  for (unsigned bits = source(), i = 0; i < 8; ++i, bits >>= 4) digits += "0123456789abcdef"[bits & 15u];
  return digits;
}

}  // namespace

RunFolder::RunFolder(std::string path, Access access) : path_(std::move(path)) {
  if (access != Access::read) {
    std::error_code error;
    if (const std::filesystem::path parent = std::filesystem::path(path_).parent_path(); !parent.empty())
      std::filesystem::create_directories(parent, error);
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
      throw_file_error(path_, "cannot create the folder", errno);
  }
  const int links = access == Access::shared ? 0 : O_NOFOLLOW;
  folder_ = open_file(path_, O_RDONLY | O_DIRECTORY | links, "cannot open the folder");
  struct stat status{};
  if (::fstat(folder_.number(), &status) != 0) throw_file_error(path_, "cannot read its attributes", errno);
  if (access == Access::shared) return;
  if (!is_own(status))
    throw FileError(str(path_, ": belongs to another user (", status.st_uid, "), so nothing is written or read there"));
  if ((status.st_mode & 0077u) == 0) return;
  if (access == Access::read && (status.st_mode & 0022u) != 0)
    throw FileError(str(path_, ": other users may write there, so nothing is read"));
  if (access == Access::write && ::fchmod(folder_.number(), 0700) != 0)
    throw_file_error(path_, "cannot be made private", errno);
}

RunFolder RunFolder::temporary() {
  std::string pattern = (std::filesystem::temp_directory_path() / "minima-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw_file_error(pattern, "cannot create the folder", errno);
  return {pattern, Access::write};
}

std::string RunFolder::write(const std::string& name, const std::string& content) const {
  const std::string path = str(path_, "/", name);
  while (true) {
    const std::string hidden = str(".", name, ".", random_suffix(), ".tmp");
    const Descriptor file(
        ::openat(folder_.number(), hidden.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file && (errno == EEXIST || errno == EINTR)) continue;
    if (!file) throw_file_error(path, "cannot write", errno);
    try {
      write_all(file, content.data(), content.size(), path);
      if (::renameat(folder_.number(), hidden.c_str(), folder_.number(), name.c_str()) != 0)
        throw_file_error(path, "cannot replace", errno);
    } catch (...) {
      remove(hidden);
      throw;
    }
    return path;
  }
}

std::optional<std::string> RunFolder::read(const std::string& name, std::size_t most) const {
  // Without O_NONBLOCK, opening a pipe that has no writer blocks for ever.
  const Descriptor file(::openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) || !is_own(status) ||
      static_cast<std::size_t>(status.st_size) > most)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  try {
    read_all_at(file, 0, text.data(), text.size(), name);
  } catch (const Error&) {  // it was truncated meanwhile
    return std::nullopt;
  }
  return text;
}

void RunFolder::remove(const std::string& name) const noexcept { ::unlinkat(folder_.number(), name.c_str(), 0); }

std::vector<std::string> RunFolder::names() const {
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(
      ::fdopendir(::openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), ::closedir);
  if (!listing) return found;
  while (const dirent* entry = ::readdir(listing.get()))
    if (const std::string name = entry->d_name; name != "." && name != "..") found.push_back(name);
  return found;
}

std::string run_folder() {
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime) return str(runtime, "/minima");
  return temporary_run_folder();
}

std::string temporary_run_folder() {
  return str(std::filesystem::temp_directory_path().string(), "/minima-", ::geteuid());
}

}  // namespace minima::detail
