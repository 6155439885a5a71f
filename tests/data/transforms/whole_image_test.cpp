#include <minima/data/transforms/whole_image.h>

#include "tests/support/expect_error.h"
#include "tests/support/recorded.h"

#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::data::whole_image_test {
namespace {

TEST(WholeImage, CropsAreTorchvisions) {
  const test::Recorded recorded("rare.safetensors");
  RandomStream random(1);
  const Tensor image = contiguous(permute(slice(slice(recorded["picture"], 1, 0, 9), 2, 0, 12), {1, 2, 0}));
  const auto expect = [&](const std::string& key, const Tensor& crops) {
    recorded.expect(key, contiguous(permute(crops, {0, 3, 1, 2})), 0);
  };
  expect("five", FiveCrop{4}(image, random));
  expect("ten", TenCrop{4}(image, random));
  expect("ten.vertical", TenCrop{4, true}(image, random));
  EXPECT_EQ(on_batch(ToTensor{})(TenCrop{4}(image, random), random).shape(), Shape({10, 3, 4, 4}));
  EXPECT_EQ(test::message_of<ValueError>([&] { FiveCrop{10}(image, random); }),
            "FiveCrop: crops of 10 × 10 do not fit in uint8 [9, 12, 3]");
}

TEST(WholeImage, LinearTransformationIsTorchvisions) {
  const test::Recorded recorded("rare.safetensors");
  RandomStream random(1);
  const LinearTransformation whiten{recorded["matrix"], recorded["mean"]};
  recorded.expect("whitened", whiten(recorded["small"], random), 1e-5);
  EXPECT_EQ(
      test::message_of<ShapeError>([&] { whiten(zeros({1, 2, 3}), random); }),
      "LinearTransformation: needs a matrix [6, 6] and a mean [6] for float32 [1, 2, 3], got float32 [12, 12] and "
      "float32 [12]");
}

}  // namespace
}  // namespace minima::data::whole_image_test
