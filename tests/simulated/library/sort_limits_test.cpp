#include "tests/simulated/library/library.h"

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/embedding/embedding_kernels.h>
#include <minima/ops/index/index_kernels.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/stream.h>

#include <cstdint>
#include <functional>
#include <string>

namespace minima {
namespace {

class SimulatedLibrarySort : public LibraryOnSimulatedGpus {};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no error";
}

/// Counts of more positions would wrap around. The views below repeat one element, so nothing is large but their sizes.
TEST_F(SimulatedLibrarySort, RefusesMorePositionsThanItCounts) {
  constexpr std::int64_t count = std::int64_t{1} << 32;
  const auto repeated = [&](DType dtype, const Shape& shape) {
    Shape one = shape;
    for (int d = 0; d < one.rank(); ++d) one[d] = 1;
    return expand(zeros(one, {.dtype = dtype, .device = first_gpu}), shape);
  };
  const auto expected = [](const char* op) {
    return std::string(op) + ": sorts 4294967296 positions, and CUDA sorts at most 2^32 - 1 at once; split the tensor";
  };
  Tensor rows = zeros({3, 1}, {.device = first_gpu});
  const Tensor values = repeated(float32, {count}), places = repeated(int64, {count});
  EXPECT_EQ(error_of([&] { detail::add_kernel_cuda(values, repeated(float32, {count})); }),
            expected("adding to a view that overlaps itself"));
  EXPECT_EQ(error_of([&] { detail::embedding_gradient_kernel_cuda(repeated(float32, {count, 1}), places, -1, rows); }),
            expected("embedding"));
  EXPECT_EQ(error_of([&] { detail::put_rows_kernel_cuda(places, repeated(float32, {count, 1}), rows); }),
            expected("index_put"));
  synchronize(first_gpu);
}

}  // namespace
}  // namespace minima
