#include "tests/onnx/operators.h"
#include "tests/support/device.h"

#include <minima/autograd/mode.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

// ONNX's own test data of its operators (Debian's libonnx-testdata), at the tolerance of ONNX's own runner: inputs and
// results computed by other projects. skipped.txt names the cases that are left out, each with its reason, and is
// checked: a case in it that would pass, or that there is none of, is an error.

namespace minima::onnx {
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
  static const std::map<std::string, std::string> list = [] {
    std::map<std::string, std::string> reasons;
    std::ifstream in(MINIMA_ONNX_SKIPPED);
    for (std::string line; std::getline(in, line);)
      if (const std::size_t space = line.find(' '); space != std::string::npos && line[0] != '#')
        reasons[line.substr(0, space)] = line.substr(line.find_first_not_of(' ', space));
    return reasons;
  }();
  return list;
}

void run_node(const Node& node, std::map<std::string, Tensor>& values) {
  std::vector<Tensor> inputs;
  for (const std::string& name : node.inputs)
    inputs.push_back(name.empty() ? Tensor() : values.at(name).to(test::test_device()));
  const std::vector<Tensor> results = run(node, inputs);
  for (std::size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) values[node.outputs[i]] = results[i];
}

/// What is wrong with a case; nothing if it passes.
std::string failure_of(const std::string& name) {
  const fs::path folder = data / ("test_" + name);
  try {
    const NoGrad guard;
    const Model model = read_model(folder / "model.onnx");
    for (const auto& set : fs::directory_iterator(folder)) {
      if (!set.is_directory()) continue;
      std::map<std::string, Tensor> values = model.constants;
      for (std::size_t i = 0; i < model.inputs.size(); ++i)
        values[model.inputs[i]] = read_tensor_file(set.path() / ("input_" + std::to_string(i) + ".pb"));
      for (const Node& node : model.nodes) run_node(node, values);
      for (std::size_t i = 0; i < model.outputs.size(); ++i) {
        const Tensor expected = read_tensor_file(set.path() / ("output_" + std::to_string(i) + ".pb"));
        if (!values.contains(model.outputs[i])) return "gives no output " + model.outputs[i];
        if (const Closeness close = allclose(values.at(model.outputs[i]), expected, {.rtol = 1e-3, .atol = 1e-7});
            !close)
          return close.message;
      }
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool is_skipped(const std::string& name) { return skipped().contains(name); }

/// The cases that begin with one letter.
class OnnxNodes : public testing::TestWithParam<char> {};

TEST_P(OnnxNodes, AgreeOrAreListed) {
  SKIP_WITHOUT_TEST_DEVICE();
  if (!fs::exists(data)) GTEST_SKIP() << "ONNX's test data are not there (libonnx-testdata): " << data;
  int passed = 0, left_out = 0;
  for (const std::string& name : all_cases()) {
    if (name[0] != GetParam()) continue;
    const std::string failure = failure_of(name);
    if (is_skipped(name)) {
      EXPECT_FALSE(failure.empty()) << name << " is in skipped.txt, but passes";
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
}  // namespace minima::onnx
