#pragma once

#include <torch/core/tensor.h>
