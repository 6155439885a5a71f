#pragma once

#include <c10/core/GradMode.h>

namespace c10 {

/// While it exists (and is enabled), nothing is recorded and new tensors can never take part in a recorded computation.
struct InferenceMode {
  explicit InferenceMode(bool enabled = true) : was_enabled_(is_enabled()), recorded_(GradMode::is_enabled()) {
    minima::detail::mode().inference = enabled;
    GradMode::set_enabled(!enabled);
  }
  ~InferenceMode() {
    minima::detail::mode().inference = was_enabled_;
    GradMode::set_enabled(recorded_);
  }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

  static bool is_enabled() { return minima::detail::mode().inference; }

 private:
  bool was_enabled_, recorded_;
};

}  // namespace c10
