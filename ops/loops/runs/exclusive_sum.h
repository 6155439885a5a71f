#pragma once

#include <minima/tensor/tensor.h>

namespace minima::sorting {

/// On CUDA, in place: counts[i] becomes the sum of the counts before it. The last element is the total, whatever it
/// held. Contiguous int64.
void exclusive_sum_cuda(const Tensor& counts);

}  // namespace minima::sorting
