#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

namespace simulated::nccl {

/// to[i] = from[0][i] ∘ from[1][i] ∘ …, in the order of ranks and rounded after each step, so that sums are the same in
/// every run. ncclAvg multiplies floating values by 1/ranks first and divides integers at the end; ncclMin and ncclMax
/// ignore NaN where another rank has a number, like fminf in NCCL's kernels.
void reduce(ncclRedOp_t operation, ncclDataType_t type, void* to, const std::vector<const void*>& from,
            std::size_t count);

}  // namespace simulated::nccl
