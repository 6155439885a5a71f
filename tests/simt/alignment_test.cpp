#include "tests/simt/device/device.h"
#include "tests/simt/faulty_kernels.cuh"

#include <minima/data/transforms/batch.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/work.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/cuda/launch.cuh>

#include <gtest/gtest.h>

#include <cmath>

// A GPU faults when a vector load's address is not a multiple of its size. So does the harness, in every test of
// tests/simt.

namespace minima {
namespace {

TEST(SimtAlignment, ALoadOfAPackInTheMiddleOfOneIsAFault) {
  alignas(16) float values[8] = {};
  cuda::launch("load_pack", {dim3(1), dim3(1)}, cuda::load_pack_kernel, static_cast<const float*>(values), values + 4);
  try {
    cuda::launch("load_pack", {dim3(1), dim3(1)}, cuda::load_pack_kernel, static_cast<const float*>(values + 1),
                 values + 4);
    FAIL() << "no fault";
  } catch (const simt::Fault& fault) {
    EXPECT_STREQ(fault.what(), "load_pack: a pack of elements at an address that is not aligned for it");
  }
}

TEST(SimtAlignment, ImagesMayBeginAtAnyByte) {
  const Tensor all = randint(0, 256, {5, 7, 5, 3}, {.dtype = DType::uint8});
  const auto run = [&] { return data::normalize_images(slice(all, 0, 1, 5), data::imagenet_mean, data::imagenet_std); };
  const Tensor on_cuda = run();
  const test::OnCpu guard;
  const auto got = on_cuda.to_vector<float>(), expected = run().to_vector<float>();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-5) << i;
}

TEST(SimtAlignment, PartsOfALargeReductionBeginAtPacks) {
  // Host code only; touches no memory.
  alignas(16) static std::uint16_t nothing[8];
  for (const std::int64_t count :
       {(std::int64_t{1} << 31) + 8, (std::int64_t{1} << 32) + 24, (std::int64_t{1} << 31) * 3 + 8}) {
    const Layout in = Layout::contiguous({count}), out = Layout::contiguous({1});
    const pointwise::Operand outs[] = {{static_cast<void*>(nothing), out, DType::float32}};
    const reduction::Schedule s =
        reduction::schedule(outs, 1, {static_cast<void*>(nothing), in, DType::bfloat16}, false, 8);
    ASSERT_GT(s.reduced.size(), 1u);
    std::int64_t next = 0;
    for (const auto& part : s.reduced) {
      EXPECT_TRUE(part.packed);
      EXPECT_EQ(part.elements.start[0], next);
      EXPECT_EQ(part.elements.start[0] % 8, 0) << count;
      EXPECT_EQ(part.elements.geometry.count % 8, 0) << count;
      next += part.elements.geometry.count;
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace minima
