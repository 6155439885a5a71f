#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

// Options that are given NaN, ±infinity, negative, zero and huge values. Each layer has a table of all its options,
// tests/LAYER/options_test.cpp:
//
//     {"DropoutOptions.p", "[0, 1]", [](double v) { nn::Dropout({.p = v}); }},

namespace minima::test {

/// One option: where it stands, what it may be, and a call that passes a value.
struct OptionRow {
  std::string name;  ///< `DropoutOptions.p`; without the field, a struct that is tried elsewhere, as `why` says
  /// The values that must be accepted: an interval like `[0, 1)`, `(0, inf)` or `[0, inf]`, `nonzero` for finite
  /// numbers but 0, or `any`. A bracket next to `inf` includes it, and NaN belongs to `any` alone. Sizes in the
  /// interval may also be refused, for want of memory or because of other sizes.
  std::string range = {};
  std::variant<void (*)(double), void (*)(std::int64_t), void (*)(int), void (*)(std::size_t)> call = {};
  std::string why = {};     ///< what infinity or NaN mean, where they are accepted
  std::string called = {};  ///< what errors call it, if not by its name
};

/// Calls all rows with extreme values and expects an Error that names option and value for those out of range, the
/// others to be served within limits.h's limits. Then expects a row for each numeric field of each struct of options
/// that the headers of the layer declare (see is_options).
void try_options(const std::string& layer, const std::vector<OptionRow>& rows);

}  // namespace minima::test
