#pragma once

#include <minima/distributed/pretend.h>
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

  // For the presets of models::llama_preset only.
  std::int64_t length = 0;    ///< tokens of a sample; 0: 8,192, or the positions of a model that has fewer
  bool checkpointed = false;  ///< backward recomputes each block
  int ranks = 1;              ///< more: a pretended group, of which this is rank 0
  int stage = 3;              ///< of sharding over the ranks
  minima::distributed::Traffic traffic = {};  ///< what this rank would send
};

/// The benchmarks' training steps: `gpt2` (124M, 1,024 tokens), other names of models::gpt2_preset, such as `gpt2-xl`
/// (1.5 billion), with 16 rows in place of 64, `resnet50` (224 × 224, channels_last), `mlp` (784-512-512-10) and `cnn`
/// (two convolutions, MNIST's size), and those of `llama-3.1-405b` and the like, by AdamW. Throws ValueError for
/// another name.
TrainingStep make_training_step(const std::string& name, const StepOptions& options, minima::Device device);

}  // namespace simulated
