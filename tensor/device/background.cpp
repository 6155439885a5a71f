#include <minima/tensor/device/background.h>

#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background_stage.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace minima {

namespace {

thread_local std::shared_ptr<BackgroundLog> listening;  // what others do for this thread
thread_local std::shared_ptr<BackgroundLog> served;     // that this thread works for
thread_local std::string served_row;

}  // namespace

void BackgroundLog::add(Interval interval) {
  const std::lock_guard lock(mutex_);
  intervals_.push_back(std::move(interval));
}

std::vector<BackgroundLog::Interval> BackgroundLog::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(intervals_, {});
}

std::shared_ptr<BackgroundLog> background_log() { return listening; }

std::shared_ptr<BackgroundLog> set_background_log(std::shared_ptr<BackgroundLog> log) {
  return std::exchange(listening, std::move(log));
}

namespace detail {

std::int64_t steady_ns(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

BackgroundRow::BackgroundRow(const std::shared_ptr<BackgroundLog>& log, const char* row, int number)
    : is_set_(log != nullptr) {
  if (!is_set_) return;
  served_row = str(row, number);
  served = log;
}
BackgroundRow::~BackgroundRow() {
  if (is_set_) served.reset();
}

BackgroundStage::BackgroundStage(const char* what) : what_(what) {
  if (served) begin_ = steady_ns();
}
BackgroundStage::~BackgroundStage() {
  if (begin_ == 0 || !served) return;
  try {
    served->add({served_row, what_, begin_, steady_ns()});
  } catch (const std::bad_alloc&) {  // the work is done all the same
  }
}

}  // namespace detail

}  // namespace minima
