// Inference of ResNet-50 (images of 224 × 224) and BERT-base (128 tokens) with random weights: as a module, and as the
// ONNX model that the module is written to, loaded again. compare_onnxruntime.sh runs the same files in ONNX Runtime.
//   onnx_models FOLDER [THREADS] [ITERATIONS]

#include "benchmarks/timed_calls.h"

#include <minima/autograd/mode.h>
#include <minima/io/tensors/npy.h>
#include <minima/models/language/bert.h>
#include <minima/models/vision/resnet.h>
#include <minima/onnx/onnx.h>
#include <minima/ops/creation/random.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

using namespace minima;

namespace {

using Forward = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

double median_ms(int iterations, const std::function<void()>& f) {
  return bench::time_calls(2, iterations, f).median();
}

void measure(const std::filesystem::path& folder, const std::string& name, nn::ModuleBase& module, const Tensor& input,
             const Forward& forward, int iterations) {
  module.for_each([](nn::ModuleBase& part) { part.eval(); });
  std::filesystem::create_directories(folder / name);
  write_npy(folder / name / "input.npy", input);
  onnx::save(folder / name / "model.onnx", module, {input}, forward);
  const onnx::Network loaded = onnx::load(folder / name / "model.onnx");
  const std::vector<Tensor> inputs{input};
  write_npy(folder / name / "output.npy", forward(inputs).front());
  std::printf("%-16s minima, module      %8.1f ms\n", name.c_str(), median_ms(iterations, [&] { forward(inputs); }));
  std::printf("%-16s minima, onnx::load  %8.1f ms\n", name.c_str(), median_ms(iterations, [&] { loaded(inputs); }));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: onnx_models FOLDER [THREADS] [ITERATIONS]\n", stderr), 2;
  try {
    set_num_threads(argc > 2 ? std::atoi(argv[2]) : 2);
    const int iterations = std::max(1, argc > 3 ? std::atoi(argv[3]) : 20);
    const NoGrad guard;
    manual_seed(1);
    models::ResNet resnet({.depth = 50});
    measure(
        argv[1], "ResNet-50", resnet, randn({1, 3, 224, 224}),
        [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{resnet(in[0])}; }, iterations);
    models::BERT bert(models::BERTOptions{});
    measure(
        argv[1], "BERT-base", bert, randint(0, 30000, {1, 128}),
        [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{bert(in[0]).last_hidden_state}; }, iterations);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "onnx_models: %s\n", error.what());
    return 1;
  }
}
