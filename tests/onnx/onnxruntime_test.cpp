#include "tests/onnx/zoo.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/io/tensors/npy.h>
#include <minima/ops/copy/copy.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

// Written models under onnx.checker and onnxruntime, both from PyPI; in CTest with the label `python`. The table in
// docs/onnx.md is this test's output.

namespace minima::onnx::onnxruntime_test {
namespace {

namespace fs = std::filesystem;

void write_set(const fs::path& folder, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  fs::create_directories(folder);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    write_npy(folder / ("input_" + std::to_string(i) + ".npy"), inputs[i]);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    write_npy(folder / ("output_" + std::to_string(i) + ".npy"), clone(outputs[i]));
}

void write_case(const test_zoo::Case& c, const fs::path& folder) {
  const NoGrad guard;
  fs::create_directories(folder);
  std::ofstream(folder / "name.txt") << c.name;
  try {
    test_zoo::save_case(c, folder / "model.onnx");
    write_set(folder / "example", c.inputs, c.forward(c.inputs));
    if (c.options.dynamic.empty()) return;
    const std::vector<Tensor> inputs = test_zoo::other_inputs(c);
    write_set(folder / "other sizes", inputs, c.forward(inputs));
  } catch (const std::exception& error) {
    std::ofstream(folder / "error.txt") << error.what();
  }
}

TEST(PythonOnnx, WrittenModelsAreValidAndComputeTheSameInOnnxruntime) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  const char* given = std::getenv("MINIMA_ONNX_PYTHON");
  const std::string python = given ? given : "python3";
  if (test::run_program(python + " -c 'import onnx, onnxruntime' 2>&1").code != 0)
    GTEST_SKIP() << "PyPI's onnx and onnxruntime are not installed; MINIMA_ONNX_PYTHON names the Python that has them";
  const test::TemporaryFolder folder;
  int number = 100;
  for (const auto& list : {test_zoo::networks(), test_zoo::sequence_layers(), test_zoo::layers(), test_zoo::losses(),
                           std::vector{test_zoo::trained_after_import(folder / "trained.onnx")}})
    for (const test_zoo::Case& c : list) write_case(c, fs::path(folder / std::to_string(number++)));
  const test::Outcome ran =
      test::run_program(python + " '" MINIMA_ONNX_RUN_MODELS "' '" + std::string(folder / "") + "' 2>&1");
  std::cout << ran.output;
  EXPECT_EQ(ran.code, 0);
}

}  // namespace
}  // namespace minima::onnx::onnxruntime_test
