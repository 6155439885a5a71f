#include <minima/tensor/base/environment.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include "tests/support/temporary_folder.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <iostream>

// Invalid values of environment variables are errors that quote the value.

namespace minima::environment_test {
namespace {

using test::message_of;

class Variable {
 public:
  explicit Variable(const char* value) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  ~Variable() { ::unsetenv(name); }
  static constexpr const char* name = "MINIMA_TEST_VARIABLE";
};

TEST(Environment, UnsetAndEmptyMeanTheDefault) {
  EXPECT_TRUE(detail::environment_flag(Variable::name, true));
  EXPECT_EQ(detail::environment_number(Variable::name, 7, 0, 9), 7);
  const Variable empty("");
  EXPECT_EQ(detail::environment(Variable::name), nullptr);
  EXPECT_FALSE(detail::environment_flag(Variable::name, false));
  EXPECT_EQ(detail::environment_number(Variable::name, 7, 0, 9), 7);
}

TEST(Environment, FlagsAreZeroOrOne) {
  for (const char* value : {"yes", "true", "2", "01", " 1", "1 ", "-1", "on"}) {
    const Variable set(value);
    EXPECT_EQ(message_of<ValueError>([] { detail::environment_flag(Variable::name, false); }),
              str("MINIMA_TEST_VARIABLE=", value, ": expected 0 or 1"));
  }
  const Variable set("1");
  EXPECT_TRUE(detail::environment_flag(Variable::name, false));
}

TEST(Environment, NumbersLieInTheirRange) {
  for (const char* value :
       {"abc", "1e3", "12x", "0x10", " 5", "5 ", "+5", "-1", "1001", "99999999999999999999", "1.5"}) {
    const Variable set(value);
    EXPECT_EQ(message_of<ValueError>([] { detail::environment_number(Variable::name, 1, 0, 1000); }),
              str("MINIMA_TEST_VARIABLE=", value, ": expected a number from 0 to 1000"));
  }
  const Variable set("1000");
  EXPECT_EQ(detail::environment_number(Variable::name, 1, 0, 1000), 1000);
}

/// The output of this program in a new process with `setting` in its environment.
std::string output_with(const std::string& setting) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "MINIMA_TEST_CHILD=1 " + setting + " '" + program + "' --gtest_filter=EnvironmentChild.Works 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), count);
  ::pclose(pipe);
  return output;
}

/// Runs in that process: allocates memory and runs a parallel loop.
TEST(EnvironmentChild, Works) {
  if (!detail::environment("MINIMA_TEST_CHILD")) GTEST_SKIP() << "runs as a child of the next test";
  try {
    const Tensor x = empty({1000});
    std::atomic<std::int64_t> sum = 0;
    parallel_for(0, 1000, 1, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    std::cout << "sum " << sum << " of " << x.numel() << '\n';
  } catch (const ValueError& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
}

TEST(Environment, EveryVariableOfTheLibraryIsChecked) {
  EXPECT_CONTAINS(output_with("MINIMA_THREADS=2"), "sum 1000 of 1000");
  EXPECT_CONTAINS(output_with("MINIMA_THREADS=2 MINIMA_SPIN_US=0 MINIMA_NO_CACHE=1 MINIMA_DEBUG_MEMORY=1"),
                  "sum 1000 of 1000");
  EXPECT_CONTAINS(output_with("MINIMA_THREADS=two"), "refused: MINIMA_THREADS=two: expected a number from 1 to 1024");
  EXPECT_CONTAINS(output_with("MINIMA_THREADS=2 MINIMA_SPIN_US=soon"),
                  "refused: MINIMA_SPIN_US=soon: expected a number from 0 to 1000000");
  EXPECT_CONTAINS(output_with("MINIMA_THREADS=2 MINIMA_SPIN_US=-5"),
                  "refused: MINIMA_SPIN_US=-5: expected a number from 0 to 1000000");
  EXPECT_CONTAINS(output_with("MINIMA_NO_CACHE=yes"), "refused: MINIMA_NO_CACHE=yes: expected 0 or 1");
  EXPECT_CONTAINS(output_with("MINIMA_DEBUG_MEMORY=please"), "refused: MINIMA_DEBUG_MEMORY=please: expected 0 or 1");
}

}  // namespace
}  // namespace minima::environment_test
