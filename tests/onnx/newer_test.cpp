#include "tests/onnx/cases.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/onnx/onnx_file.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

// The cases of PyPI's onnx, which are newer than Debian's and twice as many, and its networks for images; in CTest with
// the label `python`. A case that skipped.txt names, or that asks for what minima has not, is left out and counted by
// its reason; newer.txt names what else may fail, and is checked as skipped.txt is.

namespace minima::onnx::newer_test {
namespace {

namespace fs = std::filesystem;

/// A refusal without names and numbers, so that like cases count as one.
std::string kind_of(const std::string& refusal) {
  if (refusal.find("is none of minima's") != std::string::npos) return "a dtype that minima has not";
  return refusal.substr(std::string("onnx: ").size(), refusal.find('\n') - std::string("onnx: ").size());
}

TEST(PythonOnnx, NewerCasesAgreeOrAreRefused) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  const char* given = std::getenv("MINIMA_ONNX_PYTHON");
  const std::string python = given ? given : "python3";
  if (test::run_program(python + " -c 'import onnx.backend.test.case.node' 2>&1").code != 0)
    GTEST_SKIP() << "PyPI's onnx is not installed; MINIMA_ONNX_PYTHON names the Python that has it";
  const test::TemporaryFolder folder;
  const std::string data = folder / "cases";
  const test::Outcome made = test::run_program(python + " '" MINIMA_ONNX_WRITE_CASES "' '" + data + "' 2>&1");
  ASSERT_EQ(made.code, 0) << made.output;

  const std::map<std::string, std::string> listed = read_reasons(MINIMA_ONNX_NEWER),
                                           skipped = read_reasons(MINIMA_ONNX_SKIPPED);
  std::map<std::string, int> left_out;
  int passed = 0;
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename().string().substr(5), failure = failure_of(entry.path());
    const auto reason = listed.find(name);
    if (reason != listed.end()) {
      EXPECT_FALSE(failure.empty()) << name << " is in newer.txt, but passes";
      ++left_out[reason->second];
    } else if (skipped.contains(name) && !failure.empty()) {
      ++left_out[skipped.at(name)];
    } else if (failure.starts_with("onnx: ")) {
      ++left_out[kind_of(failure)];
    } else {
      EXPECT_TRUE(failure.empty()) << name << ": " << failure;
      passed += failure.empty();
    }
  }
  std::cout << made.output << passed << " pass; left out:\n";
  for (const auto& [reason, count] : left_out) std::cout << "  " << count << "  " << reason << "\n";
  EXPECT_GE(passed, 1470);
}

}  // namespace
}  // namespace minima::onnx::newer_test
