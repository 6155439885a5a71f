#include <fcntl.h>
#include <unistd.h>

#include <c10/util/Exception.h>
#include <c10/util/tempfile.h>

#include <cstdlib>
#include <utility>

namespace c10 {

namespace {

std::string name_pattern(std::string_view prefix) {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* folder = std::getenv(variable)) return str(folder, "/", prefix, "XXXXXX");
  return str("/tmp/", prefix, "XXXXXX");
}

}  // namespace

TempFile::TempFile(TempFile&& other) noexcept : name(std::exchange(other.name, {})), fd(std::exchange(other.fd, -1)) {}
TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(name, other.name);
  std::swap(fd, other.fd);
  return *this;
}
TempFile::~TempFile() {
  if (!name.empty()) ::unlink(name.c_str());
  if (fd >= 0) ::close(fd);
}

TempDir::TempDir(TempDir&& other) noexcept : name(std::exchange(other.name, {})) {}
TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(name, other.name);
  return *this;
}
TempDir::~TempDir() {
  if (!name.empty()) ::rmdir(name.c_str());
}

std::optional<TempFile> try_make_tempfile(std::string_view name_prefix) {
  std::string path = name_pattern(name_prefix);
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  return TempFile(std::move(path), descriptor);
}
TempFile make_tempfile(std::string_view name_prefix) {
  auto file = try_make_tempfile(name_prefix);
  TORCH_CHECK(file, "Error generating temporary file: no file named ", name_pattern(name_prefix), " can be made");
  return std::move(*file);
}
std::optional<TempDir> try_make_tempdir(std::string_view name_prefix) {
  std::string path = name_pattern(name_prefix);
  if (!::mkdtemp(path.data())) return std::nullopt;
  return TempDir(std::move(path));
}
TempDir make_tempdir(std::string_view name_prefix) {
  auto folder = try_make_tempdir(name_prefix);
  TORCH_CHECK(folder, "Error generating temporary directory: no folder named ", name_pattern(name_prefix),
              " can be made");
  return std::move(*folder);
}

}  // namespace c10
