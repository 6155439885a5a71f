#include "tests/structure/sample_tree.h"
#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

// ctest runs every test as a separate process, several at once: two that write the same file fail now and then. Only
// TemporaryFolder gives each its own place, so nothing else may ask where temporary files live.

namespace structure::temporary_files_test {
namespace {

namespace fs = std::filesystem;

Complaints shared_places(const fs::path& root) {
  static const std::string keeper = "tests/support/temporary_folder.h", checker = "tests/structure/";
  Complaints complaints;
  for (const SourceFile& file : sources_in(root, {"tests", "simulated/tests"})) {
    if (file.path == keeper || file.path.starts_with(checker)) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      for (const char* place : {"TempDir()", "temp_directory_path"})
        if (file.lines[i].find(place) != std::string::npos)
          complaints.push_back(file.path + ":" + std::to_string(i + 1) + " uses " + place +
                               ", use test::TemporaryFolder");
  }
  return complaints;
}

TEST(TemporaryFiles, LieInAFolderOfTheTestsOwn) {
  const Complaints complaints = shared_places(repository());
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(TemporaryFilesCheck, NamesFileAndLine) {
  const SampleTree tree;
  tree.write("tests/io/a_test.cpp", "int x;\nauto p = testing::TempDir() + \"a\";\n");
  tree.write("tests/io/b_test.cpp", "test::TemporaryFolder folder;\n");
  EXPECT_EQ(shared_places(tree.root()), Complaints{"tests/io/a_test.cpp:2 uses TempDir(), use test::TemporaryFolder"});
}

}  // namespace
}  // namespace structure::temporary_files_test
