#pragma once

#include <minima/train/statistics/value_summary.h>

#include <gtest/gtest.h>

namespace minima::train {

inline void expect_summary(const ValueSummary& found, const ValueSummary& expected, double tolerance = 1e-6) {
  EXPECT_EQ(found.elements, expected.elements);
  EXPECT_EQ(found.zeros, expected.zeros);
  EXPECT_EQ(found.non_finite, expected.non_finite);
  EXPECT_NEAR(found.mean_abs, expected.mean_abs, tolerance * expected.mean_abs);
  EXPECT_NEAR(found.rms, expected.rms, tolerance * expected.rms);
  EXPECT_NEAR(found.max_abs, expected.max_abs, tolerance * expected.max_abs);
}

}  // namespace minima::train
