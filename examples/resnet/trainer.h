#pragma once

#include "network.h"
#include "options.h"

#include <minima/distributed/distributed.h>

/// Takes training steps and measures their speed, after the warmup steps.
class Trainer {
 public:
  Trainer(const Options& options, minima::Device device, const minima::distributed::ProcessGroup& group,
          std::int64_t classes);
  /// One step on images [N, 3, H, W] and labels [N]. Returns whether more steps are wanted.
  bool step(const minima::Tensor& batch, const minima::Tensor& labels);
  /// Prints the speed: images per second and TFLOP/s, compared with a matrix product's.
  void report();

 private:
  Options options_;
  minima::Device device_;
  minima::distributed::ProcessGroup group_;
  ResNet network_;
  minima::distributed::DistributedDataParallel parallel_;
  minima::optim::SGD optimizer_;
  minima::amp::AutocastOptions autocast_;
  minima::amp::GradScaler scaler_;  ///< enabled only for float16
  minima::Progress progress_;
  std::int64_t done_ = 0, images_ = 0;
  double start_ = 0;
};
