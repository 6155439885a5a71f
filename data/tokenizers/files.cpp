#include <minima/data/tokenizers/files.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fnmatch.h>

namespace minima::data {

std::vector<std::string> detail::files_matching(const char* op, const std::string& pattern) {
  namespace fs = std::filesystem;
  if (fs::is_regular_file(pattern)) return {pattern};
  const fs::path path(pattern);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() &&
          ::fnmatch(path.filename().c_str(), entry.path().filename().c_str(), FNM_PERIOD) == 0)
        files.push_back(entry.path().string());
  if (files.empty()) throw FileError(str(op, ": no file matches \"", pattern, "\""));
  std::ranges::sort(files);
  return files;
}

}  // namespace minima::data
