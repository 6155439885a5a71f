#pragma once

#include <torch/csrc/jit/api/module.h>

namespace torch::jit {

template <class... Args>
Module* compile(Args&&...) {
  static_assert(sizeof...(Args) > 1000, MINIMA_TORCH_NO_TORCHSCRIPT);
  return nullptr;
}

}  // namespace torch::jit
