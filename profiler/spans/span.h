#pragma once

#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/wait_observer.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

enum class SpanKind : std::uint8_t {
  op,       ///< an operator call, or a kernel that a formula calls without one
  formula,  ///< the gradient of a recorded call
  module,   ///< a module's forward
  range,    ///< what the user named
  wait      ///< of the thread for others, `minima::Wait`
};

/// A stretch of the recorded thread's time.
struct Span {
  std::int32_t name = 0;
  std::int32_t module = 0;   ///< the path of the innermost module, also of the call whose gradient this is
  std::int32_t parent = -1;  ///< the span in which this one began, or -1
  SpanKind kind = SpanKind::op;
  bool backward = false;
  bool half = false;          ///< of a formula: its call's result has a half type
  double begin = 0, end = 0;  ///< seconds since the recording began
  Cost cost;                  ///< of an operator, as it estimates it; the bytes of a copy between devices
  Wait wait = Wait::threads;  ///< what a wait is for
  /// A formula's span has its node's number. An operator's has that of the newest node when it ended; its own is next.
  std::uint64_t sequence = 0;

  double seconds() const { return end - begin; }
};

/// A recording's spans, in the order in which they began, and the names that they have places of.
struct NamedSpans {
  const std::vector<Span>& spans;
  const std::vector<std::string>& names;

  const Span& operator[](std::int32_t place) const { return spans[static_cast<std::size_t>(place)]; }
  const std::string& name(const Span& span) const { return names[static_cast<std::size_t>(span.name)]; }
  const std::string& module(const Span& span) const { return names[static_cast<std::size_t>(span.module)]; }
};

}  // namespace minima::profiler
