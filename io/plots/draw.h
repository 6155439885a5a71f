#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// Annotations on images [3, H, W], uint8 or float32 in 0 … 1, with the names and meaning of torchvision.utils. Results
// are new tensors on the CPU. There are no labels: minima has no fonts for pixels.

namespace minima {

/// Red, green and blue, 0 … 255.
struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
};

struct DrawBoxesOptions {
  std::vector<Rgb> colours = {};  ///< one for all boxes or one each; default: torchvision's palette
  bool fill = false;              ///< cover the boxes with their colour, at 100 / 255
  std::int64_t width = 1;         ///< of the frame, inwards, from 1 to 10⁶
};
/// The frames of boxes [N, 4] of any dtype, x1, y1, x2, y2 in whole pixels, both corners included.
/// torchvision.utils.draw_bounding_boxes.
MINIMA_API Tensor draw_bounding_boxes(const Tensor& image, const Tensor& boxes, const DrawBoxesOptions& options = {});

struct DrawMasksOptions {
  double alpha = 0.8;             ///< opacity, from 0 to 1
  std::vector<Rgb> colours = {};  ///< one for all masks or one each; default: torchvision's palette
};
/// Bool masks [N, H, W] or [H, W] in colours; black where several overlap. torchvision.utils.draw_segmentation_masks.
MINIMA_API Tensor draw_segmentation_masks(const Tensor& image, const Tensor& masks,
                                          const DrawMasksOptions& options = {});

struct DrawKeypointsOptions {
  std::vector<std::pair<std::int64_t, std::int64_t>> connectivity = {};  ///< pairs of keypoints to join by white lines
  Rgb colour = {255, 255, 255};
  std::int64_t radius = 2;  ///< from 0 to 10⁶
  std::int64_t width = 3;   ///< of the lines, from 1 to 10⁶
  Tensor visibility = {};   ///< bool [N, K]; undefined: all
};
/// A disc at each of the keypoints [N, K, 2], x and y of N instances. torchvision.utils.draw_keypoints, up to single
/// pixels at the edges of lines.
MINIMA_API Tensor draw_keypoints(const Tensor& image, const Tensor& keypoints,
                                 const DrawKeypointsOptions& options = {});

/// Optical flow float32 [2, H, W] or [N, 2, H, W], x and y, as colours uint8 [3, H, W] or [N, 3, H, W]: the hue is the
/// direction, the saturation the length (Baker et al. 2007). torchvision.utils.flow_to_image.
MINIMA_API Tensor flow_to_image(const Tensor& flow);

}  // namespace minima
