#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>
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

/// Every `name_cuda` in front of a parenthesis in the core's sources of one kind. What runs "on_cuda" is written in
/// plain C++.
std::set<std::string> cuda_functions(bool in_cuda_sources) {
  std::set<std::string> names;
  std::istringstream sources(MINIMA_CORE_SOURCES_WITH_CUDA);
  static const std::regex call(R"((\w+_cuda)\()");
  for (std::string source; sources >> source;) {
    if (needs_cuda(source) != in_cuda_sources) continue;
    std::ifstream file(std::string(MINIMA_REPOSITORY "/") + source);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator match(text.begin(), text.end(), call), end; match != end; ++match)
      if (!match->str(1).ends_with("on_cuda")) names.insert(match->str(1));
  }
  return names;
}

// A build with CUDA links the quick start from the core alone, too.
TEST(Core, HasTheKernelsThatItCalls) {
  const std::set<std::string> called = cuda_functions(false), defined = cuda_functions(true);
  EXPECT_GT(called.size(), 20u);
  for (const std::string& name : called)
    EXPECT_TRUE(defined.contains(name)) << name
                                        << " is called by the core, but the source that defines it is not in "
                                           "MINIMA_CORE of cmake/families.cmake";
}

}  // namespace
}  // namespace structure::core_test
