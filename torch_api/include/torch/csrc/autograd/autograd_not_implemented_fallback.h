#pragma once

#include <torch/library.h>

namespace torch::autograd {

/// The Autograd kernel of an operator without a gradient: calls the kernel of the device, and throws in backward. For
/// arguments that the schema marks as changed, `Tensor(a!)`, it checks what LibTorch checks.
inline torch::CppFunction autogradNotImplementedFallback() {
  return torch::CppFunction(torch::detail::KernelKind::not_implemented);
}
/// The ADInplaceOrView kernel: counts changes in place, and checks that a view, `Tensor(a)`, is one of the first
/// argument.
inline torch::CppFunction autogradNotImplementedInplaceOrViewFallback() {
  return torch::CppFunction(torch::detail::KernelKind::not_implemented_view);
}

}  // namespace torch::autograd
