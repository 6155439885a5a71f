#pragma once

#include <minima/tensor/base/api.h>

// Internal.

namespace minima::detail {

/// Whether this thread's operators are recorded as a graph that is to hold for other inputs: code that keeps tables,
/// whose size depends on those of inputs, then makes them by operators.
extern MINIMA_API constinit thread_local bool records_graph;

}  // namespace minima::detail
