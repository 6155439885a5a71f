#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/io/tensors/npy.h>
#include <minima/onnx/network.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

// Models that PyTorch exported, with what PyTorch computes; in CTest with the label `python`.

namespace minima::onnx::torch_test {
namespace {

namespace fs = std::filesystem;

TEST(PythonOnnx, ModelsOfTorchComputeTheSame) {
  if (!is_available()) GTEST_SKIP() << "built without protobuf";
  const char* given = std::getenv("MINIMA_ONNX_PYTHON");
  const std::string python = given ? given : "python3";
  if (test::run_program(python + " -c 'import onnxscript, torch' 2>&1").code != 0)
    GTEST_SKIP() << "PyPI's torch and onnxscript are not installed; MINIMA_ONNX_PYTHON names the Python that has them";
  const test::TemporaryFolder folder;
  const std::string models = folder / "models";
  const test::Outcome made = test::run_program(python + " '" MINIMA_ONNX_TORCH_MODELS "' '" + models + "' 2>&1");
  ASSERT_EQ(made.code, 0) << made.output;
  const NoGrad guard;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(models)) {
    const fs::path model = entry.path();
    try {
      const std::vector<Tensor> outputs =
          load(model / "model.onnx")(std::vector<Tensor>{read_npy(model / "input.npy")});
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor wanted = read_npy(model / ("output_" + std::to_string(i) + ".npy"));
        const Closeness close = allclose(outputs[i], wanted, {.rtol = 1e-5, .atol = 1e-6});
        EXPECT_TRUE(close) << model << ": " << close.message;
      }
      ++count;
    } catch (const std::exception& error) {
      ADD_FAILURE() << model << ": " << error.what();
    }
  }
  EXPECT_EQ(count, 12);
}

}  // namespace
}  // namespace minima::onnx::torch_test
