#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/plots/tensor_image.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>

// tests/fixtures/transforms/generate.py describes the fixture.

namespace minima::data::torchvision_test {
namespace {

const State& fixture() {
  static const State state = load(MINIMA_FIXTURES "/transforms/transforms.safetensors");
  return state;
}

using Change = std::function<Tensor(const Tensor&)>;

/// Within one level of 255, or 1e-4 for floats.
Tensor agreement(const std::string& name, const std::string& dtype, const Change& f) {
  const Tensor got = f(fixture().tensor(dtype)).to(float64),
               expected = fixture().tensor(name + "." + dtype).to(float64);
  EXPECT_EQ(got.shape(), expected.shape()) << name;
  return abs(got - expected) <= (dtype == "uint8" ? 1 : 1e-4);
}

void expect_same(const std::string& name, const std::string& dtype, const Change& f) {
  EXPECT_TRUE(all(agreement(name, dtype, f)).item<bool>()) << name << ", " << dtype;
}

/// The same but for pixels at the border of the image, which torchvision multiplies twice by their share of it.
void expect_same_inside(const std::string& name, const std::string& dtype, const Change& f) {
  const Tensor white = f(ones(fixture().tensor("float32").shape())), whole = (white > 0.9999) | (white == 0);
  EXPECT_TRUE(all(agreement(name, dtype, f) | logical_not(whole)).item<bool>()) << name << ", " << dtype;
  EXPECT_GT(mean(whole.to(float64)).item<double>(), 0.8) << name;
}

TEST(Torchvision, ImageFunctionsGiveTheSamePixels) {
  for (const char* dtype : {"uint8", "float32"}) {
    expect_same("invert", dtype, [](const Tensor& x) { return invert(x); });
    expect_same("grayscale", dtype, [](const Tensor& x) { return to_grayscale(x, 3); });
    expect_same("gaussian_blur", dtype, [](const Tensor& x) { return gaussian_blur(x, 5, 1.3); });
    const std::array<Point, 4> corners{Point{2, 1}, {19, 3}, {21, 12}, {1, 15}};
    expect_same_inside("perspective", dtype, [&](const Tensor& x) { return perspective(x, corners); });
    expect_same_inside("affine", dtype, [](const Tensor& x) { return warp(x, affine_map(20, 3, -2, 1.2, 8, -5)); });
  }
}

TEST(Torchvision, ToTensorAndNormalizeGiveTheSameNumbers) {
  RandomStream random(1);
  const Tensor x = Normalize{{0.4, 0.5, 0.6}, {0.2, 0.3, 0.4}}(ToTensor{}(fixture().tensor("uint8"), random), random);
  const Closeness close = allclose(x, fixture().tensor("normalized"), {.rtol = 1e-5, .atol = 1e-6});
  EXPECT_TRUE(close) << close.message;
}

TEST(Torchvision, GridsAreTheSame) {
  const Tensor batch = fixture().tensor("batch");
  const Closeness plain =
      allclose(make_grid(batch, {.columns = 3, .padding = 1, .pad_value = 0.5}), fixture().tensor("grid"));
  EXPECT_TRUE(plain) << plain.message;
  const Closeness normalized =
      allclose(make_grid(batch, {.normalize = true, .scale_each = true}), fixture().tensor("grid_normalized"));
  EXPECT_TRUE(normalized) << normalized.message;
}

}  // namespace
}  // namespace minima::data::torchvision_test
