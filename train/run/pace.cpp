#include <minima/train/run/pace.h>

#include <minima/io/states/board.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/device/wait_observer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace minima::train::detail {

namespace {

constexpr std::size_t pace_window = 50;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_of_others(const std::vector<double>& medians, std::size_t rank) {
  std::vector<double> others = medians;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(rank));
  return median_of(others);
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

}  // namespace

Pace::Pace(Ref<minima::detail::Board> board, double factor)
    : board_(std::move(board)), factor_(factor), former_(set_wait_observer(this)) {}

Pace::~Pace() {
  // A profiler that has put its own in front restores this one's place itself.
  if (minima::detail::thread_wait_observer == this) set_wait_observer(former_);
}

void Pace::begin_wait(Wait wait, double bytes) noexcept {
  if (wait == Wait::ranks && std::find(waits_.begin(), waits_.end(), wait) == waits_.end())
    wait_began_ = minima::detail::steady_ns();
  waits_.push_back(wait);
  if (former_) former_->begin_wait(wait, bytes);
}

void Pace::end_wait() noexcept {
  if (!waits_.empty()) {
    const Wait wait = waits_.back();
    waits_.pop_back();
    if (wait == Wait::ranks && std::find(waits_.begin(), waits_.end(), wait) == waits_.end())
      waited_ += minima::detail::steady_ns() - wait_began_;
  }
  if (former_) former_->end_wait();
}

std::vector<std::string> Pace::step() {
  const std::int64_t now = minima::detail::steady_ns();
  if (began_ != 0) seconds_.push_back(static_cast<double>(now - began_ - waited_) * 1e-9);
  began_ = now;
  waited_ = 0;
  if (seconds_.size() < pace_window) return {};
  board_->set(str("run/pace/", board_->rank()), str(median_of(seconds_)));
  seconds_.clear();
  if (board_->rank() != 0) return {};
  return compare();
}

std::vector<std::string> Pace::compare() {
  std::vector<double> medians;
  for (int rank = 0; rank < board_->size(); ++rank) {
    const auto text = board_->get(str("run/pace/", rank));
    if (!text) return {};  // it has not got there yet
    medians.push_back(std::strtod(text->c_str(), nullptr));
  }
  std::vector<std::string> lines;
  for (const int rank : slow_ranks(medians, factor_)) {
    const auto r = static_cast<std::size_t>(rank);
    lines.push_back(str("rank ", rank, " takes ", milliseconds(medians[r]), " a step without waiting, the others ",
                        milliseconds(median_of_others(medians, r))));
  }
  return lines;
}

std::vector<int> slow_ranks(const std::vector<double>& medians, double factor) {
  std::vector<int> slow;
  for (std::size_t rank = 0; medians.size() > 1 && rank < medians.size(); ++rank)
    if (medians[rank] > 1e-3 && medians[rank] > factor * median_of_others(medians, rank))
      slow.push_back(static_cast<int>(rank));
  return slow;
}

}  // namespace minima::train::detail
