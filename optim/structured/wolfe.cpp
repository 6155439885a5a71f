#include <minima/optim/structured/wolfe.h>

#include <minima/tensor/base/function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace minima::optim::detail {

namespace {

constexpr double c1 = 1e-4, c2 = 0.9, tolerance_change = 1e-9;

/// The minimiser of the cubic through two points with their slopes, clamped to the bounds.
double cubic(const WolfePoint& a, const WolfePoint& b, double low, double high) {
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0) || std::isinf(square)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const double place = a.step <= b.step
                           ? b.step - (b.step - a.step) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
                           : a.step - (a.step - b.step) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
  return std::min(std::max(place, low), high);
}

class Search {
 public:
  Search(const WolfePoint& start, int most, const Function<WolfePoint(double)>& try_at)
      : start_(start), most_(most), try_at_(try_at) {}

  /// Extends the interval until it contains a step that meets the conditions.
  void bracket(double first_step) {
    WolfePoint previous = start_, now = probe(first_step);
    for (; rounds_ < most_; ++rounds_) {
      if (is_too_high(now) || (rounds_ > 1 && now.loss >= previous.loss)) return set(previous, now);
      if (is_flat_enough(now)) {
        done_ = true;
        return set(now, now);
      }
      if (now.slope >= 0) return set(previous, now);
      const double next = cubic(previous, now, now.step + 0.01 * (now.step - previous.step), now.step * 10);
      previous = now;
      now = probe(next);
    }
    set(start_, now);
  }

  /// Shrinks the interval until a step meets the conditions.
  void zoom(double reach) {
    bool is_slow = false;
    while (!done_ && rounds_ < most_) {
      if (std::fabs(high_.step - low_.step) * reach < tolerance_change) break;
      const double left = std::min(low_.step, high_.step), right = std::max(low_.step, high_.step);
      // In the order in which the points were found, because the rounding of cubic() depends on it.
      double step = low_first_ ? cubic(low_, high_, left, right) : cubic(high_, low_, left, right);
      const double margin = 0.1 * (right - left);
      if (std::min(right - step, step - left) < margin) {
        const bool move = is_slow || step >= right || step <= left;
        if (move) step = std::fabs(step - right) < std::fabs(step - left) ? right - margin : left + margin;
        is_slow = !move;
      } else {
        is_slow = false;
      }
      const WolfePoint now = probe(step);
      ++rounds_;
      narrow(now);
    }
  }

  const WolfePoint& best() const { return low_; }
  int calls() const { return calls_; }

 private:
  WolfePoint probe(double step) {
    ++calls_;
    WolfePoint point = try_at_(step);
    // Comparisons with NaN are all false, so the search would take it for the best.
    if (!std::isfinite(point.loss) || !std::isfinite(point.slope)) point.loss = std::numeric_limits<double>::infinity();
    return point;
  }
  bool is_too_high(const WolfePoint& p) const { return p.loss > start_.loss + c1 * p.step * start_.slope; }
  bool is_flat_enough(const WolfePoint& p) const { return std::fabs(p.slope) <= -c2 * start_.slope; }
  void set(const WolfePoint& a, const WolfePoint& b) {
    low_first_ = a.loss <= b.loss;
    low_ = low_first_ ? a : b;
    high_ = low_first_ ? b : a;
  }
  void narrow(const WolfePoint& now) {
    if (is_too_high(now) || now.loss >= low_.loss) {
      high_ = now;
      if (high_.loss < low_.loss || (!low_first_ && high_.loss <= low_.loss)) {
        std::swap(low_, high_);
        low_first_ = !low_first_;
      }
      return;
    }
    if (is_flat_enough(now)) done_ = true;
    else if (now.slope * (high_.step - low_.step) >= 0) high_ = low_;
    low_ = now;
  }

  WolfePoint start_, low_{}, high_{};
  int most_;
  const Function<WolfePoint(double)>& try_at_;
  bool done_ = false, low_first_ = true;
  int rounds_ = 0, calls_ = 0;
};

}  // namespace

std::pair<WolfePoint, int> strong_wolfe(const WolfePoint& start, double first_step, double reach, int most,
                                        const Function<WolfePoint(double step)>& try_at) {
  Search search(start, most, try_at);
  search.bracket(first_step);
  search.zoom(reach);
  return {search.best(), search.calls()};
}

}  // namespace minima::optim::detail
