#pragma once

#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/input_metadata.h>

#include <functional>

namespace torch::autograd {

/// minima's engine runs on the thread that calls backward and has no object of its own.
struct Engine {
  static Engine& get_default_engine();
  /// Calls `callback` when the backward pass that runs on this thread ends.
  void queue_callback(std::function<void()> callback);
};

}  // namespace torch::autograd
