#pragma once

#include <minima/tensor/cuda/devices.h>

#include <gtest/gtest.h>

namespace minima::test {

/// The base of suites named Gpu…: their tests are skipped where there is no GPU.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  }
};

}  // namespace minima::test
