#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>

namespace structure::folders_test {
namespace {

namespace fs = std::filesystem;

/// No number decides where code lives: subject does. Larger folders are only reported.
constexpr int many = 50;

/// The number of files directly in each folder. Skips what is not part of the tree, and fuzzing seeds, which are data.
std::map<std::string, int> files_by_folder(const fs::path& root) {
  static const std::set<std::string> left_out{".git", "build", "shared", "seeds"};
  std::map<std::string, int> counts;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && left_out.count(entry->path().filename().string())) entry.disable_recursion_pending();
    if (entry->is_regular_file()) ++counts[entry->path().parent_path().lexically_relative(root).generic_string()];
  }
  return counts;
}

Complaints large_folders(const fs::path& root) {
  Complaints reports;
  for (const auto& [folder, count] : files_by_folder(root))
    if (count > many) reports.push_back(folder + ": " + std::to_string(count) + " files");
  return reports;
}

TEST(Folders, AreReportedBeyond50Files) {
  std::cout << to_text(large_folders(repository()));
  const SampleTree tree;
  for (int i = 0; i < many; ++i) tree.write("ops/a" + std::to_string(i) + ".h", "");
  tree.write("ops/reduce/softmax.h", "");
  EXPECT_EQ(large_folders(tree.root()), Complaints{});
  tree.write("ops/z.h", "");
  EXPECT_EQ(large_folders(tree.root()), Complaints{"ops: 51 files"});
}

/// A source includes its own header first, so building it proves that the header needs no other.
TEST(Headers, AreIncludedFirstByTheirSources) {
  Complaints complaints;
  for (const SourceFile& file : library_sources(repository())) {
    if (!file.path.ends_with(".cpp")) continue;
    const std::string header = file.path.substr(0, file.path.size() - 4) + ".h";
    if (!fs::exists(repository() / header)) continue;
    const std::vector<Include> includes = file.includes();
    if (includes.empty() || includes.front().name != "minima/" + header)
      complaints.push_back(file.path + ": include its own header first");
  }
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

}  // namespace
}  // namespace structure::folders_test
