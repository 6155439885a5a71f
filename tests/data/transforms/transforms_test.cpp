#include <minima/data/transforms/transforms.h>
#include <minima/data/loader/loader.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/data/transforms/whole_image.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <cmath>
#include <functional>
#include <numeric>

namespace minima::data::transforms_test {
namespace {

using minima::test::message_of;
using Bytes = std::vector<std::uint8_t>;

Tensor image(std::int64_t height, std::int64_t width, std::int64_t channels, const Bytes& values) {
  return from_vector(values, {height, width, channels});
}
Tensor gradient_image(std::int64_t height, std::int64_t width, std::int64_t channels = 3) {
  Bytes values(static_cast<std::size_t>(height * width * channels));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>((i * 37 + i / 7) % 256);
  return image(height, width, channels, values);
}
Bytes bytes_of(const Tensor& x) { return x.to_vector<std::uint8_t>(); }

TEST(Resize, AveragesWhenItShrinksAndInterpolatesWhenItGrows) {
  // A triangle twice as wide as the pixels: weights 1/8, 3/8, 3/8, 1/8 inside.
  const Tensor row = image(1, 8, 1, {0, 0, 0, 0, 80, 80, 80, 80});
  EXPECT_EQ(bytes_of(resize(row, {0, 0, 1, 8}, 1, 4)), (Bytes{0, 10, 70, 80}));
  const Tensor two = image(1, 2, 1, {0, 100});
  EXPECT_EQ(bytes_of(resize(two, {0, 0, 1, 2}, 1, 4)), (Bytes{0, 25, 75, 100}));
  const Tensor x = gradient_image(5, 7);
  EXPECT_EQ(bytes_of(resize(x, {0, 0, 5, 7}, 5, 7)), bytes_of(x)) << "the same size changes nothing";
  EXPECT_EQ(bytes_of(resize(x, {1, 2, 3, 4}, 3, 4)), bytes_of(crop(x, 1, 2, 3, 4))) << "nor does a whole box";
}

TEST(Resize, AgreesWithADirectSumOverBothDimensions) {
  const Tensor x = gradient_image(31, 23, 2);
  const Tensor y = resize(x.to(DType::float32), {2.5, 1.25, 25, 20.5}, 9, 14);
  const auto weights = [](double from, double length, int in, int out, int o) {
    const double scale = length / out, support = std::max(scale, 1.0), centre = from + (o + 0.5) * scale;
    std::vector<double> w(static_cast<std::size_t>(in));
    double sum = 0;
    for (int i = static_cast<int>(from); i < std::min<double>(in, from + length); ++i)  // nothing from outside the box
      sum += w[static_cast<std::size_t>(i)] = std::max(0.0, 1 - std::abs((i + 0.5 - centre) / support));
    for (double& v : w) v /= sum;
    return w;
  };
  double worst = 0;
  for (int oy = 0; oy < 9; ++oy)
    for (int ox = 0; ox < 14; ++ox)
      for (int c = 0; c < 2; ++c) {
        const auto wy = weights(2.5, 25, 31, 9, oy), wx = weights(1.25, 20.5, 23, 14, ox);
        double expected = 0;
        for (std::size_t i = 0; i < 31; ++i)
          for (std::size_t j = 0; j < 23; ++j)
            expected += wy[i] * wx[j] * x.data<std::uint8_t>()[(i * 23 + j) * 2 + static_cast<std::size_t>(c)];
        worst = std::max(worst, std::abs(expected - y.data<float>()[(oy * 14 + ox) * 2 + c]));
      }
  EXPECT_LT(worst, 1e-3);
}

TEST(Geometry, FlipsCropsAndPads) {
  const Tensor x = image(2, 3, 1, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(bytes_of(flip_horizontal(x)), (Bytes{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(bytes_of(flip_vertical(x)), (Bytes{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(bytes_of(crop(x, 0, 1, 2, 2)), (Bytes{2, 3, 5, 6}));
  EXPECT_EQ(bytes_of(crop(pad_image(x, 1, 9), 0, 0, 2, 5)), (Bytes{9, 9, 9, 9, 9, 9, 1, 2, 3, 9}));
  EXPECT_EQ(bytes_of(crop(pad_image(x, 2), 2, 2, 2, 3)), bytes_of(x));
  EXPECT_THROW(crop(x, 1, 0, 2, 1), ValueError);
  EXPECT_CONTAINS(message_of<ShapeError>([&] { flip_vertical(empty({2, 2})); }),
                  "expected an image [H, W, C], got float32 [2, 2]");
  EXPECT_THROW(resize(x, {0, 0, 3, 3}, 2, 2), ValueError);
  EXPECT_THROW(flip_vertical(empty({2, 2, 1}, {.dtype = DType::float64})), DTypeError);
}

TEST(Geometry, WarpsByWholeTurnsAndPixels) {
  const Tensor x = image(3, 3, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(bytes_of(warp(x, Affine::rotation(90))), (Bytes{3, 6, 9, 2, 5, 8, 1, 4, 7})) << "counter-clockwise";
  EXPECT_EQ(bytes_of(warp(x, Affine::rotation(180))), (Bytes{9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(bytes_of(warp(x, {1, 0, 1, 0, 1, 0}, 50)), (Bytes{2, 3, 50, 5, 6, 50, 8, 9, 50}));
  EXPECT_EQ(bytes_of(warp(x, {1, 0, 1e30, 0, 1, 0}, 7)), Bytes(9, 7)) << "far outside";
}

TEST(Colour, FactorsDoWhatTheirNamesSay) {
  const Tensor x = image(1, 2, 3, {100, 150, 200, 10, 20, 30});
  EXPECT_EQ(bytes_of(adjust_brightness(x, 1.5)), (Bytes{150, 225, 255, 15, 30, 45}));
  for (const auto& same : {adjust_brightness(x, 1), adjust_contrast(x, 1), adjust_saturation(x, 1), adjust_hue(x, 0),
                           adjust_sharpness(x, 1), posterize(x, 8), solarize(x, 256)})
    EXPECT_EQ(bytes_of(same), bytes_of(x));
  EXPECT_EQ(bytes_of(adjust_saturation(x, 0)), (Bytes{141, 141, 141, 18, 18, 18}));
  EXPECT_EQ(bytes_of(adjust_contrast(x, 0)), Bytes(6, 79)) << "the mean of the grey image";
  EXPECT_EQ(bytes_of(adjust_hue(image(1, 1, 3, {255, 0, 0}), 1.0 / 3)), (Bytes{0, 255, 0}));
  EXPECT_EQ(bytes_of(adjust_hue(image(1, 1, 3, {255, 0, 0}), -1.0 / 3)), (Bytes{0, 0, 255}));
  EXPECT_EQ(bytes_of(posterize(x, 2)), (Bytes{64, 128, 192, 0, 0, 0}));
  EXPECT_EQ(bytes_of(solarize(x, 128)), (Bytes{100, 105, 55, 10, 20, 30}));
  EXPECT_EQ(bytes_of(auto_contrast(image(1, 3, 1, {50, 75, 100}))), (Bytes{0, 128, 255}));
  EXPECT_EQ(bytes_of(adjust_sharpness(image(3, 3, 1, {13, 13, 13, 13, 26, 13, 13, 13, 13}), 0))[4], 18);
  Bytes ramp(512);
  for (std::size_t i = 0; i < 512; ++i) ramp[i] = static_cast<std::uint8_t>(100 + i / 8);
  const Bytes flat = bytes_of(equalize(image(16, 32, 1, ramp)));
  EXPECT_LE(flat.front(), 4);
  EXPECT_GE(flat.back(), 250);
}

TEST(Colour, FloatImagesChangeAsBytesDo) {
  const Tensor bytes = gradient_image(40, 33);
  Tensor x = empty(bytes.shape());
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    std::uint8_t& value = bytes.data<std::uint8_t>()[i];
    value = static_cast<std::uint8_t>(30 + value / 2);
    x.data<float>()[i] = value / 255.0f;
  }
  const std::vector<std::pair<const char*, std::function<Tensor(const Tensor&)>>> changes{
      {"brightness", [](const Tensor& t) { return adjust_brightness(t, 1.3); }},
      {"contrast", [](const Tensor& t) { return adjust_contrast(t, 0.4); }},
      {"saturation", [](const Tensor& t) { return adjust_saturation(t, 1.7); }},
      {"hue", [](const Tensor& t) { return adjust_hue(t, 0.2); }},
      {"sharpness", [](const Tensor& t) { return adjust_sharpness(t, 1.5); }},
      {"posterize", [](const Tensor& t) { return posterize(t, 3); }},
      {"solarize", [](const Tensor& t) { return solarize(t, 100); }},
      {"auto_contrast", [](const Tensor& t) { return auto_contrast(t); }},
      {"equalize", [](const Tensor& t) { return equalize(t); }}};
  for (const auto& [name, change] : changes) {
    const Tensor expected = change(bytes), y = change(x);
    ASSERT_EQ(y.dtype(), DType::float32);
    double worst = 0;
    for (std::int64_t i = 0; i < y.numel(); ++i)
      worst = std::max(worst, std::abs(255.0 * y.data<float>()[i] - expected.data<std::uint8_t>()[i]));
    EXPECT_LE(worst, 1.01) << name;  // bytes are rounded, and contrast's mean is of whole numbers
    EXPECT_NE(y.to_vector<float>(), x.to_vector<float>()) << name << " changes something";
  }
  RandomStream random(3);
  for (int i = 0; i < 30; ++i) EXPECT_EQ((RandAugment{3, 15}(x, random).dtype()), DType::float32);
}

TEST(Transforms, DependOnTheirStreamAlone) {
  const Tensor x = gradient_image(40, 50);
  const auto all =
      compose(RandomResizedCrop{.size = 24}, RandomHorizontalFlip{}, RandomVerticalFlip{}, ColorJitter{.4, .4, .4, .1},
              RandomRotation{30}, RandAugment{3, 20}, RandomCrop{.size = 24, .padding = 2});
  int different = 0;
  for (std::uint64_t key = 0; key < 40; ++key) {
    RandomStream a(key), b(key), c(key + 1000);
    const Tensor first = all(x, a);
    EXPECT_EQ(first.shape(), (Shape{24, 24, 3}));
    EXPECT_EQ(bytes_of(first), bytes_of(all(x, b)));
    different += bytes_of(first) != bytes_of(all(x, c));
  }
  EXPECT_EQ(different, 40);
}

TEST(Transforms, ResizeAndCentreCropTakeAnySize) {
  RandomStream random(0);
  EXPECT_EQ(Resize{20}(gradient_image(40, 60), random).shape(), (Shape{20, 30, 3}));
  EXPECT_EQ(CenterCrop{10}(gradient_image(5, 30), random).shape(), (Shape{10, 10, 3}));
  EXPECT_EQ(bytes_of(CenterCrop{1}(image(3, 3, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}), random)), (Bytes{5}));
  for (std::uint64_t key = 0; key < 50; ++key) {
    RandomStream stream(key);
    EXPECT_EQ(RandomResizedCrop{.size = 8}(gradient_image(3, 200), stream).shape(), (Shape{8, 8, 3}))
        << "long and thin";
  }
  EXPECT_THROW((RandomResizedCrop{.size = 8, .scale = {0, 1}}(gradient_image(8, 8), random)), ValueError);
}

TEST(Transforms, ResizeTakesAnExactHeightAndWidth) {
  const Tensor x = gradient_image(40, 60);
  EXPECT_EQ((Resize{.size = {48, 30}}(x).shape()), (Shape{48, 30, 3}));
  EXPECT_EQ((Resize{{48, 30}}(x).shape()), (Shape{48, 30, 3}));
  EXPECT_EQ(bytes_of(Resize{.size = {48, 30}}(x)), bytes_of(resize(x, {0, 0, 40, 60}, 48, 30)));
  EXPECT_THROW((Resize{.size = {48, 0}}(x)), ValueError);
  EXPECT_THROW(Resize{0}(x), ValueError);
}

TEST(Transforms, ThoseThatDrawNothingTakeTheImageAlone) {
  const Tensor x = gradient_image(9, 7);
  RandomStream random(0);
  const auto chain = compose(Resize{8}, Pad{.left = 1, .right = 1}, CenterCrop{6}, Grayscale{3}, ToTensor{},
                             Normalize{{.5, .5, .5}, {.2, .2, .2}});
  EXPECT_EQ(chain(x).to_vector<float>(), chain(x, random).to_vector<float>());
  EXPECT_EQ((TenCrop{4}(x).shape()), (Shape{10, 4, 4, 3}));
  static_assert(!std::is_invocable_v<decltype(compose(Resize{8}, RandomHorizontalFlip{})), const Tensor&>,
                "the flip is drawn");
}

TEST(Transforms, ACallableOfTheImageAloneIsOne) {
  RandomStream random(0);
  const auto dark = [](const Tensor& image) { return crop(image, 0, 0, 2, 2); };
  EXPECT_EQ(compose(RandomHorizontalFlip{}, dark)(gradient_image(9, 7), random).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(compose(dark, dark)(gradient_image(9, 7)).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(RandomApply(dark, 1)(gradient_image(9, 7), random).shape(), (Shape{2, 2, 3}));
}

/// Two images of different sizes.
struct Pictures {
  std::int64_t size() const { return 2; }
  std::pair<Tensor, Tensor> get(std::int64_t index) const { return {gradient_image(8 + index, 9), tensor(index)}; }
};

TEST(Transforms, ASampleOfATransformedDatasetNeedsNoContext) {
  const auto served = with_transform(Pictures{}, compose(Resize{.size = {4, 5}}, ToTensor{}));
  const auto [image, label] = served.get(1);
  EXPECT_EQ(image.shape(), (Shape{3, 4, 5}));
  EXPECT_EQ(label.item<std::int64_t>(), 1);
  const auto drawn = with_transform(Pictures{}, RandomCrop{4, 0});
  const auto needs_none = [](const auto& dataset) { return requires { dataset.get(1); }; };
  EXPECT_TRUE(needs_none(served));
  EXPECT_FALSE(needs_none(drawn)) << "its crop is drawn";
  EXPECT_EQ(drawn.get(1, {}).first.shape(), (Shape{4, 4, 3}));
}

/// An image whose pixel in row i and column j is 16 (i + 1) + j + 1.
Tensor numbered(int height, int width) {
  Bytes pixels;
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) pixels.push_back(static_cast<std::uint8_t>(16 * (i + 1) + j + 1));
  return image(height, width, 1, pixels);
}

// Python's round(k / 2) for k = 0, 1, …, where torchvision's CenterCrop begins.
TEST(Transforms, CenterCropBeginsWhereTorchvisionsDoes) {
  const int begins[] = {0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6};
  for (int down = 0; down < 12; ++down)
    for (int right = 0; right < 12; ++right) {
      const Tensor x = numbered(3 + down, 3 + right);
      const int first = 16 * (begins[down] + 1) + begins[right] + 1;
      RandomStream random(1);
      EXPECT_EQ(bytes_of(CenterCrop{3}(x, random))[0], first) << down << ", " << right;
      EXPECT_EQ(bytes_of(FiveCrop{3}(x, random))[36], first) << down << ", " << right;
      EXPECT_EQ(bytes_of(on_batch(CenterCrop{3})(unsqueeze(x, 0), random))[0], first) << down << ", " << right;
    }
}

TEST(Transforms, CenterCropPadsTheOddPixelBelowAndAtTheRight) {
  RandomStream random(1);
  const Tensor x = numbered(2, 7);
  // torchvision: no row above, one below; columns 2 to 4.
  const Bytes expected{19, 20, 21, 35, 36, 37, 0, 0, 0};
  EXPECT_EQ(bytes_of(CenterCrop{3}(x, random)), expected);
  EXPECT_EQ(bytes_of(on_batch(CenterCrop{3})(unsqueeze(x, 0), random)), expected);
  EXPECT_EQ(bytes_of(CenterCrop{4}(numbered(1, 1), random)), (Bytes{0, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytes_of(CenterCrop{4}(numbered(3, 2), random)),
            (Bytes{0, 17, 18, 0, 0, 33, 34, 0, 0, 49, 50, 0, 0, 0, 0, 0}));
}

TEST(Transforms, RandomResizedCropCoversItsRange) {
  RandomResizedCrop crops{.size = 1, .scale = {0.25, 0.25}, .ratio = {1, 1}};
  Bytes values(100 * 100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i % 100);
  const Tensor ramp = image(100, 100, 1, values);
  int least = 255, most = 0;
  for (std::uint64_t key = 0; key < 400; ++key) {
    RandomStream random(key);
    const int centre = crops(ramp, random).item<int>();  // of a box of 50 columns
    least = std::min(least, centre);
    most = std::max(most, centre);
  }
  EXPECT_NEAR(least, 25, 2);
  EXPECT_NEAR(most, 74, 2);
}

TEST(Transforms, WorkInTheLoaderWhateverTheWorkers) {
  struct Images {
    std::int64_t size() const { return 24; }
    std::pair<Tensor, std::int64_t> get(std::int64_t index) const { return {gradient_image(20 + index, 30), index}; }
  };
  std::vector<Bytes> runs;
  for (const int workers : {0, 1, 4}) {
    DataLoader loader(with_transform(Images{}, compose(RandomResizedCrop{.size = 16}, RandomHorizontalFlip{})),
                      {.batch_size = 6, .shuffle = true, .workers = workers, .seed = 8});
    Bytes all;
    for (auto& [x, y] : loader) {
      EXPECT_EQ(x.shape(), (Shape{6, 16, 16, 3}));
      const Bytes bytes = bytes_of(x);
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    runs.push_back(all);
  }
  EXPECT_EQ(runs[1], runs[0]);
  EXPECT_EQ(runs[2], runs[0]);
}

TEST(NormalizeImages, IsTheFormulaInChannelsLast) {
  Bytes values(2 * 5 * 7 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 11 % 256);
  const Tensor x = from_vector(values, {2, 5, 7, 3});
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
    const Tensor y = normalize_images(x, imagenet_mean, imagenet_std, dtype);
    EXPECT_EQ(y.shape(), (Shape{2, 3, 5, 7}));
    EXPECT_TRUE(y.layout().is_channels_last());
    const auto got = y.to_vector<double>();
    const double tolerance = dtype == DType::bfloat16 ? 2e-2 : dtype == DType::float16 ? 2e-3 : 1e-5;
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t p = 0; p < 35; ++p) {
          const double value = values[static_cast<std::size_t>((b * 35 + p) * 3 + c)] / 255.0;
          ASSERT_NEAR(got[static_cast<std::size_t>((b * 3 + c) * 35 + p)], (value - imagenet_mean[c]) / imagenet_std[c],
                      tolerance);
        }
  }
  const double one[] = {0.5};
  EXPECT_FLOAT_EQ(normalize_images(from_vector(Bytes{255}, {1, 1, 1, 1}), one, one).item<float>(), 1);
  EXPECT_THROW(normalize_images(x, one, one), ShapeError);
  EXPECT_THROW(normalize_images(x.to(DType::float32), imagenet_mean, imagenet_std), DTypeError);
  const double zero[] = {0, 1, 1};
  EXPECT_THROW(normalize_images(x, imagenet_mean, zero), ValueError);
}

TEST(Mixing, OneHotWithAndWithoutSmoothing) {
  const Tensor labels = tensor<std::int64_t>({2, 0});
  EXPECT_EQ(one_hot_targets(labels, 3).to_vector<float>(), (std::vector<float>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(one_hot_targets(labels, 3, 0.75, 0.125).to_vector<float>(),
            (std::vector<float>{.125f, .125f, .75f, .75f, .125f, .125f}));
  EXPECT_THROW(one_hot_targets(tensor<float>({1}), 3), DTypeError);
}

TEST(Mixing, MixupAndCutmixKeepImagesAndTargetsTogether) {
  const std::int64_t batch = 3, side = 8;
  // Image i is all i + 1, its target one-hot: the share of each value in an image must be its share in the target.
  Tensor images = empty({batch, 1, side, side});
  for (std::int64_t i = 0; i < images.numel(); ++i) images.data<float>()[i] = static_cast<float>(i / (side * side) + 1);
  const Tensor targets = one_hot_targets(tensor<std::int64_t>({0, 1, 2}), 3);
  double mean_lambda = 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    RandomStream random(key);
    const MixedBatch mixed = mixup(images, targets, 0.4, random);
    const float lambda = mixed.targets.data<float>()[0];
    mean_lambda += lambda / 200;
    EXPECT_NEAR(mixed.images.data<float>()[0], lambda * 1 + (1 - lambda) * 2, 1e-5);
    EXPECT_NEAR(mixed.targets.data<float>()[6], 1 - lambda, 1e-6) << "the last is mixed with the first";

    const MixedBatch cut = cutmix(images, targets, 1, random);
    int own = 0;
    for (int p = 0; p < side * side; ++p) own += cut.images.data<float>()[p] == 1;
    EXPECT_NEAR(static_cast<float>(own) / (side * side), cut.targets.data<float>()[0], 1e-6);
  }
  EXPECT_NEAR(mean_lambda, 0.5, 0.08);
  RandomStream random(1);
  EXPECT_THROW(mixup(images, targets, 0, random), ValueError);
  EXPECT_THROW(mixup(images, tensor<std::int64_t>({0, 1, 2}), 1, random), DTypeError);
  EXPECT_THROW(cutmix(empty({3, 4}), targets, 1, random), ShapeError);
}

TEST(Mixing, BetaHasItsMoments) {
  for (const double a : {0.2, 1.0, 3.0}) {
    RandomStream random(5);
    double sum = 0, squares = 0;
    constexpr int draws = 20'000;
    for (int i = 0; i < draws; ++i) {
      const double x = draw_beta(a, random);
      ASSERT_TRUE(x >= 0 && x <= 1);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / draws, variance = squares / draws - mean * mean;
    EXPECT_NEAR(mean, 0.5, 0.01);
    EXPECT_NEAR(variance, 1 / (4 * (2 * a + 1)), 0.005);
  }
}

}  // namespace
}  // namespace minima::data::transforms_test
