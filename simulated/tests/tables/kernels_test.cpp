#include "simulated/kernels/simt.h"
#include "simulated/simulation.h"
#include "tests/ops/checks/sample.h"

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>
#include <minima/autograd/backward.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/cuda/bytes.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

// Every kernel of the library runs on the small inputs of the operators' tables.

namespace minima::test::kernels_test {
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
    if (cases.name() == "half_squared_distance") continue;  // the checks' own operator has no CUDA kernel
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

constexpr TensorOptions on_gpu{.device = Device::cuda()};

/// The kernels that small inputs do not reach.
void run_the_rest() {
  sum(ones({20000}, on_gpu));       // split over blocks
  cumsum(ones({9000}, on_gpu), 0);  // split over blocks
  Tensor row = ones({1, 33000}, on_gpu).requires_grad(true);
  sum(softmax(row, 1)).backward();  // so are long rows
  sum(ones({40, 32}, on_gpu), {0});
  scatter_add(zeros({3}, on_gpu), 0, zeros({200}, {.dtype = int64, .device = Device::cuda()}),
              ones({200}, on_gpu));      // long lines
  for (const std::int64_t n : {8, 7}) {  // rows in packs, and without
    Tensor rows = randn({3, n}, on_gpu).requires_grad(true);
    sum(layer_norm(softmax(rows, 1), {n}, ones({n}, on_gpu).requires_grad(true))).backward();
  }
  contiguous(transpose(randn({40, 50}, on_gpu), 0, 1));
  Tensor x = randn({6}, on_gpu).requires_grad(true);
  sum(as_strided(x, {{3, 3}, {1, 1}, 0})).backward();               // repeated positions
  Tensor images = randn({1, 1, 4, 4}, on_gpu).requires_grad(true);  // a gradient of a gradient
  Tensor weights = ones({1, 1, 2, 2}, on_gpu).requires_grad(true);
  grad({sum(grad({max_pool2d(images, {.kernel = 2})}, {images}, {weights}, {.create_graph = true})[0])}, {weights});
  Tensor logits = randn({2, 3}, on_gpu).requires_grad(true);
  const Tensor loss = cross_entropy(logits, tensor<std::int64_t>({2, 0}).to(Device::cuda()));
  sum(grad({loss}, {logits}, {}, {.create_graph = true})[0]).backward();
  const Tensor heads = randn({1, 2, 8, 16}, {.dtype = bfloat16, .device = Device::cuda()});  // with cuDNN
  scaled_dot_product_attention(heads, heads, heads, {.mask = randn({8, 8}, on_gpu) > 0, .dropout = 0.5});
  const Tensor segments = zeros({8}, {.dtype = int64, .device = Device::cuda()});
  scaled_dot_product_attention(heads, heads, heads, {.causal = true, .segments = segments});
  optim::Adam optimizer({x}, {.lr = 0.1});
  optim::clip_grad_norm_({x}, 1);
  amp::GradScaler scaler;
  scaler.step(optimizer);
  scaler.update();
  const Tensor first_weight = randn({16, 16}, on_gpu).requires_grad(true);
  const Tensor second_weight = randn({16, 16}, on_gpu).requires_grad(true);
  for (int pass = 0; pass < 2; ++pass) {  // the second region knows which weights it will convert
    const amp::Autocast autocast(DeviceType::cuda);
    sum(linear(linear(ones({2, 16}, on_gpu), first_weight), second_weight)).backward();
  }
  const Tensor photographs = zeros({1, 4, 4, 3}, {.dtype = uint8, .device = Device::cuda()});
  data::normalize_images(photographs, data::imagenet_mean, data::imagenet_std);
  data::RandomStream random(1);
  data::on_batch(data::RandAugment{.operations = 1})(photographs, random);
  const Tensor text = from_vector<std::uint8_t>({'a', 'a', 'b', 'a'}, {4}).to(Device::cuda());
  const Tensor first = full({1}, 4, {.dtype = int64, .device = Device::cuda()});
  cuda::find_foreign_byte(text.raw_data(), 4, 'a', static_cast<unsigned long long*>(first.raw_data()));
  EXPECT_EQ(first.item<std::int64_t>(), 2);
  for (const char* engine : {"prepare implicit_gemm", "prepare direct"}) simulated::fail_call(engine, 1, 3000);
  conv2d(randn({1, 2, 6, 5}, on_gpu), randn({3, 2, 3, 2}, on_gpu));  // without cuDNN
}

TEST(SimulatedKernelsOfTheLibrary, AllRun) {
  run_tables();
  run_the_rest();
  synchronize(Device::cuda());
  for (const char* function :
       {"cufftExecC2C", "cufftExecR2C", "cufftExecC2R", "cusolverDnXpotrf", "cusolverDnXgetrf", "cusolverDnXgetrs",
        "cusolverDnXgeqrf", "cusolverDnXsyevd", "cusolverDnXgesvd", "cusolverDnSpotrfBatched", "cublasSgetrfBatched",
        "cublasSgetrsBatched", "cublasStrsmBatched"})
    EXPECT_GT(simulated::calls(function), 0) << "no table reached " << function;
  if (const char* executor = std::getenv("MINIMA_SIMULATED_EXECUTOR"); executor && executor != std::string("fibers"))
    GTEST_SKIP() << "only fibers count the runs of kernels";
  const auto kernels = kernels_in({"tensor", "autograd", "ops", "optim", "amp", "data"});
  const auto runs = simulated::simt::runs();
  EXPECT_GE(kernels.size(), 30u) << "the search for kernels does not find them";
  for (const auto& [name, file] : kernels)
    EXPECT_TRUE(runs.contains(name + "_kernel")) << name << "_kernel in " << file << " runs in no test";
  std::cout << kernels.size() << " kernels\n";
}

}  // namespace
}  // namespace minima::test::kernels_test
