#pragma once

#include <minima/profiler/recording.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// The recording in Chrome's trace event format (JSON): ranges, modules, operators and gradients as nested slices with
/// their module, FLOPs and bytes, and an arrow from each operator to its gradient.
MINIMA_API std::string chrome_trace(const Recording& recording);

}  // namespace minima::profiler
