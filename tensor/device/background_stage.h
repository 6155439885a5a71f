#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima::detail {

/// An interval, from construction to destruction, in the BackgroundLog (background.h) that this thread works for.
class MINIMA_API BackgroundStage {
 public:
  /// `what` must be a literal.
  explicit BackgroundStage(const char* what);
  BackgroundStage(const BackgroundStage&) = delete;
  ~BackgroundStage();

 private:
  const char* what_;
  std::int64_t begin_ = 0;
};

}  // namespace minima::detail
