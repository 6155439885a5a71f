#pragma once

#include <minima/tensor/base/device.h>

#include <string>

namespace minima::test {

/// The device of the tables' inputs: the CPU, or the first GPU with MINIMA_TEST_DEVICE=cuda.
Device test_device();
/// Why that device is unavailable; empty if it is available.
std::string why_no_test_device();
/// Whether CUDA kernels run, on a GPU or in tests/simt.
bool runs_cuda_kernels();

}  // namespace minima::test
