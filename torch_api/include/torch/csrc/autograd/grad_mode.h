#pragma once

#include <ATen/core/grad_mode.h>

namespace torch::autograd {
using at::AutoGradMode;
using at::GradMode;
}  // namespace torch::autograd
