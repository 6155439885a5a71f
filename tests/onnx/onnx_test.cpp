#include "tests/onnx/cases.h"
#include "tests/support/device.h"

#include <minima/io/onnx/onnx_file.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

// ONNX's own test data of its operators (Debian's libonnx-testdata), about at the tolerance of ONNX's own runner:
// inputs and results computed by other projects. skipped.txt names the cases that are left out, each with its reason,
// and is checked: a case in it that would pass, or that there is none of, is an error.

namespace minima::onnx::onnx_test {
namespace {

namespace fs = std::filesystem;

const fs::path data = MINIMA_ONNX_DATA;

std::vector<std::string> all_cases() {
  std::vector<std::string> names;
  if (fs::exists(data))
    for (const auto& entry : fs::directory_iterator(data))
      names.push_back(entry.path().filename().string().substr(5));  // test_
  std::sort(names.begin(), names.end());
  return names;
}

const std::map<std::string, std::string>& skipped() {
  static const std::map<std::string, std::string> list = read_reasons(MINIMA_ONNX_SKIPPED);
  return list;
}

bool is_skipped(const std::string& name) { return skipped().contains(name); }

/// The cases that begin with one letter.
class OnnxNodes : public testing::TestWithParam<char> {};

TEST_P(OnnxNodes, AgreeOrAreListed) {
  SKIP_WITHOUT_TEST_DEVICE();
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  if (!fs::exists(data)) GTEST_SKIP() << "ONNX's test data are not there (libonnx-testdata): " << data;
  int passed = 0, left_out = 0;
  for (const std::string& name : all_cases()) {
    if (name[0] != GetParam()) continue;
    const std::string failure = failure_of(data / ("test_" + name));
    if (is_skipped(name)) {
      // A GPU's libraries may round to what the data have.
      EXPECT_TRUE(!failure.empty() || test::runs_cuda_kernels()) << name << " is in skipped.txt, but passes";
      ++left_out;
    } else {
      EXPECT_TRUE(failure.empty()) << name << ": " << failure;
      passed += failure.empty();
    }
  }
  std::cout << passed << " cases pass, " << left_out << " are left out\n";
}

INSTANTIATE_TEST_SUITE_P(, OnnxNodes, testing::ValuesIn([] {
                           std::set<char> letters;
                           for (const std::string& name : all_cases()) letters.insert(name[0]);
                           return letters.empty() ? std::vector<char>{'a'}
                                                  : std::vector<char>(letters.begin(), letters.end());
                         }()));

/// Models of layers, as PyTorch exported them for opsets 6 to 9, and small ones of several operators.
TEST(OnnxModels, AgreeOrAreListed) {
  SKIP_WITHOUT_TEST_DEVICE();
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  if (!fs::exists(data)) GTEST_SKIP() << "ONNX's test data are not there (libonnx-testdata): " << data;
  std::map<std::string, std::string> listed = read_reasons(MINIMA_ONNX_MODELS);
  int passed = 0, left_out = 0;
  for (const char* kind : {"pytorch-converted", "pytorch-operator", "simple"})
    for (const auto& entry : fs::directory_iterator(data.parent_path() / kind)) {
      const std::string name = std::string(kind) + "/" + entry.path().filename().string().substr(5),
                        failure = failure_of(entry.path());
      if (listed.erase(name) > 0) {
        EXPECT_FALSE(failure.empty()) << name << " is in models.txt, but passes";
        ++left_out;
      } else {
        EXPECT_TRUE(failure.empty()) << name << ": " << failure;
        passed += failure.empty();
      }
    }
  for (const auto& [name, reason] : listed) ADD_FAILURE() << name << " is in models.txt, but there is no such model";
  std::cout << passed << " models pass, " << left_out << " are left out\n";
}

TEST(OnnxList, NamesCasesThatExistAndLeavesEnough) {
  if (!fs::exists(data)) GTEST_SKIP() << "ONNX's test data are not there (libonnx-testdata): " << data;
  const std::vector<std::string> names = all_cases();
  const std::set<std::string> known(names.begin(), names.end());
  for (const auto& [name, reason] : skipped()) {
    EXPECT_TRUE(known.contains(name)) << name << " is in skipped.txt, but there is no such case";
    EXPECT_GE(reason.size(), 8u) << name << " needs a reason";
  }
  std::map<std::string, int> reasons;
  for (const auto& [name, reason] : skipped()) ++reasons[reason];
  std::cout << names.size() << " cases, " << names.size() - skipped().size() << " run, " << skipped().size()
            << " left out:\n";
  for (const auto& [reason, count] : reasons) std::cout << "  " << count << "  " << reason << "\n";
  EXPECT_GE(names.size() - skipped().size(), 450u);
}

}  // namespace
}  // namespace minima::onnx::onnx_test
