#pragma once

#include <minima/tensor/base/device.h>

#include <string>

namespace minima::test {

/// Where the tables of cases put their inputs: on the CPU, or with MINIMA_TEST_DEVICE=cuda on the first GPU.
Device test_device();
/// Why they cannot; empty if they can.
std::string why_no_test_device();
/// Whether kernels for CUDA run, on a GPU or in tests/simt.
bool runs_cuda_kernels();

}  // namespace minima::test
