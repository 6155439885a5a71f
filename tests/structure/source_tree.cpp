#include "tests/structure/source_tree.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace structure {

namespace fs = std::filesystem;

std::vector<Include> SourceFile::includes() const {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(lines[i], match, pattern))
      found.push_back({static_cast<int>(i + 1), match[1] == "\"", match[2]});
  }
  return found;
}

std::string SourceFile::folder() const {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string to_text(const Complaints& complaints) {
  std::string text;
  for (const std::string& complaint : complaints) text += "\n  " + complaint;
  return text;
}

const std::vector<std::string>& layers() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> words;
    std::istringstream stream(MINIMA_LAYERS);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }();
  return names;
}

const fs::path& repository() {
  static const fs::path root(MINIMA_REPOSITORY);
  return root;
}

SourceFile read_source(const fs::path& root, const fs::path& path) {
  SourceFile file{path.lexically_relative(root).generic_string(), {}};
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
  return file;
}

std::vector<SourceFile> sources_in(const fs::path& root, const std::vector<std::string>& folders) {
  static const std::set<std::string> extensions{".h", ".cpp", ".cu", ".cuh"};
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (extensions.count(entry.path().extension().string())) files.push_back(read_source(root, entry.path()));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::vector<SourceFile> library_sources(const fs::path& root) { return sources_in(root, layers()); }

}  // namespace structure
