#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/auto_augment.h>
#include <minima/data/transforms/change_pixels.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/data/transforms/transforms.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include "tests/support/expect_error.h"

#include <cmath>

namespace minima::data::distort_test {
namespace {

using minima::test::message_of;

Tensor gradient(std::int64_t height, std::int64_t width, std::int64_t channels = 3) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(height * width * channels));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>((i * 37 + i / 7) % 256);
  return from_vector(values, {height, width, channels});
}
bool same(const Tensor& a, const Tensor& b) { return a.shape() == b.shape() && all(a == b).item<bool>(); }

TEST(Distort, PadAddsBordersOnEachSide) {
  RandomStream random(1);
  const Tensor x = gradient(3, 4), y = Pad{.left = 1, .top = 2, .right = 3, .bottom = 0, .fill = 9}(x, random);
  EXPECT_EQ(y.shape(), Shape({5, 8, 3}));
  EXPECT_TRUE(same(crop(y, 2, 1, 3, 4), x));
  EXPECT_TRUE(all(crop(y, 0, 0, 2, 8) == 9).item<bool>());
}

TEST(Distort, ProbabilitiesAreKept) {
  const Tensor x = gradient(8, 8);
  RandomStream random(2);
  int grey = 0, inverted = 0, moved = 0, applied = 0;
  for (int i = 0; i < 400; ++i) {
    grey += !same(RandomGrayscale{.probability = 0.3}(x, random), x);
    inverted += !same(RandomInvert{.probability = 0.7}(x, random), x);
    moved += !same(RandomPerspective{.distortion = 1, .probability = 0.5}(x, random), x);
    applied += same(RandomApply(RandomInvert{.probability = 1}, 0.2)(x, random), invert(x));
  }
  EXPECT_NEAR(grey, 120, 30);
  EXPECT_NEAR(inverted, 280, 30);
  EXPECT_NEAR(moved, 200, 30);
  EXPECT_NEAR(applied, 80, 30);
}

TEST(Distort, ChoicesAreEquallyLikely) {
  const Tensor x = gradient(4, 4);
  RandomStream random(3);
  const RandomChoice choice(RandomInvert{.probability = 1}, Pad{.left = 1}, Grayscale{});
  int inverted = 0, padded = 0, grey = 0;
  for (int i = 0; i < 600; ++i) {
    const Tensor y = choice(x, random);
    inverted += same(y, invert(x));
    padded += y.size(1) == 5;
    grey += y.size(2) == 1;
  }
  EXPECT_EQ(inverted + padded + grey, 600);
  for (const int count : {inverted, padded, grey}) EXPECT_NEAR(count, 200, 45);
}

TEST(Distort, OrdersAreEquallyLikely) {
  const Tensor x = gradient(4, 4);
  RandomStream random(13);
  const RandomOrder order(Pad{.left = 1, .top = 1, .right = 1, .bottom = 1, .fill = 255},
                          RandomInvert{.probability = 1});
  int inverted_border = 0;
  for (int i = 0; i < 400; ++i) {
    const Tensor y = order(x, random);
    EXPECT_TRUE(same(crop(y, 1, 1, 4, 4), invert(x)));
    inverted_border += y[0][0][0].item<int>() == 0;
  }
  EXPECT_NEAR(inverted_border, 200, 40);
}

TEST(Distort, ElasticFieldsAreSmooth) {
  RandomStream random(14);
  std::vector<float> ramp;
  for (int row = 0; row < 40; ++row)
    for (int column = 0; column < 40; ++column) ramp.push_back(static_cast<float>(column));
  const Tensor x = from_vector(ramp, {40, 40, 1});
  const Tensor shift = (ElasticTransform{.alpha = 30, .sigma = 4}(x, random) - x);  // of the column, inside the image
  const Tensor inside = crop(shift, 8, 8, 24, 24);
  EXPECT_GT(amax(abs(inside)).item<double>(), 0.5);
  EXPECT_LT(amax(abs(diff(inside, 1, 0))).item<double>(), 1);
  EXPECT_TRUE(same(ElasticTransform{.alpha = 0}(x, random), x));
}

TEST(Distort, WithoutRangesNothingMoves) {
  const Tensor x = gradient(9, 7);
  RandomStream random(4);
  EXPECT_TRUE(same(RandomAffine{}(x, random), x));
  EXPECT_TRUE(same(RandomPerspective{.distortion = 0, .probability = 1}(x, random), x));
  EXPECT_TRUE(same(gaussian_blur(x, 1, 2), x));
}

TEST(Distort, AffineShiftsByWholePixelsWithinTheirRange) {
  const Tensor x = gradient(10, 20);
  for (std::uint64_t key = 0; key < 20; ++key) {
    RandomStream random(key);
    const Tensor y = RandomAffine{.translate_x = 0.2}(x, random);
    bool found = false;
    for (std::int64_t shift = -4; shift <= 4 && !found; ++shift)
      found = same(y, warp(x, {.c = -static_cast<double>(shift)}));
    EXPECT_TRUE(found) << key;
  }
}

