#include <minima/onnx/export/activations.h>
#include <minima/onnx/export/emitter.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/image/interpolate.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

// Convolutions, pooling, resampling and padding.

namespace minima::onnx::detail {

namespace {

/// The same padding before and after each dimension.
Shape both_sides(const Shape& padding) {
  Shape pads = padding;
  for (const std::int64_t amount : padding) pads.push_back(amount);
  return pads;
}

std::string convolved(Emitter& e) {
  const std::initializer_list<Named> attributes{
      integers("strides", e.list("stride")), integers("pads", both_sides(e.list("padding"))),
      integers("dilations", e.list("dilation")), integer("group", e.integer("groups"))};
  return e.has(2) ? e.node("Conv", {e.in(0), e.in(1), e.in(2)}, attributes)
                  : e.node("Conv", {e.in(0), e.in(1)}, attributes);
}

/// Emits a convolution with the batch norm, the residual and the ReLU after it.
void normalized_convolution(Emitter& e) {
  const auto vector = [&](std::size_t i, double otherwise) {
    return e.has(i) ? e.in(i) : e.constant(full(e.input(6).shape, otherwise, {.dtype = e.output().dtype}));
  };
  std::string y = e.node("BatchNormalization", {convolved(e), vector(3, 1), vector(4, 0), e.in(6), e.in(7)},
                         {number("epsilon", e.number("eps"))});
  if (e.has(5)) y = sum(e, y, e.in(5));
  e.bind(e.integer("relu") ? e.node("Relu", {y}) : y);
}

/// Emits a convolution's gradient with respect to its input.
void transposed_convolution(Emitter& e) {
  const Shape stride = e.list("stride"), padding = e.list("padding"), dilation = e.list("dilation");
  Shape more;
  for (int d = 0; d < stride.rank(); ++d) {
    std::vector<std::int64_t> rests;
    for (std::size_t r = 0; r < e.runs(); ++r) {
      const std::int64_t in = e.input(0, r).shape[2 + d], out = e.output(0, r).shape[2 + d],
                         kernel = e.input(1, r).shape[2 + d];
      rests.push_back(out - ((in - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel - 1) + 1));
    }
    if (!Emitter::agree(rests)) e.refuse("its output padding changes with the sizes of the inputs");
    more.push_back(rests[0]);
  }
  e.bind(e.node("ConvTranspose", {e.in(0), e.in(1)},
                {integers("strides", stride), integers("pads", both_sides(padding)), integers("dilations", dilation),
                 integer("group", e.integer("groups")), integers("output_padding", more)}));
}

void max_pool(Emitter& e) {
  const std::size_t outputs = e.wants(1) ? 2 : 1;
  const std::vector<std::string> results =
      e.nodes("MaxPool", {e.in(0)},
              {integers("kernel_shape", e.list("kernel")), integers("strides", e.list("stride")),
               integers("pads", both_sides(e.list("padding"))), integers("dilations", e.list("dilation")),
               integer("ceil_mode", e.integer("ceil_mode"))},
              outputs);
  e.bind(results[0]);
  if (outputs == 1) return;
  // ONNX numbers the places of the whole tensor, minima those of each image.
  std::vector<std::int64_t> sizes;
  for (const Shape& shape : e.input_shapes(0)) sizes.push_back(shape[2] * shape[3]);
  e.bind(e.node("Mod", {results[1], e.size(sizes)}), 1);
}

/// The weights of adaptive pooling [parts, size]: part i is from ⌊i·size / parts⌋ to ⌈(i + 1)·size / parts⌉.
Tensor averages(std::int64_t size, std::int64_t parts, DType dtype, bool transposed) {
  std::vector<double> weights(static_cast<std::size_t>(size * parts), 0);
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t first = i * size / parts, last = ((i + 1) * size + parts - 1) / parts;
    for (std::int64_t k = first; k < last; ++k)
      weights[static_cast<std::size_t>(transposed ? k * parts + i : i * size + k)] =
          1.0 / static_cast<double>(last - first);
  }
  return from_vector(weights, transposed ? Shape{size, parts} : Shape{parts, size}).to(dtype);
}

void average_pool(Emitter& e) {
  const auto pool = [&](const Shape& kernel, const Shape& stride, const Shape& padding, std::int64_t ceil,
                        std::int64_t include) {
    return e.node("AveragePool", {e.in(0)},
                  {integers("kernel_shape", kernel), integers("strides", stride), integers("pads", both_sides(padding)),
                   integer("ceil_mode", ceil), integer("count_include_pad", include)});
  };
  if (e.integer("equal_parts") == 0) {
    const std::int64_t divisor = e.integer("divisor");
    const Shape kernel = e.list("kernel");
    // A divisor stands for all elements of a window, so padding counts.
    std::string y = pool(kernel, e.list("stride"), e.list("padding"), e.integer("ceil_mode"),
                         divisor != 0 ? 1 : e.integer("count_include_pad"));
    if (divisor != 0) {
      if (e.integer("ceil_mode") != 0) e.refuse("a divisor together with ceil_mode");
      const double factor = static_cast<double>(kernel[0] * kernel[1]) / static_cast<double>(divisor);
      y = e.node("Mul", {y, e.constant(factor, e.output().dtype)});
    }
    return e.bind(y);
  }
  bool is_global = true, divides = true, is_fixed = true;
  Shape kernel;
  for (int d = 2; d < 4; ++d) {
    std::vector<std::int64_t> sizes;
    for (std::size_t r = 0; r < e.runs(); ++r) {
      const std::int64_t in = e.input(0, r).shape[d], out = e.output(0, r).shape[d];
      is_fixed = is_fixed && in == e.input(0).shape[d];
      is_global = is_global && out == 1;
      divides = divides && in % out == 0;
      sizes.push_back(in / out);
    }
    divides = divides && Emitter::agree(sizes);
    kernel.push_back(sizes[0]);
  }
  if (is_global) return e.bind(e.node("GlobalAveragePool", {e.in(0)}));
  if (divides) return e.bind(pool(kernel, kernel, Shape::filled(2, 0), 0, 0));
  // Parts of different sizes: a product with a matrix of averages for each dimension.
  if (!is_fixed) e.refuse("an adaptive pooling of images of dynamic sizes into parts that may differ");
  const std::string columns = e.node(
      "MatMul", {e.in(0), e.constant(averages(e.input(0).shape[3], e.output().shape[3], e.output().dtype, true))});
  e.bind(e.node("MatMul",
                {e.constant(averages(e.input(0).shape[2], e.output().shape[2], e.output().dtype, false)), columns}));
}

/// ONNX's antialiasing weighs otherwise than Pillow's and PyTorch's, so each dimension is a product with the matrix
/// that the resized unit vectors make.
void resize_with_antialias(Emitter& e, InterpolateMode mode) {
  const Shape &from = e.input(0).shape, &to = e.output().shape;
  for (std::size_t r = 0; r < e.runs(); ++r)
    for (int d = 2; d < 4; ++d)
      if (e.input(0, r).shape[d] != from[d]) e.refuse("antialiased resizing of images of dynamic sizes");
  const bool has_scale = e.has_number("scale_height"), corners = e.integer("align_corners") != 0;
  const auto matrix = [&](int d, const char* scale) {
    InterpolateOptions options{.mode = mode, .align_corners = corners, .antialias = true};
    if (has_scale) options.scale = {e.number(scale), 1};
    else options.size = {to[d], from[d]};
    const Tensor units = reshape(eye(from[d], {.dtype = float64}), {1, 1, from[d], from[d]});
    return reshape(interpolate(units, options), {to[d], from[d]}).to(e.output().dtype);
  };
  const Tensor columns = contiguous(transpose(matrix(3, "scale_width"), 0, 1));
  e.bind(e.node("MatMul", {e.constant(matrix(2, "scale_height")), e.node("MatMul", {e.in(0), e.constant(columns)})}));
}

/// interpolate takes the places that PyTorch's does.
void resize(Emitter& e) {
  const std::string mode = e.word("mode");
  if (e.integer("antialias") != 0)
    return resize_with_antialias(e, mode == "linear" ? InterpolateMode::linear : InterpolateMode::cubic);
  const bool corners = e.integer("align_corners") != 0, nearest = mode == "nearest";
  const std::string places = nearest ? "asymmetric" : corners ? "align_corners" : "half_pixel";
  std::string scales, sizes;
  if (e.has_number("scale_height")) {
    const std::vector<float> factors{1, 1, static_cast<float>(e.number("scale_height")),
                                     static_cast<float>(e.number("scale_width"))};
    scales = e.constant(from_vector(factors, {4}));
  } else {
    sizes = e.shape(e.output_shapes());
  }
  std::vector<std::string> inputs{e.in(0), "", scales};
  if (!sizes.empty()) inputs.push_back(sizes);
  const Named method = word("mode", mode), transformation = word("coordinate_transformation_mode", places);
  if (nearest) return e.bind(e.node("Resize", inputs, {method, transformation, word("nearest_mode", "floor")}));
  if (mode == "linear") return e.bind(e.node("Resize", inputs, {method, transformation}));
  e.bind(e.node("Resize", inputs, {method, transformation, number("cubic_coeff_a", -0.75)}));
}

void sample(Emitter& e) {
  std::string mode = e.word("mode");
  if (e.opset() < 20 && mode != "nearest") mode = mode == "linear" ? "bilinear" : "bicubic";
  e.bind(e.node("GridSample", {e.in(0), e.in(1)},
                {word("mode", mode), word("padding_mode", e.word("padding")),
                 integer("align_corners", e.integer("align_corners"))}));
}

void padding(Emitter& e) {
  const std::string mode = e.word("mode");
  if (mode == "circular" && e.opset() < 19) e.refuse("circular padding came with opset 19");
  const Shape before = e.list("left");
  Shape pads = before;
  for (const std::int64_t amount : e.padding_behind(before)) pads.push_back(amount);
  const std::string name = mode == "replicate" ? "edge" : mode == "circular" ? "wrap" : mode;
  if (mode == "constant")
    e.bind(e.node("Pad", {e.in(0), e.constant(pads), e.constant(e.number("value"), e.output().dtype)}));
  else e.bind(e.node("Pad", {e.in(0), e.constant(pads)}, {word("mode", name)}));
}

}  // namespace

void add_windows(Translations& t) {
  t["conv2d"] = t["conv3d"] = [](Emitter& e) { e.bind(convolved(e)); };
  t["conv2d_batch_norm"] = normalized_convolution;
  t["conv2d_input_gradient"] = t["conv3d_input_gradient"] = transposed_convolution;
  t["max_pool2d"] = max_pool;
  t["avg_pool2d"] = average_pool;
  t["interpolate"] = resize;
  t["grid_sample"] = sample;
  t["pad"] = padding;
}

}  // namespace minima::onnx::detail
