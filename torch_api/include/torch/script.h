#pragma once

// Programs include this for tensors and autograd, too; what it has of TorchScript is in torch/csrc/jit/api/module.h.
#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/autograd.h>
#include <torch/csrc/autograd/InferenceMode.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/library.h>
#include <torch/types.h>
