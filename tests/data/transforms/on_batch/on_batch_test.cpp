#include <minima/data/transforms/on_batch/on_batch.h>

#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"

#include <minima/data/transforms/batch.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// Transforms of batches are those of single images, with the same random numbers, on the CPU and on GPUs.

namespace minima::data::on_batch_test {
namespace {

Tensor images(const Shape& shape, DType dtype) {
  RandomGenerator generator(4);
  const Tensor bytes = randint(0, 256, shape, {.dtype = DType::uint8}, &generator);
  return dtype == DType::uint8 ? bytes : bytes.to(dtype) / 255.0;
}

/// Compares the batch with each image alone. At most `share` of the values may be further apart than by a step of
/// bytes, or 1e-4.
template <class Transform>
void expect_same(const std::string& name, const Transform& transform, const Tensor& x, Device device,
                 double share = 0) {
  SCOPED_TRACE(name);
  RandomStream random(77), keys(77);
  Tensor y = on_batch(transform)(x.to(device), random);
  ASSERT_EQ(y.device(), device);
  y = y.to(Device());
  std::int64_t moved = 0, far = 0;
  double worst = 0;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    RandomStream stream(keys.wide());
    const Tensor image = contiguous(x[i]), expected = transform(image, stream);
    ASSERT_EQ(y[i].shape(), expected.shape());
    ASSERT_EQ(y.dtype(), expected.dtype());
    const auto got = contiguous(y[i]).template to_vector<double>(), wanted = expected.template to_vector<double>();
    const double step = y.dtype() == DType::uint8 ? 1 : 1e-4;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      far += !(std::abs(got[k] - wanted[k]) <= step);
      worst = std::max(worst, std::abs(got[k] - wanted[k]));
    }
    moved += expected.shape() != image.shape() ||
             expected.template to_vector<double>() != image.template to_vector<double>();
  }
  EXPECT_LE(static_cast<double>(far), share * static_cast<double>(y.numel())) << far << " values differ, by " << worst;
  EXPECT_GT(moved, 0) << "no image was changed";
}

void expect_all(Device device) {
  for (const DType dtype : {DType::uint8, DType::float32})
    for (const std::int64_t channels : {3, 1}) {
      SCOPED_TRACE(std::to_string(channels) + " channels");
      const Tensor x = images({5, 11, 14, channels}, dtype);
      expect_same("Resize", Resize{8}, x, device);
      expect_same("Resize up", Resize{16}, x, device);
      expect_same("Resize to a size", Resize{.size = {7, 9}}, x, device);
      expect_same("CenterCrop", CenterCrop{8}, x, device);
      expect_same("CenterCrop of less", CenterCrop{13}, x, device);
      expect_same("RandomCrop", RandomCrop{9, 3}, x, device);
      expect_same("RandomResizedCrop", RandomResizedCrop{.size = 6}, x, device);
      expect_same("flips", compose(RandomHorizontalFlip{}, RandomVerticalFlip{}), x, device);
      expect_same("Pad", Pad{.left = 1, .top = 2, .right = 3, .fill = 1}, x, device);
      expect_same("RandomRotation", RandomRotation{.degrees = 60, .fill = 0.5}, x, device);
      expect_same("RandomAffine", RandomAffine{30, 0.2, 0.1, 0.7, 1.5, 20, 10, 1}, x, device);
      expect_same("RandomPerspective", RandomPerspective{.distortion = 0.4, .fill = 1}, x, device);
      expect_same("GaussianBlur", GaussianBlur{.kernel = 7}, x, device);
      expect_same("ElasticTransform", ElasticTransform{.alpha = 8, .sigma = 1.5}, x, device);
      expect_same("RandomInvert", RandomInvert{}, x, device);
      if (channels == 3) expect_same("Grayscale", Grayscale{}, x, device);
      if (channels == 3) expect_same("RandomGrayscale", RandomGrayscale{.probability = 0.5}, x, device);
      // A byte that an earlier step rounds differently may be a few steps away after the later ones.
      expect_same("ColorJitter", ColorJitter{0.6, 0.6, 0.6, 0.3}, x, device, 0.01);
      expect_same("brightness", ColorJitter{.brightness = 0.6}, x, device);
      expect_same("contrast", ColorJitter{.contrast = 0.6}, x, device);
      if (channels == 3) expect_same("saturation", ColorJitter{.saturation = 0.6}, x, device);
      if (channels == 3) expect_same("hue", ColorJitter{.hue = 0.5}, x, device);
      const Normalize normalize{std::vector<double>(static_cast<std::size_t>(channels), 0.4),
                                std::vector<double>(static_cast<std::size_t>(channels), 0.3)};
      expect_same("composition", compose(RandomHorizontalFlip{}, ToTensor{}, normalize, RandomErasing{.value = 2}), x,
                  device);
      expect_same("RandomApply", RandomApply(RandomRotation{.degrees = 20}, 0.5), x, device);
      expect_same("RandomChoice", RandomChoice(RandomInvert{.probability = 1}, RandomVerticalFlip{}), x, device);
      expect_same("RandomOrder", RandomOrder(RandomInvert{}, RandomRotation{.degrees = 9, .fill = 1}), x, device, 0.01);
    }
}

