#pragma once

#include "tests/ops/checks/op_cases.h"

namespace minima::test {

/// Registers the table of a function of one number that takes long: its loop is that of other operators, so no row is
/// large.
inline bool check_small(OpCases cases, Draw like) {
  for (const Shape& shape : {Shape{3, 4}, Shape{}, Shape{2, 2, 2, 3}, Shape{0, 3}, Shape{3, 5, 6}}) {
    like.shape = shape;
    cases.inputs(like);
  }
  return cases.without("large", "its loop is that of other operators").check();
}

}  // namespace minima::test
