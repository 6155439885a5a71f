#include "tests/ops/checks/sample.h"
#include "tests/simt/device/device.h"

#include <minima/amp/grad_scaler.h>
#include <minima/autograd/backward.h>
#include <minima/data/transforms/augment.h>
#include <minima/data/transforms/batch.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/cuda/bytes.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>

// Every __global__ function of the library must have run under the harness.

namespace minima::test {
namespace {

namespace fs = std::filesystem;

/// The names of all kernels in some folders, without `_kernel`, and their files.
std::map<std::string, std::string> kernels_in(const std::vector<std::string>& folders) {
  static const std::regex kernel(R"(__global__[^;{]*?\b(\w+)_kernel\s*\()");
  std::map<std::string, std::string> found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MINIMA_REPOSITORY) / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cuh" && extension != ".cu") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string source = text.str();
      for (std::sregex_iterator match(source.begin(), source.end(), kernel); match != std::sregex_iterator(); ++match)
        found[(*match)[1]] = fs::relative(entry.path(), MINIMA_REPOSITORY).string();
    }
  return found;
}

/// Every table's small inputs, forwards and backwards.
void run_tables() {
  for (const OpCases& cases : all_op_cases()) {
    const bool gradient = cases.has_gradient() && cases.claims(float32);
    const Wish wish{.dtypes = {gradient ? float32 : cases.dtypes().back()},
                    .arrangement = {0},
                    .max_numel = 200,
                    .requires_grad = gradient};
    for_each_sample(cases, wish, [](const Sample& sample) {
      const std::vector<Tensor> outputs = Sample::differentiable(sample.call->call(sample.inputs));
      if (!outputs.empty()) sum(outputs.front()).backward();
    });
  }
}

/// The kernels that small inputs do not reach.
void run_the_rest() {
  sum(ones({20000}));  // split over blocks
  contiguous(transpose(randn({40, 50}), 0, 1));
  Tensor x = randn({6}).requires_grad(true);
  sum(as_strided(x, {{3, 3}, {1, 1}, 0})).backward();       // repeated positions
  Tensor images = randn({1, 1, 4, 4}).requires_grad(true);  // a gradient of a gradient
  Tensor weights = ones({1, 1, 2, 2}).requires_grad(true);
  grad({sum(grad({max_pool2d(images, {.kernel = 2})}, {images}, {weights}, {.create_graph = true})[0])}, {weights});
  Tensor logits = randn({2, 3}).requires_grad(true);
  const Tensor loss = cross_entropy(logits, tensor<std::int64_t>({2, 0}));
  sum(grad({loss}, {logits}, {}, {.create_graph = true})[0]).backward();
  optim::Adam optimizer({x}, {.lr = 0.1});
  optim::clip_grad_norm_({x}, 1);
  amp::GradScaler scaler;
  scaler.step(optimizer);
  scaler.update();
  const Tensor photographs = zeros({1, 4, 4, 3}, {.dtype = uint8});
  data::normalize_images(photographs, data::imagenet_mean, data::imagenet_std);
  data::augment_images(photographs, std::vector<data::ImageChange>(1), 2, 2, data::imagenet_mean, data::imagenet_std);
  data::RandomStream random(1);
  data::rand_augment_images(photographs, {.operations = 1}, random);
  unsigned long long first = 4;
  cuda::find_foreign_byte("aaba", 4, 'a', &first);
  EXPECT_EQ(first, 2u);
}

TEST(Kernels, EveryOneHasRunUnderTheHarness) {
  run_tables();
  run_the_rest();
  const auto kernels = kernels_in({"tensor", "autograd", "ops", "optim", "amp", "data"}),
             own = kernels_in({"tests/simt"});
  EXPECT_GE(kernels.size(), 30u) << "the search for kernels does not find them";
  for (const auto& [name, file] : kernels)
    EXPECT_TRUE(simt::launches().contains(name)) << name << "_kernel in " << file << " runs in no test";
  for (const auto& [name, count] : simt::launches())
    EXPECT_TRUE(kernels.contains(name) || own.contains(name))
        << "a launch calls itself " << name << ", but there is no " << name << "_kernel";
  std::cout << kernels.size() << " kernels\n";
}

TEST(Kernels, OperatorsWithoutOneAreKnown) {
  run_tables();
  for (const std::string& name : operators_without_kernel()) ADD_FAILURE() << name << " has no CUDA kernel";
}

}  // namespace
}  // namespace minima::test
