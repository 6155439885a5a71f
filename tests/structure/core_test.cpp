#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>

// A newcomer waits for the sources of the family `core` (cmake/families.cmake), which scripts/quickstart.sh builds.

namespace structure::core_test {
namespace {

constexpr int limit = 300;

bool needs_cuda(const std::string& source) {
  return source.ends_with(".cu") || source.ends_with("_cuda.cpp") || source.find("/cuda/") != std::string::npos;
}

TEST(Core, HasAtMost300Sources) {
  std::istringstream sources(MINIMA_CORE_SOURCES);
  int count = 0;
  for (std::string source; sources >> source;)
    if (!needs_cuda(source)) ++count;
  std::cout << "core: " << count << " sources that do not need CUDA\n";
  EXPECT_GT(count, 100) << "the list of the core's sources is incomplete";
  EXPECT_LE(count, limit) << "scripts/quickstart.sh builds them all: leave out of MINIMA_CORE what "
                             "examples/quickstart does not need";
}

}  // namespace
}  // namespace structure::core_test
