#include <minima/onnx/operators/operators.h>

#include <minima/ops/core/triple.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Operators in three dimensions, sampling and unpooling.

namespace minima::onnx {

namespace volumes {

namespace {

Triple triple_of(const std::vector<std::int64_t>& values, std::size_t first, std::int64_t otherwise) {
  return values.empty() ? Triple(otherwise) : Triple(values.at(first), values.at(first + 1), values.at(first + 2));
}

/// Attributes of windows with the same padding on both sides.
struct Windows {
  explicit Windows(const Call& in)
      : stride(triple_of(in.ints("strides"), 0, 1)),
        dilation(triple_of(in.ints("dilations"), 0, 1)),
        padding(triple_of(in.ints("pads"), 0, 0)) {
    in.word("auto_pad", {"NOTSET"});
    if (padding != triple_of(in.ints("pads"), 3, 0)) throw ValueError("onnx: volumes have one padding for both sides");
  }
  Triple stride, dilation, padding;
};

Tensor bias_of(const Call& in) { return in.has(2) ? in[2] : Tensor(); }

Tensor convolved(const Call& in) {
  const Windows w(in);
  in.ints("kernel_shape");
  return conv3d(in[0], in[1], bias_of(in),
                {.stride = w.stride, .padding = w.padding, .dilation = w.dilation, .groups = in.i("group", 1)});
}

Tensor convolved_transposed(const Call& in) {
  const Windows w(in);
  in.ints("kernel_shape");
  return conv_transpose3d(in[0], in[1], bias_of(in),
                          {.stride = w.stride,
                           .padding = w.padding,
                           .output_padding = triple_of(in.ints("output_padding"), 0, 0),
                           .dilation = w.dilation,
                           .groups = in.i("group", 1)});
}

Tensor max_pooled(const Call& in) {
  const Windows w(in);
  if (in.outputs() > 1) throw ValueError("onnx: indices of images only");
  return max_pool3d(in[0], {.kernel = triple_of(in.ints("kernel_shape"), 0, 1),
                            .stride = w.stride,
                            .padding = w.padding,
                            .dilation = w.dilation,
                            .ceil_mode = in.i("ceil_mode") != 0});
}

Tensor avg_pooled(const Call& in) {
  const Windows w(in);
  if (w.dilation != Triple(1)) throw ValueError("onnx: avg_pool3d has no dilation");
  return avg_pool3d(in[0], {.kernel = triple_of(in.ints("kernel_shape"), 0, 1),
                            .stride = w.stride,
                            .padding = w.padding,
                            .ceil_mode = in.i("ceil_mode") != 0,
                            .count_include_pad = in.i("count_include_pad") != 0});
}

Tensor sampled(const Call& in) {
  const std::string mode = in.word("mode", {"bilinear", "linear", "nearest", "bicubic", "cubic"}),
                    padding = in.word("padding_mode", {"zeros", "border", "reflection"});
  return grid_sample(in[0], in[1],
                     {.mode = mode == "nearest"          ? GridSampleMode::nearest
                              : mode.ends_with("linear") ? GridSampleMode::bilinear
                                                         : GridSampleMode::bicubic,
                      .padding = padding == "zeros"    ? GridPadding::zeros
                                 : padding == "border" ? GridPadding::border
                                                       : GridPadding::reflection,
                      .align_corners = in.i("align_corners") != 0});
}

/// Odd sizes only: the extra channel of an even one is on the other side.
Tensor response_normalized(const Call& in) {
  if (in.i("size") % 2 == 0) throw ValueError("onnx: local_response_norm of even size has its window elsewhere");
  return local_response_norm(
      in[0], {.size = in.i("size"), .alpha = in.f("alpha", 1e-4), .beta = in.f("beta", 0.75), .k = in.f("bias", 1)});
}

/// ONNX counts places through the whole tensor, here of one plane, before it is extended to another shape.
Tensor unpooled(const Call& in) {
  if (in[0].rank() != 4 || in[0].size(0) * in[0].size(1) != 1) throw ValueError("onnx: max_unpool2d of one plane only");
  const std::vector<std::int64_t> kernel = in.ints("kernel_shape"), stride = in.ints("strides", {1, 1});
  Tensor y =
      max_unpool2d(in[0], in[1], {.kernel = {kernel.at(0), kernel.at(1)}, .stride = {stride.at(0), stride.at(1)}});
  if (!in.has(2)) return y;
  const std::vector<std::int64_t> shape = in[2].to_vector<std::int64_t>();
  return pad(y, {0, shape.at(3) - y.size(3), 0, shape.at(2) - y.size(2)});
}

/// `volumes` for inputs of rank 5, what there was for others.
void extend(Operators& o, const std::string& name, Tensor (*volumes)(const Call&)) {
  o[name] = [others = o.at(name), volumes](const Call& in) {
    return in[0].rank() == 5 ? std::vector<Tensor>{volumes(in)} : others(in);
  };
}

}  // namespace

}  // namespace volumes

void add_volumes(Operators& o) {
  using namespace volumes;
  extend(o, "Conv", convolved);
  extend(o, "ConvTranspose", convolved_transposed);
  extend(o, "MaxPool", max_pooled);
  extend(o, "AveragePool", avg_pooled);
  o["GridSample"] = [](const Call& in) { return std::vector<Tensor>{sampled(in)}; };
  o["LRN"] = [](const Call& in) { return std::vector<Tensor>{response_normalized(in)}; };
  o["MaxUnpool"] = [](const Call& in) { return std::vector<Tensor>{unpooled(in)}; };
}

}  // namespace minima::onnx
