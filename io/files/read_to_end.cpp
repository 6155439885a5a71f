#include <minima/io/files/read_to_end.h>

#include <minima/io/files/posix_file.h>

#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>

namespace minima::detail {

std::optional<std::string> read_to_end(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char part[4096];
  while (true) {
    const ssize_t count = ::read(file.number(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(part, static_cast<std::size_t>(count));
  }
}

}  // namespace minima::detail
