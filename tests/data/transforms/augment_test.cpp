#include <minima/data/transforms/augment.h>
#include <minima/data/batches/collate.h>
#include <minima/data/dataset.h>
#include <minima/data/loader/loader.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace minima::data::augment_test {
namespace {

using minima::test::message_of;
using Bytes = std::vector<std::uint8_t>;

constexpr double kNone[3] = {0, 0, 0}, kBytes[3] = {1 / 255.0, 1 / 255.0, 1 / 255.0};  // leaves bytes as they are

Tensor images(std::int64_t batch, std::int64_t height, std::int64_t width, std::int64_t channels = 3) {
  Bytes values(static_cast<std::size_t>(batch * height * width * channels));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>((i * 53 + i / 11 * 7) % 256);
  return from_vector(values, {batch, height, width, channels});
}
Tensor image_of(const Tensor& x, std::int64_t i) {
  const std::int64_t size = x.numel() / x.size(0);
  const std::uint8_t* from = x.data<std::uint8_t>() + i * size;
  return from_vector(Bytes(from, from + size), {x.size(1), x.size(2), x.size(3)});
}

/// The worst difference between image i of y [B, C, H, W] and `expected` [H, W, C].
double worst_difference(const Tensor& y, std::int64_t i, const Tensor& expected) {
  const auto got = y.to_vector<double>();
  const std::int64_t height = expected.size(0), width = expected.size(1), channels = expected.size(2);
  double worst = 0;
  for (std::int64_t row = 0; row < height; ++row)
    for (std::int64_t column = 0; column < width; ++column)
      for (std::int64_t c = 0; c < channels; ++c)
        worst = std::max(worst,
                         std::abs(got[static_cast<std::size_t>(((i * channels + c) * height + row) * width + column)] -
                                  expected.data<std::uint8_t>()[(row * width + column) * channels + c]));
  return worst;
}

TEST(AugmentImages, CropsFlipsAndTurnsAsTheTransformsDo) {
  const Tensor x = images(4, 12, 16);
  const std::vector<ImageChange> changes{{.box = {2, 3, 8, 8}},
                                         {.box = {2, 3, 8, 8}, .flip_horizontal = true},
                                         {.box = {1, 0, 8, 8}, .flip_vertical = true},
                                         {.box = {2, 4, 8, 8}, .degrees = 90}};
  const Tensor y = augment_images(x, changes, 8, 8, kNone, kBytes);
  EXPECT_EQ(y.shape(), (Shape{4, 3, 8, 8}));
  EXPECT_TRUE(y.layout().is_channels_last());
  EXPECT_LE(worst_difference(y, 0, crop(image_of(x, 0), 2, 3, 8, 8)), 1e-3);
  EXPECT_LE(worst_difference(y, 1, flip_horizontal(crop(image_of(x, 1), 2, 3, 8, 8))), 1e-3);
  EXPECT_LE(worst_difference(y, 2, flip_vertical(crop(image_of(x, 2), 1, 0, 8, 8))), 1e-3);
  EXPECT_LE(worst_difference(y, 3, warp(crop(image_of(x, 3), 2, 4, 8, 8), Affine::rotation(90))), 1e-2);
  const Tensor whole = augment_images(x, std::vector<ImageChange>(4), 12, 16, kNone, kBytes);
  EXPECT_LE(worst_difference(whole, 2, image_of(x, 2)), 1e-3) << "an empty box is the whole image";
}

TEST(AugmentImages, EnlargesBilinearlyAndAveragesWhenItShrinks) {
  const Tensor x = images(1, 6, 6, 1);
  const std::vector<ImageChange> all(1);
  // Both extend the edge pixels; inside, the interpolation is the same.
  EXPECT_LE(worst_difference(augment_images(x, all, 13, 17, std::span(kNone, 1), std::span(kBytes, 1)), 0,
                             resize(image_of(x, 0), {0, 0, 6, 6}, 13, 17)),
            0.51);
  const Tensor half = augment_images(x, all, 3, 3, std::span(kNone, 1), std::span(kBytes, 1));
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t column = 0; column < 3; ++column) {
      const std::uint8_t* p = x.data<std::uint8_t>() + 2 * row * 6 + 2 * column;
      EXPECT_NEAR(half.to_vector<double>()[static_cast<std::size_t>(row * 3 + column)],
                  (p[0] + p[1] + p[6] + p[7]) / 4.0, 1e-3);
    }
}

