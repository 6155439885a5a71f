#include <minima/io/files/atomic_file.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <memory>
#include <random>
#include <string_view>

namespace minima {

namespace {

using detail::Descriptor;

// Names of temporaries: `.NAME.0123abcd.tmp`, with NAME shortened to keep within the usual limit of 255 bytes.
constexpr std::string_view suffix = ".tmp";
constexpr std::size_t digit_count = 8;
constexpr std::size_t longest_name = 200;

/// Resolves symbolic links in `path`, also one whose target does not exist.
std::string resolve_links(std::string path) {
  for (int hops = 0; hops < 40; ++hops) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length < 0 && errno != EINVAL && errno != ENOENT && errno != ENOTDIR && errno != EACCES)
      detail::throw_file_error(path, "cannot read its attributes", errno);
    if (length < 0) return path;  // not a link, or an error that opening it will report
    const std::string text(target, static_cast<std::size_t>(length));
    path = text[0] == '/' ? text : detail::folder_of(path) + "/" + text;
  }
  detail::throw_file_error(path, "cannot follow the link", ELOOP);
}

/// False only if another writer holds the lock: a file system without locks must not prevent writing.
bool try_lock(const Descriptor& file) { return ::flock(file.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

/// `PREFIX….0123abcd.tmp`
bool is_temporary(std::string_view name, std::string_view prefix) {
  if (name.size() < prefix.size() + digit_count + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return false;
  name.remove_suffix(suffix.size());
  return name[name.size() - digit_count - 1] == '.' &&
         name.substr(name.size() - digit_count).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string random_digits() {
  static thread_local std::random_device source;
  std::string digits(digit_count, '0');
  for (std::uint32_t bits = source(); char& digit : digits) {
    digit = "0123456789abcdef"[bits & 15u];
    bits >>= 4;
  }
  return digits;
}

/// Creates and locks a temporary file and sets `path`. Retries if another writer took it for a leftover before it was
/// locked.
Descriptor create_temporary(const std::string& target, const std::string& stem, std::string& path) {
  while (true) {
    std::string name = str(stem, random_digits(), std::string(suffix));
    Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file && (errno == EEXIST || errno == EINTR)) continue;
    if (!file) detail::throw_file_error(target, "cannot create a temporary file in its folder", errno);
    path = std::move(name);  // allocates nothing, so the file is always removed from here on
    struct stat status{};
    if (!try_lock(file)) continue;
    if (::fstat(file.number(), &status) != 0)
      detail::throw_file_error(target, "cannot create a temporary file in its folder", errno);
    if (status.st_nlink > 0) return file;
  }
}

/// Copies owner, group and permissions of the old file, where the process may. Never grants new access: if the group
/// cannot be kept, the new group gets the permissions of others.
void keep_status(const Descriptor& file, const struct stat& old, const std::string& path) {
  mode_t mode = old.st_mode & 07777u;
  struct stat fresh{};
  if (::fstat(file.number(), &fresh) != 0) detail::throw_file_error(path, "cannot keep its permissions", errno);
  const bool owner = fresh.st_uid == old.st_uid || ::fchown(file.number(), old.st_uid, static_cast<gid_t>(-1)) == 0;
  const bool group = fresh.st_gid == old.st_gid || ::fchown(file.number(), static_cast<uid_t>(-1), old.st_gid) == 0;
  if (!owner) mode &= ~static_cast<mode_t>(S_ISUID);
  if (!group) mode = (mode & ~static_cast<mode_t>(S_ISGID | S_IRWXG)) | (mode & S_IRWXO) << 3;
  if (::fchmod(file.number(), mode) != 0 && errno != EPERM)
    detail::throw_file_error(path, "cannot keep its permissions", errno);
}

}  // namespace

/// Failures are ignored. Running writers hold a lock on their temporaries.
void detail::remove_leftovers(const std::string& folder, const std::string& name) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
  if (!listing) return;
  while (const dirent* entry = ::readdir(listing.get())) {
    if (!is_temporary(entry->d_name, "." + name)) continue;
    const std::string path = folder + "/" + entry->d_name;
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

AtomicFile::AtomicFile(const std::string& path) : path_(resolve_links(path)) {
  const std::string name = detail::file_name_of(path_);
  if (name.empty()) detail::throw_file_error(path, "cannot write", path.empty() ? ENOENT : EISDIR);
  struct stat old{};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) detail::throw_file_error(path_, "cannot write", errno);
  if (exists && S_ISDIR(old.st_mode)) detail::throw_file_error(path_, "cannot write", EISDIR);
  if (exists && !S_ISREG(old.st_mode))
    throw FileError(str(detail::printable(path_), ": cannot be replaced: not a regular file"));

  const std::string folder = detail::folder_of(path_);
  const std::string stem = name.substr(0, longest_name);
  detail::remove_leftovers(folder, stem + ".");
  file_ = create_temporary(path_, str(folder, "/.", stem, "."), temporary_.path);
  if (exists) keep_status(file_, old, path_);
}

AtomicFile::Temporary::~Temporary() {
  if (!path.empty()) ::unlink(path.c_str());
}

void AtomicFile::commit() {
  detail::sync_file(file_, path_);
  if (::rename(temporary_.path.c_str(), path_.c_str()) != 0) detail::throw_file_error(path_, "cannot replace", errno);
  temporary_.path.clear();
  file_ = Descriptor();
  try {
    detail::sync_folder(detail::folder_of(path_));
  } catch (const FileError& error) {
    throw FileError(
        str(path_, ": the file was replaced, but a power loss may restore the old content: ", error.what()));
  }
}

void write_file(const std::string& path, const std::string& content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace minima
