#include <minima/onnx/operators/operators.h>

#include <minima/ops/convolution/deform_conv2d.h>
#include <minima/ops/core/pair.h>
#include <minima/ops/image/boxes.h>
#include <minima/ops/image/regions.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Boxes, and operators that read images at places of their own.

namespace minima::onnx {

namespace vision {

namespace {

Pair pair_of(const std::vector<std::int64_t>& values, std::int64_t otherwise, std::size_t first = 0) {
  return values.empty() ? Pair(otherwise) : Pair(values.at(first), values.at(first + 1));
}

Pair padding_of(const Call& in) {
  const std::vector<std::int64_t> pads = in.ints("pads");
  if (pair_of(pads, 0) != pair_of(pads, 0, 2)) throw ValueError("onnx: one padding for both sides here");
  return pair_of(pads, 0);
}

/// Corners (x1, y1, x2, y2) of boxes [K, 4]: either two corners (y, x) in any order, or the centre and the size.
Tensor corners_of(const Tensor& boxes, bool centres) {
  if (centres) return box_convert(boxes, BoxFormat::cxcywh, BoxFormat::xyxy);
  const Tensor turned =
      index_select(boxes, 1, from_vector(std::vector<std::int64_t>{1, 0, 3, 2}, {4}).to(boxes.device()));
  const std::vector<Tensor> ends = chunk(turned, 2, 1);
  return cat({minimum(ends[0], ends[1]), maximum(ends[0], ends[1])}, 1);
}

/// Rows (image, class, box) of what is kept of each class of each image.
Tensor suppressed(const Call& in) {
  const bool centres = in.i("center_point_box") != 0;
  const std::int64_t most = in.has(2) ? in[2].item<std::int64_t>() : 0;
  const double iou = in.has(3) ? in[3].item<double>() : 0;
  const TensorOptions options{.dtype = int64, .device = in[0].device()};
  std::vector<Tensor> rows{zeros({0, 3}, options)};
  for (std::int64_t image = 0; image < in[1].size(0); ++image) {
    const Tensor corners = corners_of(in[0][image], centres);
    for (std::int64_t c = 0; c < in[1].size(1); ++c) {
      const Tensor scores = in[1][image][c];
      Tensor kept = nms(corners, scores, iou);
      if (in.has(4)) kept = masked_select(kept, index_select(scores, 0, kept) > in[4].item<double>());
      kept = narrow(kept, 0, 0, std::min(most, kept.size(0)));
      rows.push_back(stack({full(kept.shape(), image, options), full(kept.shape(), c, options), kept}, 1));
    }
  }
  return cat(rows, 0);
}

Tensor aligned(const Call& in) {
  in.word("mode", {"avg"});
  const Tensor boxes = cat({unsqueeze(in[2].to(in[1].dtype()), 1), in[1]}, 1);
  return roi_align(
      in[0], boxes,
      {.size = Pair(in.i("output_height", 1), in.i("output_width", 1)),
       .spatial_scale = in.f("spatial_scale", 1),
       .sampling_ratio = in.i("sampling_ratio"),
       .aligned = in.word("coordinate_transformation_mode", {"half_pixel", "output_half_pixel"}) == "half_pixel"});
}

Tensor columns_added(const Call& in) {
  const std::vector<std::int64_t> size = in[1].to_vector<std::int64_t>(), kernel = in[2].to_vector<std::int64_t>();
  if (size.size() != 2) throw ValueError("onnx: fold takes images");
  return fold(in[0], pair_of(size, 1),
              {.kernel = pair_of(kernel, 1),
               .dilation = pair_of(in.ints("dilations"), 1),
               .padding = padding_of(in),
               .stride = pair_of(in.ints("strides"), 1)});
}

Tensor deformed(const Call& in) {
  in.ints("kernel_shape");  // the weight's
  in.i("group", 1);         // those of the weight and the offsets say it
  in.i("offset_group", 1);
  return deform_conv2d(in[0], in[2], in[1], in.has(3) ? in[3] : Tensor(),
                       {.stride = pair_of(in.ints("strides"), 1),
                        .padding = padding_of(in),
                        .dilation = pair_of(in.ints("dilations"), 1),
                        .mask = in.has(4) ? in[4] : Tensor()});
}

/// ONNX takes absolute values; powers of negative sums are NaN in PyTorch.
Tensor power_pooled(const Call& in) {
  in.word("auto_pad", {"NOTSET"});
  const int spatial = in[0].rank() - 2;
  const std::vector<std::int64_t> kernel = in.ints("kernel_shape"), ones(kernel.size(), 1),
                                  stride = in.ints("strides", ones), pads = in.ints("pads");
  if (in.ints("dilations", ones) != ones) throw ValueError("onnx: lp_pool has no dilation");
  Shape around;
  for (std::size_t d = pads.size() / 2; d-- > 0;) {
    around.push_back(pads.at(d));
    around.push_back(pads.at(d + pads.size() / 2));
  }
  const Tensor x = pads.empty() ? abs(in[0]) : pad(abs(in[0]), around);
  const auto p = static_cast<double>(in.i("p", 2));
  const bool ceil = in.i("ceil_mode") != 0;
  if (spatial == 1) return lp_pool1d(x, p, {.kernel = kernel.at(0), .stride = stride.at(0), .ceil_mode = ceil});
  if (spatial == 2)
    return lp_pool2d(x, p, {.kernel = pair_of(kernel, 1), .stride = pair_of(stride, 1), .ceil_mode = ceil});
  return lp_pool3d(x, p,
                   {.kernel = {kernel.at(0), kernel.at(1), kernel.at(2)},
                    .stride = {stride.at(0), stride.at(1), stride.at(2)},
                    .ceil_mode = ceil});
}

}  // namespace

}  // namespace vision

void add_vision(Operators& o) {
  using namespace vision;
  o["NonMaxSuppression"] = call(suppressed);
  o["RoiAlign"] = call(aligned);
  o["Col2Im"] = call(columns_added);
  o["DeformConv"] = call(deformed);
  o["LpPool"] = call(power_pooled);
  o["AffineGrid"] = call([](const Call& in) {
    return affine_grid(in[0], shape_of(in[1].to_vector<std::int64_t>()), in.i("align_corners") != 0);
  });
}

}  // namespace minima::onnx
