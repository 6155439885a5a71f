#include <minima/io/plots/draw.h>

#include "tests/support/expect_error.h"
#include "tests/support/recorded.h"

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// tests/fixtures/generate_rare.py describes the fixture.

namespace minima::draw_test {
namespace {

using test::message_of;

TEST(Draw, BoxesAreTorchvisions) {
  const test::Recorded recorded("rare.safetensors");
  const Tensor picture = recorded["picture"], boxes = recorded["frames"];
  recorded.expect("boxed", draw_bounding_boxes(picture, boxes, {.width = 2}), 0);
  const Tensor filled = draw_bounding_boxes(picture, boxes, {.colours = {{250, 3, 77}}, .fill = true});
  const Tensor difference = abs(filled.to(int64) - recorded["boxed.filled"].to(int64));
  EXPECT_LE(max(difference).item<int>(), 1);
}

TEST(Draw, MasksAreTorchvisions) {
  const test::Recorded recorded("rare.safetensors");
  const Tensor picture = recorded["picture"], masks = recorded["masks"];
  const Tensor drawn = draw_segmentation_masks(picture, masks, {.alpha = 0.6});
  EXPECT_LE(max(abs(drawn.to(int64) - recorded["masked"].to(int64))).item<int>(), 1);
  recorded.expect("masked.float",
                  draw_segmentation_masks(picture.to(float32) / 255.0, masks, {.colours = {{255, 0, 51}}}), 1e-6);
}

TEST(Draw, KeypointsAreTorchvisions) {
  const test::Recorded recorded("rare.safetensors");
  const Tensor picture = recorded["picture"], points = recorded["points"];
  recorded.expect("dotted", draw_keypoints(picture, points, {.colour = {9, 200, 30}, .radius = 3}), 0);
  const Tensor joined =
      draw_keypoints(picture, points, {.connectivity = {{0, 1}, {1, 2}, {2, 0}}, .colour = {9, 200, 30}});
  // Lines are Pillow's polygons: they differ at single pixels.
  const Tensor wrong = any(ne(joined, recorded["joined"]), 0), white = all(eq(recorded["joined"], 255), 0);
  EXPECT_LE(sum(wrong).item<int>(), sum(white).item<int>() / 4);
}

TEST(Draw, InvisibleKeypointsAreLeftOut) {
  const test::Recorded recorded("rare.safetensors");
  const Tensor picture = recorded["picture"], points = recorded["points"];
  const Tensor none = zeros({2, 3}, {.dtype = boolean});
  recorded.expect("picture", draw_keypoints(picture, points, {.connectivity = {{0, 1}}, .visibility = none}), 0);
}

TEST(Draw, FlowsAreTorchvisions) {
  const test::Recorded recorded("rare.safetensors");
  const Tensor flow = recorded["flow"], image = flow_to_image(flow);
  EXPECT_LE(max(abs(image.to(int64) - recorded["flow.image"].to(int64))).item<int>(), 1);
  EXPECT_EQ(flow_to_image(flow[0]).shape(), Shape({3, 6, 8}));
}

TEST(Draw, ErrorsSayWhatWasPassed) {
  const Tensor image = zeros({3, 4, 4}, {.dtype = uint8});
  EXPECT_EQ(message_of<ValueError>([&] { draw_bounding_boxes(image, tensor({{3, 0, 1, 2}})); }),
            "draw_bounding_boxes: box 0 must have x1 <= x2 and y1 <= y2, got 3, 0, 1, 2");
  EXPECT_EQ(
      message_of<ValueError>([&] { draw_bounding_boxes(image, zeros({3, 4}), {.colours = {{1, 2, 3}, {4, 5, 6}}}); }),
      "draw_bounding_boxes: 2 colours for 3 objects; give one, one each, or none");
  EXPECT_EQ(
      message_of<ShapeError>([&] { draw_segmentation_masks(image, zeros({4, 4})); }),
      "draw_segmentation_masks: masks must be bool [N, H, W] or [H, W] of the image's size, got float32 [4, 4] for "
      "uint8 [3, 4, 4]");
  EXPECT_EQ(message_of<IndexError>([&] { draw_keypoints(image, zeros({1, 2, 2}), {.connectivity = {{0, 2}}}); }),
            "draw_keypoints: keypoint 2 is out of range for float32 [1, 2, 2]");
  EXPECT_EQ(message_of<DTypeError>([] { flow_to_image(zeros({2, 2, 2}, {.dtype = float64})); }),
            "flow_to_image: the flow must be float32, got float64 [2, 2, 2]");
}

}  // namespace
}  // namespace minima::draw_test
