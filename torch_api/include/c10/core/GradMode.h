#pragma once

#include <minima/autograd/mode.h>

namespace c10 {

/// Whether operators of this thread are recorded.
struct GradMode {
  static bool is_enabled() { return minima::detail::mode().grad; }
  static void set_enabled(bool enabled) { minima::detail::mode().grad = enabled; }
};

/// Records, or not, while it exists.
struct AutoGradMode {
  explicit AutoGradMode(bool enabled) : previous_(GradMode::is_enabled()) { GradMode::set_enabled(enabled); }
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool previous_;
};

struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Turns forward-mode differentiation off, which does not exist here anyway.
struct AutoFwGradMode {
  explicit AutoFwGradMode(bool) {}
  ~AutoFwGradMode() {}
};

}  // namespace c10
