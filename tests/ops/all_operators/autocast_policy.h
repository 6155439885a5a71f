#pragma once

#include "tests/ops/checks/op_cases.h"

namespace minima::test {

/// What autocast does to an operator, found out by calling it: `lower precision`, `float32`, `widest`, or nothing.
std::string autocast_policy(const OpCases& cases);

}  // namespace minima::test
