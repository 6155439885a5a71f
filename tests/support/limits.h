#pragma once

#include <minima/tensor/tensor.h>

#include <functional>
#include <string>

namespace minima::test {

/// The outcome of a call whose sizes no machine has room for.
enum class Outcome : std::uint8_t {
  refused,     ///< an Error that names a function
  done,        ///< finished with at most 1 GiB of new memory
  costly,      ///< stopped because an operator claimed more work than a test has time for
  intolerable  ///< anything else
};
inline constexpr int outcome_count = 4;

struct Verdict {
  Outcome outcome;
  std::string text;  ///< of the exception; for an intolerable outcome, what is wrong
};

/// Calls f under limits: tensors and operators' tables of more than 1 GiB fail to allocate, and an operator that claims
/// more than 2^28 operations and bytes is stopped.
Verdict within_limits(const std::function<void()>& f);

/// Counts outcomes.
class Tally {
 public:
  void add(Outcome outcome) { ++counts_[static_cast<int>(outcome)]; }
  /// `softmax: 120 calls: 80 refused, 20 done, 20 too costly`
  std::string text(const std::string& name) const;

 private:
  int counts_[outcome_count] = {};
};

}  // namespace minima::test
