#pragma once

#include <filesystem>
#include <string>
#include <vector>

// What the tests of the tree's structure know of a source tree. They look at text only, so that a rule is checked in
// files that no build of this machine compiles, too.

namespace structure {

/// `#include <name>` or `#include "name"`.
struct Include {
  int line;
  bool quoted;
  std::string name;
};

struct SourceFile {
  std::string path;  // relative to the root: `ops/op.h`
  std::vector<std::string> lines;

  std::vector<Include> includes() const;
  /// The text before the first slash, empty for a file in the root.
  std::string folder() const;
};

/// One line per broken rule, empty if all hold.
using Complaints = std::vector<std::string>;

/// The complaints as the text of a failure.
std::string to_text(const Complaints& complaints);

/// The layer folders from left to right, as cmake/library.cmake has them.
const std::vector<std::string>& layers();

/// This checkout.
const std::filesystem::path& repository();

SourceFile read_source(const std::filesystem::path& root, const std::filesystem::path& path);

/// The C++ and CUDA files of these folders, sorted by path.
std::vector<SourceFile> sources_in(const std::filesystem::path& root, const std::vector<std::string>& folders);

/// All C++ and CUDA files of the layer folders, sorted by path.
std::vector<SourceFile> library_sources(const std::filesystem::path& root);

}  // namespace structure