TEST(Distort, RefusesWhatItCannotDo) {
  RandomStream random(5);
  EXPECT_CONTAINS(message_of<ValueError>([] { gaussian_blur(gradient(4, 4), 4, 1); }), "needs an odd kernel");
  EXPECT_CONTAINS(message_of<ValueError>([] { perspective(gradient(4, 4), {Point{0, 0}, {1, 1}, {2, 2}, {3, 3}}); }),
                  "on a line");
  EXPECT_CONTAINS(message_of<ValueError>([&] { Normalize{{0}, {1}}(gradient(2, 2), random); }),
                  "put ToTensor before it");
  EXPECT_CONTAINS(message_of<ValueError>([&] { Normalize{{0}, {1}}(zeros({3, 2, 2}), random); }), "1 means");
  EXPECT_CONTAINS(message_of<ValueError>([&] { AugMix{.severity = 11}(gradient(2, 2), random); }),
                  "1 <= severity <= 10");
  EXPECT_CONTAINS(message_of<DTypeError>([&] { AutoAugment{}(zeros({4, 4, 3}), random); }), "expected a uint8 image");
}

TEST(RandomErasing, FillsOneRectangleOfTheRightArea) {
  RandomStream random(6);
  const Tensor x = ones({3, 32, 32});
  double total = 0;
  for (int i = 0; i < 200; ++i) {
    const Tensor y = RandomErasing{.probability = 1}(x, random), erased = y[0] == 0;
    EXPECT_TRUE(same(y[0], y[2]));
    const double area = sum(erased.to(float64)).item<double>();
    const double rows = sum(any(erased, 1).to(float64)).item<double>();
    const double columns = sum(any(erased, 0).to(float64)).item<double>();
    EXPECT_EQ(area, rows * columns);
    total += area / 1024 / 200;
  }
  EXPECT_NEAR(total, 0.17, 0.03);
  EXPECT_TRUE(same(RandomErasing{.probability = 0}(x, random), x));
  const Tensor noise = RandomErasing{.probability = 1, .random_values = true}(x, random);
  EXPECT_GT(count_nonzero(noise < 0).item<int>(), 5);
}

TEST(Compose, EndsInANormalisedTensor) {
  RandomStream random(7);
  const auto chain = compose(Pad{.left = 2, .top = 2, .right = 2, .bottom = 2}, Grayscale{3}, ToTensor{},
                             Normalize{{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}, RandomErasing{});
  const Tensor y = chain(gradient(8, 8), random);
  EXPECT_EQ(y.shape(), Shape({3, 12, 12}));
  EXPECT_EQ(y.dtype(), float32);
  EXPECT_EQ(y[0][0][0].item<float>(), -1);
}

TEST(Policies, ChangeMostImagesAndDependOnTheirStream) {
  const Tensor x = gradient(24, 20);
  const auto check = [&](const auto& policy, double least, double most) {
    int changed = 0;
    for (std::uint64_t key = 0; key < 60; ++key) {
      RandomStream first(key), second(key);
      const Tensor y = policy(x, first);
      EXPECT_TRUE(same(y, policy(x, second)));
      EXPECT_EQ(y.dtype(), uint8);
      EXPECT_EQ(y.shape(), x.shape());
      changed += !same(x, y);
    }
    EXPECT_GE(changed, 60 * least);
    EXPECT_LE(changed, 60 * most);
  };
  check(AutoAugment{}, 0.5, 1);
  check(AutoAugment{.policy = AutoAugment::Policy::cifar10}, 0.5, 1);
  check(AutoAugment{.policy = AutoAugment::Policy::svhn}, 0.5, 1);
  check(TrivialAugmentWide{}, 0.6, 0.99);
  check(AugMix{}, 0.8, 1);
}

TEST(Policies, OfChainsWithoutEffectKeepTheImage) {
  RandomStream random(8);
  const Tensor x = full({6, 6, 3}, 128, {.dtype = uint8});  // operations on one level of grey change little
  const Tensor y = AugMix{.severity = 1, .all_ops = false}(x, random);
  EXPECT_TRUE(all(y.to(int64) <= 129).item<bool>());
}

TEST(Operations, HaveTorchvisionsMeaning) {
  using detail::Operation;
  const Tensor x = gradient(6, 8);
  const auto applied = [](const Tensor& image, Operation operation, double magnitude, double fill) {
    return detail::changed(image, detail::change_of(operation, magnitude, fill, image.size(0), image.size(1)));
  };
  EXPECT_TRUE(same(applied(x, Operation::identity, 3, 0), x));
  EXPECT_TRUE(same(applied(x, Operation::invert, 0, 0), invert(x)));
  EXPECT_TRUE(same(applied(x, Operation::brightness, 0, 0), x));
  EXPECT_TRUE(same(applied(x, Operation::posterize, 8, 0), x));
  const Tensor moved = applied(x, Operation::translate_x, 2.9, 7);
  EXPECT_TRUE(same(crop(moved, 0, 2, 6, 6), crop(x, 0, 0, 6, 6)));
  EXPECT_TRUE(all(crop(moved, 0, 0, 6, 2) == 7).item<bool>());
  const Tensor lowered = applied(x, Operation::translate_y, -1, 7);
  EXPECT_TRUE(same(crop(lowered, 0, 0, 5, 8), crop(x, 1, 0, 5, 8)));
}

}  // namespace
}  // namespace minima::data::distort_test
