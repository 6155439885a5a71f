#pragma once

#include <minima/profiler/recording.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// The recording in Chrome's trace event format (JSON): ranges, modules, operators and gradients as nested slices with
/// their module, FLOPs and bytes, an arrow from each operator to its gradient, and the memory by purpose as
/// counters.
MINIMA_API std::string chrome_trace(const Recording& recording);

}  // namespace minima::profiler
