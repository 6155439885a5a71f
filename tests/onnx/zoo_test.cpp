#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/io/onnx/onnx_file.h>
#include <minima/io/tensors/npy.h>
#include <minima/onnx/network.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

// Models of torchvision and transformers as PyTorch exports them: outputs, and ten training steps after the import, as
// PyTorch has them. A campaign, since it takes minutes: MINIMA_ONNX_ZOO is the folder that write_zoo_models.py has
// written, or `new` to write one.

namespace minima::onnx::zoo_test {
namespace {

namespace fs = std::filesystem;

/// The largest difference relative to the largest number.
double difference(const std::vector<double>& got, const std::vector<double>& wanted) {
  if (got.size() != wanted.size()) return INFINITY;
  double most = 0, scale = 1e-6;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) return INFINITY;
    most = std::max(most, std::fabs(got[i] - wanted[i]));
    scale = std::max(scale, std::fabs(wanted[i]));
  }
  return most / scale;
}

std::vector<double> numbers(const Tensor& x) { return x.to(float64).to_vector<double>(); }

/// The losses of as many steps of SGD as PyTorch has taken.
std::vector<double> losses(Network& net, const Tensor& x, std::size_t steps) {
  optim::SGD optimizer(net.parameters(), {.lr = 0.00003});
  std::vector<double> found;
  for (std::size_t step = 0; step < steps; ++step) {
    const Tensor loss = log1p(mean(square(net(std::vector<Tensor>{x}).front())));
    found.push_back(loss.item<double>());
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  return found;
}

void compare(const fs::path& model) {
  Network net = load(model / "model.onnx");
  const Tensor x = read_npy(model / "input.npy");
  std::vector<double> output;
  {
    const NoGrad guard;
    output = numbers(net(std::vector<Tensor>{x}).front());
  }
  const double of_output = difference(output, numbers(read_npy(model / "output.npy")));
  const std::vector<double> wanted = numbers(read_npy(model / "losses.npy"));
  const double of_losses = difference(losses(net, x, wanted.size()), wanted);
  std::printf("| %s | %.1e | %.1e |\n", model.filename().c_str(), of_output, of_losses);
  std::fflush(stdout);
  EXPECT_LE(of_output, 1e-5) << model;
  EXPECT_LE(of_losses, 1e-4) << model;
}

TEST(OnnxZoo, ModelsOfTorchvisionAndTransformersComputeAndTrainAsInPyTorch) {
  const char* given = std::getenv("MINIMA_ONNX_ZOO");
  if (!given || !is_available()) GTEST_SKIP() << "a campaign; MINIMA_ONNX_ZOO=new runs it";
  const test::TemporaryFolder folder;
  std::string models = given;
  if (models == "new") {
    models = folder / "models";
    const char* python = std::getenv("MINIMA_ONNX_PYTHON");
    const test::Outcome made = test::run_program(std::string(python ? python : "python3") +
                                                 " '" MINIMA_ONNX_ZOO_MODELS "' '" + models + "' 2>&1");
    ASSERT_EQ(made.code, 0) << made.output;
    std::cout << made.output;
  }
  int count = 0;
  std::cout << "| model | output | losses |\n|---|---|---|\n";
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(models)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& model : paths) {
    if (!fs::exists(model / "losses.npy")) continue;
    try {
      compare(model);
      ++count;
    } catch (const std::exception& error) {
      ADD_FAILURE() << model << ": " << error.what();
    }
  }
  EXPECT_GE(count, 40) << "of both exporters together";
}

}  // namespace
}  // namespace minima::onnx::zoo_test
