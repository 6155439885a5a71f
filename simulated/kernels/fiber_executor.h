#pragma once

#include "simulated/executor.h"

namespace simulated {

/// Runs every thread of a kernel as a fiber: simt.h.
Executor& fiber_executor();

}  // namespace simulated
