#pragma once

#include <torch/library.h>

namespace torch::autograd {

/// Kernels for operators in a dispatcher, which does not exist here (torch/library.h). Without a gradient of its own an
/// operator made of tensors' functions is differentiable.
inline torch::CppFunction autogradNotImplementedFallback() { return {}; }
inline torch::CppFunction autogradNotImplementedInplaceOrViewFallback() { return {}; }

}  // namespace torch::autograd