TEST(AugmentImages, FillsWhatIsOutside) {
  const Tensor x = images(1, 4, 4);
  const std::vector<ImageChange> shifted{{.box = {0, 2, 4, 4}, .fill = 77}};
  const auto y = augment_images(x, shifted, 4, 4, kNone, kBytes).to_vector<double>();
  EXPECT_NEAR(y[0], x.data<std::uint8_t>()[2 * 3], 1e-3);
  EXPECT_NEAR(y[2], 77, 1e-3);
  EXPECT_NEAR(y[3], 77, 1e-3);
}

TEST(AugmentImages, ChangesColoursAsTheTransformsDo) {
  const Tensor x = images(4, 9, 9);
  const std::vector<ImageChange> changes{{.brightness = 1.4},
                                         {.contrast = 0.6},
                                         {.saturation = 0.3},
                                         {.brightness = 0.8, .contrast = 0.9, .saturation = 0.7}};
  const Tensor y = augment_images(x, changes, 9, 9, kNone, kBytes);
  EXPECT_LE(worst_difference(y, 0, adjust_brightness(image_of(x, 0), 1.4)), 0.51);
  EXPECT_LE(worst_difference(y, 1, adjust_contrast(image_of(x, 1), 0.6)), 1.01) << "bytes' mean is of whole numbers";
  EXPECT_LE(worst_difference(y, 2, adjust_saturation(image_of(x, 2), 0.3)), 0.51);
  EXPECT_LE(
      worst_difference(y, 3, adjust_saturation(adjust_contrast(adjust_brightness(image_of(x, 3), 0.8), 0.9), 0.7)), 2.1)
      << "rounded at each step there";

  // Rotating the hue keeps grey and brightness, and three thirds of a circle restore the image.
  const Tensor colours = from_vector(Bytes{120, 120, 120, 140, 100, 110}, {1, 1, 2, 3});
  const auto turned =
      augment_images(colours, std::vector<ImageChange>{{.hue = 0.25}}, 1, 2, kNone, kBytes).to_vector<double>();
  const auto at = [&](std::size_t c, std::size_t pixel) { return turned[2 * c + pixel]; };
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(at(c, 0), 120, 0.01);
  EXPECT_NEAR(0.299 * at(0, 1) + 0.587 * at(1, 1) + 0.114 * at(2, 1), 0.299 * 140 + 0.587 * 100 + 0.114 * 110, 0.05);
  EXPECT_GT(std::abs(at(0, 1) - 140), 5);
}

TEST(AugmentImages, NormalisesAsNormalizeImagesDoes) {
  const Tensor x = images(2, 5, 7);
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    const Tensor a = augment_images(x, std::vector<ImageChange>(2), 5, 7, imagenet_mean, imagenet_std, dtype);
    const Tensor b = normalize_images(x, imagenet_mean, imagenet_std, dtype);
    const auto got = a.to_vector<double>(), expected = b.to_vector<double>();
    ASSERT_EQ(a.dtype(), dtype);
    const double tolerance = dtype == DType::bfloat16 ? 0.02 : dtype == DType::float16 ? 2e-3 : 1e-4;
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance);
  }
}

TEST(AugmentImages, OfBytesFromALoaderEqualsTransformsOfEachImageInIt) {
  const Tensor x = images(12, 10, 12), labels = arange(12);
  const LoaderOptions options{.batch_size = 5, .shuffle = true, .workers = 2, .seed = 3};
  struct Images {
    Tensor all;
    std::int64_t size() const { return all.size(0); }
    std::array<Tensor, 1> get(std::int64_t i) const { return {image_of(all, i)}; }
  };
  DataLoader on_host(with_transform(Images{x}, CenterCrop{.size = 8}), options);
  DataLoader bytes(TensorDataset(x, labels), options);
  auto host = on_host.begin();
  for (auto& [batch, indices] : bytes) {
    EXPECT_EQ(batch.dtype(), DType::uint8);
    const std::vector<ImageChange> changes(static_cast<std::size_t>(batch.size(0)), {.box = {1, 2, 8, 8}});
    const Tensor got = augment_images(batch, changes, 8, 8, imagenet_mean, imagenet_std);
    const Tensor expected = normalize_images((*host)[0], imagenet_mean, imagenet_std);
    ASSERT_TRUE(allclose(got, expected, {.rtol = 1e-5, .atol = 1e-4})) << allclose(got, expected).message;
    ++host;
  }
}

