#pragma once

/// LibTorch's gradient formulas are inside minima's operators here.
#include <torch/csrc/autograd/function.h>
