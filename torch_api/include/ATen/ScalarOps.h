#pragma once

#include <c10/core/Scalar.h>
#include <torch/core/tensor.h>
