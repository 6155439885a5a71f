#pragma once

#include <minima/distributed/backends/backend.h>

// Reductions of plain memory for backends on the CPU. Internal.

namespace minima::distributed::detail {

/// out[i] = a[i] ∘ b[i]; out may be a or b. `mean` adds. Half types are added in float32 and rounded.
using ReduceFunction = void (*)(void* out, const void* a, const void* b, std::size_t count);
ReduceFunction reduce_function(Reduce reduce, DType dtype);
/// x /= count, the last step of a mean. Throws DTypeError unless the dtype is floating.
void divide(const Tensor& x, int count);

/// Performs an operation for all ranks at once, whose tensors are all in this process.
void run_for_all(const std::vector<Operation*>& ranks);

}  // namespace minima::distributed::detail
