#pragma once

#include "tests/ops/checks/op_cases.h"

// What random cases must know of an operator; see random.cpp.

namespace minima::test {

/// Operators that add up or multiply many numbers: in another order in another layout, with partial results that may
/// leave the range of the dtype.
bool accumulates(const OpCases& cases);

/// Operators whose products, or sums that they divide by, become too small for the dtype on the way.
bool multiplies(const OpCases& cases);

/// Operators that multiply the zeros of the padding by infinities, or skip both.
bool has_padding(const OpCases& cases);

}  // namespace minima::test
