#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <memory>
#include <string>

namespace simulated {

/// A network and its training step, which returns the loss.
struct TrainingStep {
  std::shared_ptr<minima::nn::ModuleBase> network;
  minima::Function<minima::Tensor()> step;
};

struct StepOptions {
  std::int64_t batch = 0;                         ///< 0: the benchmark's
  minima::DType dtype = minima::DType::bfloat16;  ///< of autocast; float32: without
  bool captured = false;
  bool reduced = false;  ///< the same kernels with little work: a shorter, shallower GPT-2, smaller images, batch 2
};

/// The benchmarks' training steps: `gpt2` (124M, 1,024 tokens), other names of models::gpt2_preset, such as `gpt2-xl`
/// (1.5 billion), with 16 rows in place of 64, `resnet50` (224 × 224, channels_last), `mlp` (784-512-512-10) and `cnn`
/// (two convolutions, MNIST's size). Throws ValueError for another name.
TrainingStep make_training_step(const std::string& name, const StepOptions& options, minima::Device device);

}  // namespace simulated
