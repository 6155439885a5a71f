#pragma once

#include <ATen/core/Reduction.h>
#include <torch/core/functions.h>
#include <torch/core/tensor.h>
