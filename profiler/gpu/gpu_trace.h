#pragma once

#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/spans/span.h>

#include <string>

namespace minima::profiler {

/// Events of a Chrome trace, each after a comma: a process for each GPU, a row for each of its streams, and an arrow
/// from each launch to the first work that it caused. `row_of` is the row of the process 1 that has the span.
std::string gpu_trace(const GpuRecording& gpu, const NamedSpans& recording, int (*row_of)(const Span& span));

}  // namespace minima::profiler
