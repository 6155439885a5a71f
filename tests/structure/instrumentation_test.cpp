#include "tests/structure/source_tree.h"

#include <gtest/gtest.h>

// Part of sanitizer builds only. A sanitizer sees what it instrumented: one object compiled without it, and races or
// overruns there would pass.

namespace structure::instrumentation_test {
namespace {

Complaints without_sanitizer(const SourceFile& compile_commands) {
  Complaints complaints;
  for (const std::string& line : compile_commands.lines)
    if (line.find("\"command\":") != std::string::npos && line.find(MINIMA_SANITIZER_FLAG) == std::string::npos)
      complaints.push_back(line);
  return complaints;
}

TEST(Instrumentation, EveryObjectIsCompiledWithTheSanitizer) {
  const SourceFile commands = read_source(MINIMA_BINARY_DIR, MINIMA_BINARY_DIR "/compile_commands.json");
  ASSERT_FALSE(commands.lines.empty());
  const Complaints complaints = without_sanitizer(commands);
  EXPECT_TRUE(complaints.empty()) << to_text(complaints);
}

TEST(InstrumentationCheck, NamesThePlainObject) {
  const std::string plain = "\"command\": \"c++ -c plain.cpp\",";
  const SourceFile commands{"", {"{", "\"command\": \"c++ " MINIMA_SANITIZER_FLAG " -c a.cpp\",", plain}};
  EXPECT_EQ(without_sanitizer(commands), Complaints{plain});
}

}  // namespace
}  // namespace structure::instrumentation_test
