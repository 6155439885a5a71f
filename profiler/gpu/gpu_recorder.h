#pragma once

#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/spans/span.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/storage/storage.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace minima::profiler {

/// Records what GPUs do while a thread is profiled. It belongs to that thread, which tells it which span it is in.
class GpuRecorder {
 public:
  virtual ~GpuRecorder() = default;
  /// The recording begins now.
  virtual void start() = 0;
  /// Work that the thread submits until `end` belongs to this span.
  virtual void begin(std::int32_t span, SpanKind kind) = 0;
  virtual void end(SpanKind kind) noexcept = 0;
  /// Waits for the GPUs and adds their work. `name_of` returns the place of a name in the recording.
  virtual void finish(GpuRecording& gpu, const NamedSpans& recording,
                      const Function<std::int32_t(std::string_view)>& name_of) = 0;
};

/// A recorder for the GPUs that this process uses, which first waits for them; null if there is none. `now` is the
/// recording's clock. Fills in `source`, `predicted`, `device` and `without_cupti`.
std::unique_ptr<GpuRecorder> record_gpus(const Function<double()>& now, GpuRecording& recording);

/// Waits for all GPUs that this process uses.
void wait_for_gpus();

/// Tells simulated GPUs the sizes of kernels' operands, from which they predict times. Without it they know the sizes
/// of the driver's allocations alone, which hold many tensors each.
class BlockSizes {
 public:
  virtual ~BlockSizes() = default;
  /// The thread has allocated or, with negative `bytes`, frees a storage.
  virtual void change(const Storage& storage, std::int64_t bytes) noexcept = 0;
};
/// Null where no GPU in use is simulated, or another one exists.
std::unique_ptr<BlockSizes> tell_block_sizes();

/// Seconds on the clock of simulated GPUs; null where GPUs are real, or none is in use.
using GpuClock = double (*)();
GpuClock simulated_clock();

}  // namespace minima::profiler