TEST(AugmentImages, DrawsWithinItsRanges) {
  const RandomImageChange random{.crop = {.size = 8, .scale = {0.25, 1}}, .degrees = 20, .colours = {.4, .3, .2, .1}};
  RandomStream stream(5);
  int flips = 0;
  for (int i = 0; i < 400; ++i) {
    const ImageChange c = random.draw(30, 40, stream);
    flips += c.flip_horizontal;
    ASSERT_TRUE(c.box.top >= 0 && c.box.left >= 0 && c.box.top + c.box.height <= 30 && c.box.left + c.box.width <= 40);
    ASSERT_GE(c.box.height * c.box.width, 0.2 * 30 * 40);
    ASSERT_TRUE(std::abs(c.degrees) <= 20 && std::abs(c.brightness - 1) <= .4 && std::abs(c.contrast - 1) <= .3 &&
                std::abs(c.saturation - 1) <= .2 && std::abs(c.hue) <= .1);
  }
  EXPECT_NEAR(flips, 200, 45);
  RandomStream a(1), b(1);
  const Tensor x = images(3, 30, 40);
  const auto first = random.draw(x, a), again = random.draw(x, b);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[2].degrees, again[2].degrees);
  EXPECT_NE(first[0].degrees, first[1].degrees);
}

TEST(AugmentImages, RefusesNonsense) {
  const Tensor x = images(2, 4, 4);
  const std::vector<ImageChange> two(2);
  const auto call = [&](const Tensor& t, std::span<const ImageChange> c) {
    return augment_images(t, c, 4, 4, imagenet_mean, imagenet_std);
  };
  EXPECT_CONTAINS(message_of<ShapeError>([&] { call(x, std::span(two).first(1)); }),
                  "1 changes for images uint8 [2, 4, 4, 3]");
  EXPECT_THROW(call(x.to(DType::float32), two), DTypeError);
  EXPECT_THROW(call(empty({2, 4, 4, 2}, {.dtype = DType::uint8}), two), ShapeError);
  EXPECT_THROW(augment_images(x, two, 0, 4, imagenet_mean, imagenet_std), ValueError);
  EXPECT_THROW(call(x, std::vector<ImageChange>{{.box = {0, 0, -1, 2}}, {}}), ValueError);
  EXPECT_THROW(call(x, std::vector<ImageChange>{{.hue = 0.7}, {}}), ValueError);
  EXPECT_CONTAINS(message_of<ShapeError>([&] { augment_images(x, two, 4, 4, std::span(kNone, 1), kBytes); }),
                  "augment_images: 1 means");
}

TEST(RandAugmentImages, IsTheTransformOnOneImageAfterTheOther) {
  const Tensor x = images(24, 11, 14);
  const RandAugment rule{.operations = 2, .magnitude = 12};
  RandomStream stream(3), again(3);
  const Tensor y = rand_augment_images(x, rule, stream);
  int changed = 0;
  for (std::int64_t i = 0; i < 24; ++i) {
    const Tensor expected = rule(image_of(x, i), again);
    ASSERT_EQ(image_of(y, i).to_vector<int>(), expected.to_vector<int>()) << i;
    changed += expected.to_vector<int>() != image_of(x, i).to_vector<int>();
  }
  EXPECT_GT(changed, 18);
  EXPECT_THROW(rand_augment_images(x.to(DType::float32), rule, stream), DTypeError);
  EXPECT_THROW(rand_augment_images(x, {.magnitude = 31}, stream), ValueError);
  EXPECT_THROW(rand_augment_images(image_of(x, 0), rule, stream), ShapeError);
}

}  // namespace
}  // namespace minima::data::augment_test
