#include <minima/io/plots/tensor_image.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <fstream>
#include <iterator>
#include <string>

namespace minima::tensor_image_test {
namespace {

using test::message_of;

TEST(MakeGrid, PlacesImagesInRows) {
  const Tensor x = stack(std::vector{full({1, 2, 2}, 1), full({1, 2, 2}, 2), full({1, 2, 2}, 3)});
  const Tensor grid = make_grid(x, {.columns = 2, .padding = 1});
  EXPECT_EQ(grid.shape(), Shape({3, 7, 7}));
  EXPECT_EQ(grid[0][1][1].item<float>(), 1);
  EXPECT_EQ(grid[2][2][5].item<float>(), 2);
  EXPECT_EQ(grid[1][4][1].item<float>(), 3);
  EXPECT_EQ(grid[0][5][5].item<float>(), 0);
  EXPECT_EQ(make_grid(zeros({4, 5})).shape(), Shape({3, 4, 5}));
}

TEST(MakeGrid, NormalisesToARange) {
  const Tensor x = make_grid(tensor({{-1.0, 0.0, 3.0}}), {.normalize = true, .low = -1, .high = 1});
  EXPECT_EQ(x[0].to_vector<float>(), (std::vector<float>{0, 0.5, 1}));
}

TEST(SaveImage, WritesPng) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/x.png";
  save_image(rand({4, 3, 8, 8}), path);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(bytes.substr(1, 3), "PNG");
  EXPECT_EQ(bytes.substr(16, 8), std::string("\0\0\0\x2a\0\0\0\x0c", 8));  // 42 × 12 pixels
  EXPECT_CONTAINS(message_of<ShapeError>([&] { save_image(zeros({2, 4, 4}), path); }), "1, 3 or 4 channels");
  EXPECT_CONTAINS(message_of<ShapeError>([] { make_grid(zeros({4})); }), "make_grid: expected images");
}

}  // namespace
}  // namespace minima::tensor_image_test
