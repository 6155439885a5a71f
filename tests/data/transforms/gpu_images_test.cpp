#include "tests/support/gpu_test.h"

#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

// One kernel turns images into network inputs, with the CPU's results.

namespace minima::data::gpu_images_test {
namespace {

class GpuImages : public test::GpuTest {};

Tensor bytes(const Shape& shape) {
  RandomGenerator generator(11);
  return randint(0, 256, shape, {.dtype = DType::uint8}, &generator);
}

/// run(images) on a GPU and on the CPU.
void expect_close(const Tensor& images, const std::function<Tensor(const Tensor&)>& run, double tolerance) {
  const Tensor on_gpu = run(images.to(Device::cuda())), on_cpu = run(images);
  ASSERT_EQ(on_gpu.shape(), on_cpu.shape());
  EXPECT_TRUE(on_gpu.device().is_cuda());
  EXPECT_TRUE(on_gpu.layout().is_channels_last());
  const auto a = on_gpu.to_vector<double>(), b = on_cpu.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << i;
}

double tolerance_of(DType dtype) { return dtype == bfloat16 ? 8e-3 : dtype == float16 ? 1e-3 : 1e-5; }

TEST_F(GpuImages, NormalizeImagesGivesWhatTheCpuGives) {
  // With and without remainders of groups of four bytes, one image and several, every number of channels.
  for (const Shape& shape : {Shape{1, 1, 1, 3}, {2, 3, 5, 3}, {3, 4, 4, 1}, {1, 7, 9, 4}, {2, 16, 31, 3}}) {
    const Tensor x = bytes(shape);
    const double mean[] = {0.485, 0.456, 0.406, 0.5}, std[] = {0.229, 0.224, 0.225, 0.25};
    const auto channels = static_cast<std::size_t>(shape[3]);
    for (const DType dtype : {float32, float16, bfloat16, float64})
      expect_close(
          x,
          [&](const Tensor& images) {
            return normalize_images(images, std::span(mean, channels), std::span(std, channels), dtype);
          },
          tolerance_of(dtype));
  }
}

TEST_F(GpuImages, RandAugmentGivesWhatTheTransformGives) {
  for (const Shape& shape : {Shape{20, 17, 13, 3}, {12, 9, 21, 1}}) {
    const Tensor x = bytes(shape);
    // Reduced contrast, so that autocontrast and equalize have an effect.
    for (std::int64_t i = 0; i < x.numel(); ++i)
      x.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(40 + x.data<std::uint8_t>()[i] / 3);
    for (const int operations : {1, 3}) {
      const RandAugment rule{.operations = operations, .magnitude = 17, .fill = 9};
      RandomStream stream(5), again(5);
      const auto on_gpu = on_batch(rule)(x.to(Device::cuda()), stream).to_vector<int>();
      const std::int64_t size = x.numel() / x.size(0);
      std::int64_t different = 0, unchanged = 0;
      for (std::int64_t i = 0; i < x.size(0); ++i) {
        const std::uint8_t* from = x.data<std::uint8_t>() + i * size;
        const Tensor one = from_vector(std::vector<std::uint8_t>(from, from + size), {shape[1], shape[2], shape[3]});
        RandomStream own(again.wide());
        const auto expected = rule(one, own).to_vector<int>();
        bool same = true;
        for (std::size_t k = 0; k < expected.size(); ++k) {
          const int got = on_gpu[static_cast<std::size_t>(i * size) + k];
          // Rounding may differ by one, which a later operation can amplify.
          ASSERT_LE(std::abs(got - expected[k]), operations == 1 ? 1 : 255) << "image " << i << ", byte " << k;
          different += std::abs(got - expected[k]) > 1;
          same = same && expected[k] == from[k];
        }
        unchanged += same;
      }
      EXPECT_LE(different, x.numel() / 200) << operations << " operations";
      EXPECT_LT(unchanged, x.size(0) / 2);
    }
  }
}

TEST_F(GpuImages, MayBeginAtAnyByte) {
  const Tensor all = bytes({5, 7, 5, 3});
  const auto run = [](const Tensor& x) { return normalize_images(slice(x, 0, 1, 5), imagenet_mean, imagenet_std); };
  expect_close(all, run, 1e-5);
}

}  // namespace
}  // namespace minima::data::gpu_images_test
