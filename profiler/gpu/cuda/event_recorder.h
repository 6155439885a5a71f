#pragma once

#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/tensor/base/function.h>

#include <memory>

namespace minima::profiler {

/// Times of operators that are in no other one, by pairs of events on the thread's current stream. Where the stream
/// runs dry within an operator, its time is that of the launches; and other work, such as optimizers', is not seen.
std::unique_ptr<GpuRecorder> record_by_events(const Function<double()>& now);

}  // namespace minima::profiler