/// `share` is for warps, which the GPU's kernel rounds differently before it equalises.
void expect_policies(Device device, double share) {
  for (const std::int64_t channels : {3, 1}) {
    SCOPED_TRACE(std::to_string(channels) + " channels");
    const Tensor x = images({12, 17, 14, channels}, DType::uint8);
    expect_same("RandAugment", RandAugment{.operations = 3, .fill = 50}, x, device, share);
    for (const auto policy : {AutoAugment::Policy::imagenet, AutoAugment::Policy::cifar10, AutoAugment::Policy::svhn})
      expect_same("AutoAugment", AutoAugment{policy, 90}, x, device, share);
    expect_same("TrivialAugmentWide", TrivialAugmentWide{.fill = 8}, x, device, share);
    expect_same("AugMix", AugMix{.severity = 9, .fill = 3}, x, device, share);
    expect_same("AugMix without colours", AugMix{.width = 2, .depth = 2, .all_ops = false}, x, device, share);
  }
}

TEST(OnBatch, IsTheTransformOfEachImage) { expect_all(Device()); }
TEST(OnBatch, PoliciesAreThoseOfEachImage) { expect_policies(Device(), 0); }

// Noise is drawn by the device; everywhere else the image stays.
TEST(OnBatch, RandomErasingWithNoise) {
  const Tensor x = zeros({4, 3, 16, 16});
  RandomStream random(3);
  const Tensor y = on_batch(RandomErasing{.probability = 1, .random_values = true})(x, random);
  const auto counts = sum(ne(y, 0).to(int64), {1, 2, 3}).to_vector<std::int64_t>();
  for (const std::int64_t count : counts) {
    EXPECT_GE(count, 3 * 4);
    EXPECT_LE(count, 3 * 90);
  }
  EXPECT_GT(amax(y).item<double>(), 1);
}

TEST(OnBatch, ErrorsSayWhatWasPassed) {
  RandomStream random(1);
  EXPECT_EQ(test::message_of<ShapeError>([&] { on_batch(RandomInvert{})(zeros({4, 4, 3}), random); }),
            "RandomInvert: expected images [B, H, W, C], got float32 [4, 4, 3]");
  EXPECT_EQ(
      test::message_of<DTypeError>([&] { on_batch(RandomInvert{})(zeros({1, 4, 4, 3}, {.dtype = int64}), random); }),
      "RandomInvert: images are uint8 or float32, got int64 [1, 4, 4, 3]");
  EXPECT_EQ(test::message_of<ValueError>(
                [&] { on_batch(Normalize{{0}, {1}})(zeros({1, 4, 4, 1}, {.dtype = uint8}), random); }),
            "Normalize: expected a float32 tensor [B, C, H, W], got uint8 [1, 4, 4, 1]; put ToTensor before it");
  EXPECT_EQ(test::message_of<ShapeError>([&] {
              on_batch(RandomApply(CenterCrop{2}, 0.5))(zeros({32, 4, 4, 1}), random);
            }).substr(0, 69),
            "on_batch: a transform that applies to some images must keep their siz");
  std::vector<RandomStream> two(2, random);
  EXPECT_EQ(test::message_of<ShapeError>([&] { transform_batch(Pad{}, zeros({3, 4, 4, 1}), Streams(two)); }),
            "Pad: 2 random streams for images float32 [3, 4, 4, 1]");
}

class GpuOnBatch : public test::GpuTest {};

TEST_F(GpuOnBatch, IsTheTransformOfEachImage) { expect_all(Device::cuda()); }
TEST_F(GpuOnBatch, PoliciesAreThoseOfEachImage) { expect_policies(Device::cuda(), 0.01); }

TEST_F(GpuOnBatch, MixedBatchesAreTheCpus) {
  const Tensor x = images({6, 8, 9, 3}, DType::float32), labels = tensor<std::int64_t>({0, 1, 2, 0, 1, 2});
  const auto mixed = [&](Device device, auto&& mix) {
    RandomStream random(5);
    const MixedBatch batch =
        mix(permute(x.to(device), {0, 3, 1, 2}), one_hot_targets(labels.to(device), 3), 0.7, random);
    std::vector<double> values = batch.images.to(Device()).template to_vector<double>();
    for (const double v : batch.targets.to(Device()).template to_vector<double>()) values.push_back(v);
    return values;
  };
  const auto expect = [&](auto&& mix) {
    const auto on_gpu = mixed(Device::cuda(), mix), on_cpu = mixed(Device(), mix);
    for (std::size_t i = 0; i < on_cpu.size(); ++i) ASSERT_NEAR(on_gpu[i], on_cpu[i], 1e-6) << i;
  };
  expect(mixup);
  expect(cutmix);
}

}  // namespace
}  // namespace minima::data::on_batch_test
