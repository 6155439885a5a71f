#pragma once

#include <minima/minima.h>
#include <minima/profiler/advice/advice.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

// Small programs, each with a problem that a rule of `profiler::advise` is for.

namespace advice {

using Batch = std::vector<minima::Tensor>;

/// A training step on a device.
struct Setup {
  std::shared_ptr<minima::nn::ModuleBase> network;
  std::function<void(const Batch&)> step;
  Batch batch;
};

struct Program {
  const char* rule;
  const char* text;                                 ///< what it does, and in what it is slow
  Setup (*with_problem)(minima::Device device);     ///< the rule advises
  Setup (*without_problem)(minima::Device device);  ///< the same without it, and the rule does not
  bool is_applied = false;                          ///< the one without is the same program with the advice followed
  bool on_cpu = true, on_gpu = true;                ///< where the rule applies
  minima::profiler::AdviceOptions options = {};
};

const std::vector<Program>& programs();

}  // namespace advice
