#pragma once

#include "simulated/executor.h"
#include "simulated/machine/cost.h"
#include "simulated/machine/memory.h"

#include <string>

namespace simulated {

/// What a kernel reads and writes, by its arguments: each allocation that an argument points into counts once, from the
/// lowest such address to its end. Through pointers to constants it is read, through other pointers written; what
/// structures point at counts as read. So a kernel that changes its operand in place, or that touches a part of it,
/// moves more or less than this says. Threads without a loop limit it (KernelCounts::most_bytes).
Cost kernel_cost(const Memory& memory, const std::string& name, const BoundKernel& kernel, const Launch& launch);

}  // namespace simulated
