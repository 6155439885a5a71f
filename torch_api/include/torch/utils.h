#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <torch/types.h>

namespace torch {

using at::AutoGradMode;
using at::GradMode;
using at::NoGradGuard;
using c10::InferenceMode;

/// Whether both are undefined, or equal element by element.
bool equal_if_defined(const Tensor& a, const Tensor& b);

}  // namespace torch
