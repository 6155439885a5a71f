#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace c10 {

/// A file of its own in the system's folder for temporary files, removed by the destructor.
struct TempFile {
  TempFile(std::string path, int descriptor) : name(std::move(path)), fd(descriptor) {}
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  std::string name;
  int fd = -1;
};
/// The same for an empty folder.
struct TempDir {
  explicit TempDir(std::string path) : name(std::move(path)) {}
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  ~TempDir();

  std::string name;
};

std::optional<TempFile> try_make_tempfile(std::string_view name_prefix = "torch-file-");
TempFile make_tempfile(std::string_view name_prefix = "torch-file-");
std::optional<TempDir> try_make_tempdir(std::string_view name_prefix = "torch-dir-");
TempDir make_tempdir(std::string_view name_prefix = "torch-dir-");

}  // namespace c10
