#pragma once

// minima chooses its kernels itself: there is nothing to declare here.

#include <torch/core/tensor.h>
