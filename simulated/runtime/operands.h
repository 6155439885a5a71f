#pragma once

#include "simulated/executor.h"
#include "simulated/machine/cost.h"
#include "simulated/machine/memory.h"

#include <string>

namespace simulated {

/// The bytes that a kernel reads and writes, by its arguments: each allocation that an argument points into counts
/// once, from the lowest such address to its end. Through pointers to constants it is read, through other pointers
/// written; its counts say what it reads of that. Where only structures point at operands, its counts say which share
/// it reads and which it writes, both where it changes them in place. Threads without loops limit it
/// (KernelCounts::thread_bytes). `key` names the instance.
Cost kernel_cost(const Memory& memory, const std::string& key, const BoundKernel& kernel, const Launch& launch);

/// Whether someone tells how large operands are (set_extents).
bool has_extents();

}  // namespace simulated
