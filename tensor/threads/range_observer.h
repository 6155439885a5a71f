#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

/// When a thread ran one of the ranges of a `parallel_for`.
struct RangeTime {
  int thread = 0;          ///< 0: the caller; workers have numbers from 1 on
  std::int64_t begin = 0;  ///< nanoseconds of the steady clock
  std::int64_t end = 0;
};

/// Hears of each `parallel_for` of a thread that was shared with others, after it has ended.
class MINIMA_API RangeObserver {
 public:
  virtual void ranges(const RangeTime* times, int count) noexcept = 0;

 protected:
  ~RangeObserver() = default;
};

/// Sets this thread's observer and returns the previous one; null for none.
MINIMA_API RangeObserver* set_range_observer(RangeObserver* observer);

}  // namespace minima
