#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace structure {

/// A small tree in a temporary folder, to see a check find what is broken in it.
class SampleTree {
 public:
  SampleTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "minima_structure_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~SampleTree() { std::filesystem::remove_all(root_); }
  SampleTree(const SampleTree&) = delete;
  SampleTree& operator=(const SampleTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace structure
