#pragma once

#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/tensor/base/function.h>

#include <memory>
#include <string>

namespace minima::profiler {

/// Times of kernels, copies and fills by CUPTI's activity records (CUPTI documentation, "CUPTI Activity API"). One at a
/// time. Null if CUPTI is missing or refuses; `reason` then says why.
std::unique_ptr<GpuRecorder> record_by_cupti(const Function<double()>& now, std::string& reason);

}  // namespace minima::profiler
