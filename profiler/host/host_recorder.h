#pragma once

#include <minima/profiler/host/counters.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/system/processor_use.h>
#include <minima/tensor/threads/range_observer.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima::profiler {

struct HostOptions {
  bool stacks = false;
  bool counters = false;
};

/// Records a thread's parallel loops and what background threads do for it; on request also where operators are called
/// from, and the processor's counters. Profile owns one and tells it of its spans.
class HostRecorder final : public RangeObserver {
 public:
  /// `open` are the places of the spans under way, innermost last. Both must outlive the recorder.
  HostRecorder(const HostOptions& options, const std::vector<std::int32_t>& open, HostRecording& data);

  void attach();
  /// Begins again. The recording's time 0 is this one of the steady clock.
  void restart(std::int64_t start_ns);
  /// Records an operator's span, which has just begun. Stacks are those of the outermost operators of a forward pass.
  void begin_op(std::size_t span, bool wants_stack) {
    if (options_.stacks || counters_) [[unlikely]]
      note_begin(span, wants_stack);
  }
  void end_op(std::size_t span) noexcept {
    if (counters_) [[unlikely]]
      note_end(span);
  }
  /// Stops listening. The same moment is `seconds` after the recording began by the profile's clock, `end_ns` on the
  /// steady one.
  void detach(double seconds, std::int64_t end_ns);

  void ranges(const RangeTime* times, int count) noexcept override;

 private:
  void note_begin(std::size_t span, bool wants_stack);
  void note_end(std::size_t span) noexcept;

  HostOptions options_;
  const std::vector<std::int32_t>& open_;
  HostRecording& data_;
  RangeObserver* ranges_ = nullptr;
  std::shared_ptr<BackgroundLog> log_, outer_log_;
  std::optional<Counters> counters_;
  std::map<std::string, std::int32_t> places_;  ///< of stacks, by their addresses
  std::int32_t loops_ = 0;
  std::optional<ProcessorMeter> processor_;
};

}  // namespace minima::profiler
