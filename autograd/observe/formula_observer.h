#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

class Node;

/// Hears of each recorded call whose gradient this thread computes, as an Observer hears of operators: what runs
/// between `begin` and `end`, operators and sums of gradients, belongs to that call. Passes nest.
class MINIMA_API FormulaObserver {
 public:
  virtual void begin(const Node& node) = 0;
  /// Also if the formula threw.
  virtual void end() noexcept = 0;

 protected:
  ~FormulaObserver() = default;
};

/// Sets this thread's observer and returns the previous one; null for none.
MINIMA_API FormulaObserver* set_formula_observer(FormulaObserver* observer);

/// The sequence number of the newest node that this thread has recorded: nodes recorded between two calls have numbers
/// above the first result, up to the second.
MINIMA_API std::uint64_t newest_sequence();

namespace detail {
MINIMA_API FormulaObserver* formula_observer();
}

}  // namespace minima
