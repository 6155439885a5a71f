#pragma once

#include <minima/io/files/posix_file.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace minima::detail {

/// A folder for run-time files with names that others can guess. In a folder that others may write, such as /tmp, they
/// could have put a link, a pipe or a file of theirs there, so nothing is followed or trusted for its name alone:
///
/// - The folder itself must be this user's, and no link. It is created and kept with mode 0700, unless the user named
/// it.
/// - Files are written under a random name and then renamed, so what has their name is replaced and never followed.
/// - Only regular files of this user are read, and only so much of them.
class MINIMA_API RunFolder {
 public:
  enum class Access {
    read,    ///< nothing is created or changed
    write,   ///< the folder is created, and made private
    shared,  ///< the same, but an existing folder may be anyone's and a link: the user named it for several
  };
  /// Throws FileError.
  RunFolder(std::string path, Access access);
  /// A new folder with a random name in the system's folder for temporary files.
  static RunFolder temporary();

  const std::string& path() const { return path_; }
  /// Writes a file that only its user can read, atomically, and returns its path. `.NAME.XXXXXXXX.tmp` is what a killed
  /// writer leaves.
  std::string write(const std::string& name, const std::string& content) const;
  /// Nothing if there is no such file, or one that is not to be trusted or is larger.
  std::optional<std::string> read(const std::string& name, std::size_t most = std::size_t{1} << 20) const;
  void remove(const std::string& name) const noexcept;
  std::vector<std::string> names() const;

 private:
  std::string path_;
  Descriptor folder_;
};

/// $XDG_RUNTIME_DIR/minima, or minima-UID in the system's folder for temporary files. It may not exist.
MINIMA_API std::string run_folder();
/// minima-UID in the system's folder for temporary files, for what should outlive a session.
MINIMA_API std::string temporary_run_folder();

}  // namespace minima::detail
