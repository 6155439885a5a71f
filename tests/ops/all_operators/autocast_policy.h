#pragma once

#include "tests/ops/checks/op_cases.h"

namespace minima::test {

/// What autocast does to an operator, found by calling it: `lower precision`, `float32`, `widest` or empty.
std::string autocast_policy(const OpCases& cases);

}  // namespace minima::test
