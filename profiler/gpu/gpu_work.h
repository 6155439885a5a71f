#pragma once

#include <minima/tensor/device/observer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// How the times of GPUs' work were taken.
enum class GpuSource : std::uint8_t {
  none,   ///< not at all: no GPU was in use, or no profile was to look
  cupti,  ///< each kernel, copy and fill, by CUPTI
  events  ///< each operator, between a pair of events
};

enum class GpuWorkKind : std::uint8_t { kernel, collective, to_device, from_device, copy, fill, op };
/// `kernel`, `collective`, `copy to device`, `copy from device`, `copy`, `fill` or `operator`.
const char* name(GpuWorkKind kind);

/// A kernel, copy or fill, or with event pairs all that an operator runs.
struct GpuWork {
  std::int32_t name = 0;       ///< its place in the recording's names
  std::int32_t span = -1;      ///< the innermost one, but for waits, in which it was launched, or -1
  std::int32_t captured = -1;  ///< of a graph: the place of its operator in `GpuRecording::captured`, or -1
  GpuWorkKind kind = GpuWorkKind::kernel;
  std::int32_t device = 0, stream = 0;
  std::uint64_t launch = 0;   ///< the same for all work of one launch of a graph
  double launched = -1;       ///< when the host called; negative if that is not known
  double begin = 0, end = 0;  ///< seconds since the recording began
  double bytes = 0;           ///< of a copy or fill

  double seconds() const { return end - begin; }
};

/// A kernel's name without parameters: `_Z5scalefPKfPf` is `scale`.
std::string kernel_name(const char* mangled);

/// An operator call that was captured into a graph.
struct CapturedOp {
  std::string op, module;
  bool backward = false, half = false;
  Cost cost;
};

/// Records what the GPUs did.
struct GpuRecording {
  GpuSource source = GpuSource::none;
  bool predicted = false;       ///< by the time model of simulated GPUs; all times of the recording are on their clock
  std::string device;           ///< its name
  std::string without_cupti{};  ///< why there are only event pairs
  std::vector<GpuWork> work{};  ///< each stream's in order
  std::vector<CapturedOp> captured{};
  std::int64_t untimed = 0;  ///< kernels and copies of which CUPTI has no times, which are left out
};

}  // namespace minima::profiler
