#pragma once

#include <minima/tensor/base/device.h>

#include <string>

namespace minima::test {

/// The device of the inputs of tables of cases, ONNX's and PyTorch's recordings, ported models and optimizers: the CPU,
/// or a GPU with MINIMA_TEST_DEVICE=cuda or cuda:1.
Device test_device();
/// Why that device is unavailable; empty if it is available.
std::string why_no_test_device();
/// Skips a test whose inputs are on the test device where there is none.
#define SKIP_WITHOUT_TEST_DEVICE() \
  if (const std::string why = ::minima::test::why_no_test_device(); !why.empty()) GTEST_SKIP() << why
/// Whether that is a GPU.
bool runs_cuda_kernels();
/// MINIMA_TEST_BRIEFLY=1, for simulated GPUs: tables of cases leave out what reaches the same kernels again.
bool tests_briefly();

}  // namespace minima::test
