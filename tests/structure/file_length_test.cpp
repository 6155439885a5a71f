#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

// A file has one subject; one of more than 400 lines, or a page of more than 600, has several and asks to be split.

namespace structure::file_length_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 400, longest_page = 600;

/// Pages are read from top to bottom, and may be longer.
std::size_t longest_of(const SourceFile& file) { return file.path.ends_with(".md") ? longest_page : longest; }

/// What people write and read. Data under tests/fixtures/ and build folders are neither.
bool is_text_of_ours(const fs::path& path) {
  static const std::set<std::string> extensions{".h", ".cpp", ".cu", ".cuh", ".cmake", ".sh", ".md", ".py", ".txt"};
  return extensions.count(path.extension().string()) > 0;
}

bool is_skipped_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("build") || name.starts_with(".") || name == "fixtures" || name == "runs";
}

std::vector<SourceFile> files_by_length(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && is_skipped_folder(entry->path())) entry.disable_recursion_pending();
    if (entry->is_regular_file() && is_text_of_ours(entry->path())) files.push_back(read_source(root, entry->path()));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.lines.size() > b.lines.size(); });
  return files;
}

bool is_generated(const SourceFile& file) {
  const auto head = file.lines.begin(),
             end = head + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, file.lines.size()));
  return std::any_of(head, end,
                     [](const std::string& line) { return line.find(" Written by scripts/") != std::string::npos; });
}

/// The lines of a file without those that scripts and tests generate: a page's reference, a row per name.
std::size_t written_lines(const SourceFile& file) {
  if (is_generated(file)) return 0;
  for (const char* page : {"docs/operators.md", "docs/layers.md", "docs/reference.md"})
    if (file.path == page) return 0;
  const auto reference = std::find_if(file.lines.begin(), file.lines.end(), [](const std::string& line) {
    return line.starts_with("## Reference of ") || line.starts_with("## Headers that ");
  });
  return static_cast<std::size_t>(reference - file.lines.begin());
}

Complaints too_long(const std::vector<SourceFile>& files) {
  Complaints complaints;
  for (const SourceFile& file : files)
    if (written_lines(file) > longest_of(file))
      complaints.push_back(file.path + " has " + std::to_string(written_lines(file)) + " lines");
  return complaints;
}

TEST(FileLength, NoFileIsLongerThan400Lines) {
  const std::vector<SourceFile> files = files_by_length(repository());
  ASSERT_FALSE(files.empty());
  std::cout << files.size() << " files, median " << files[files.size() / 2].lines.size() << " lines, longest:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(10, files.size()); ++i)
    std::cout << "  " << files[i].lines.size() << "  " << files[i].path << "\n";
  const Complaints complaints = too_long(files);
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(FileLengthCheck, NamesTheLongFileAndLeavesBuildFoldersAlone) {
  const SampleTree tree;
  const auto text = [](std::size_t lines) {
    std::string result;
    for (std::size_t i = 0; i < lines; ++i) result += "line\n";
    return result;
  };
  tree.write("ops/long.cpp", text(longest + 1));
  tree.write("ops/just.cpp", text(longest));
  tree.write("build/generated.cpp", text(longest + 1));
  tree.write("torch_api/table.cpp", "// Written by scripts/table.py\n" + text(longest + 1));
  EXPECT_EQ(too_long(files_by_length(tree.root())), Complaints{"ops/long.cpp has 401 lines"});
}

}  // namespace
}  // namespace structure::file_length_test
