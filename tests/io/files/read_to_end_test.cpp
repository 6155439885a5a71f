#include <minima/io/files/read_to_end.h>

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <optional>
#include <string>

namespace minima::detail::read_to_end_test {
namespace {

using test::TemporaryFolder;

TEST(ReadToEnd, ReadsFilesWhoseSizeIsNotKnown) {
  const TemporaryFolder folder;
  const std::string large(10000, 'x');
  EXPECT_EQ(read_to_end(folder.file("large", large)), large);
  EXPECT_EQ(read_to_end(folder.file("empty", "")), "");
  EXPECT_NE(read_to_end("/proc/self/stat").value_or("").find('('), std::string::npos);
}

TEST(ReadToEnd, ReturnsNothingForFoldersAndMissingFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_to_end(folder.path()), std::nullopt);
  EXPECT_EQ(read_to_end(folder / "none"), std::nullopt);
}

}  // namespace
}  // namespace minima::detail::read_to_end_test
