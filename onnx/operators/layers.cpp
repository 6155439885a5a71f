#include <minima/onnx/operators/operators.h>

#include <minima/ops/core/pair.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::onnx {

namespace layers {

namespace {

/// Attributes of windows over one or two spatial dimensions, as those of images; a sequence is an image of height 1.
struct Windows {
  Pair kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
};

Pair pair_of(const std::vector<std::int64_t>& values, std::size_t first, int spatial, std::int64_t otherwise) {
  if (values.empty()) return otherwise;
  return spatial == 1 ? Pair(otherwise, values.at(first)) : Pair(values.at(first), values.at(first + 1));
}

/// Of a window in the image.
std::int64_t extent(std::int64_t kernel, std::int64_t dilation) { return dilation * (kernel - 1) + 1; }

std::int64_t same_padding(std::int64_t size, std::int64_t extent, std::int64_t stride) {
  return std::max<std::int64_t>(0, ((size + stride - 1) / stride - 1) * stride + extent - size);
}

/// Of a convolution: the weight's, which the attribute repeats.
std::vector<std::int64_t> kernel_of(const Call& in) {
  const Shape& weight = in[1].shape();
  const std::vector<std::int64_t> kernel(weight.begin() + std::min(2, weight.rank()), weight.end());
  if (in.ints("kernel_shape", kernel) != kernel) throw ValueError("onnx: kernel_shape is not the weight's");
  return kernel;
}

Windows windows_of(const Call& in, int spatial, const std::vector<std::int64_t>& kernel) {
  if (spatial < 1 || spatial > 2) throw ValueError("onnx: windows in three dimensions are no operator here");
  Windows w;
  w.kernel = pair_of(kernel, 0, spatial, 1);
  w.stride = pair_of(in.ints("strides"), 0, spatial, 1);
  w.dilation = pair_of(in.ints("dilations"), 0, spatial, 1);
  if (std::min({w.stride.height, w.stride.width, w.dilation.height, w.dilation.width}) < 1)
    throw ValueError("onnx: strides and dilations must be positive");
  const std::vector<std::int64_t> pads = in.ints("pads");
  w.before = pair_of(pads, 0, spatial, 0);
  w.after = pair_of(pads, static_cast<std::size_t>(spatial), spatial, 0);
  const std::string automatic = in.word("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    const Pair total(
        spatial == 1 ? 0 : same_padding(in[0].size(-2), extent(w.kernel.height, w.dilation.height), w.stride.height),
        same_padding(in[0].size(-1), extent(w.kernel.width, w.dilation.width), w.stride.width));
    const Pair half(total.height / 2, total.width / 2), rest(total.height - half.height, total.width - half.width);
    w.before = automatic == "SAME_UPPER" ? half : rest;
    w.after = automatic == "SAME_UPPER" ? rest : half;
  }
  return w;
}

Tensor as_image(const Tensor& x) { return x.rank() == 3 ? unsqueeze(x, 2) : x; }
Tensor as_before(const Tensor& y, const Tensor& x) { return x.rank() == 3 ? squeeze(y, 2) : y; }

/// What two different paddings need beforehand.
Tensor padded(const Tensor& x, const Windows& w, double value) {
  return pad(x, {w.before.width, w.after.width, w.before.height, w.after.height}, PadMode::constant, value);
}

Tensor convolved(const Call& in) {
  const int spatial = in[0].rank() - 2;
  const Windows w = windows_of(in, spatial, kernel_of(in));
  const Conv2dOptions options{.stride = w.stride,
                              .padding = w.before == w.after ? w.before : Pair(0),
                              .dilation = w.dilation,
                              .groups = in.i("group", 1)};
  const Tensor x = w.before == w.after ? as_image(in[0]) : padded(as_image(in[0]), w, 0);
  return as_before(conv2d(x, as_image(in[1]), in.has(2) ? in[2] : Tensor(), options), in[0]);
}

/// The whole transposed convolution, from which paddings are cut away.
Tensor convolved_transposed(const Call& in) {
  const int spatial = in[0].rank() - 2;
  const Windows w = windows_of(in, spatial, kernel_of(in));
  const Pair more = pair_of(in.ints("output_padding"), 0, spatial, 0);
  std::vector<std::int64_t> wanted = in.ints("output_shape");
  const bool same = in.s("auto_pad").starts_with("SAME"), own = !same && wanted.empty() && w.before == w.after;
  const Tensor y = conv_transpose2d(as_image(in[0]), as_image(in[1]), in.has(2) ? in[2] : Tensor(),
                                    {.stride = w.stride,
                                     .padding = own ? w.before : Pair(0),
                                     .output_padding = more,
                                     .dilation = w.dilation,
                                     .groups = in.i("group", 1)});
  if (own) return as_before(y, in[0]);
  if (same)
    for (int d = 0; d < spatial; ++d)
      wanted.push_back(in[0].size(2 + d) * (d + 1 < spatial ? w.stride.height : w.stride.width));
  if (wanted.empty())
    return as_before(pad(y, {-w.before.width, -w.after.width, -w.before.height, -w.after.height}), in[0]);
  Shape amounts;
  for (int d = 3; d >= 4 - spatial; --d) {
    const std::int64_t total = y.size(d) - wanted[static_cast<std::size_t>(d - 4 + spatial)];
    const std::int64_t small = total >= 0 ? total / 2 : 0;
    const bool lower = in.s("auto_pad") == "SAME_LOWER";
    amounts.push_back(-(lower ? total - small : small));
    amounts.push_back(-(lower ? small : total - small));
  }
  return as_before(pad(y, amounts), in[0]);
}

/// Pooling of minima's own where both ends have the same padding. Any other is put there before, and windows that begin
/// in the padding at the end are cut away after.
struct Pooling {
  Pooling(const Call& in, double with)
      : windows(windows_of(in, in[0].rank() - 2, in.ints("kernel_shape"))), value(with) {
    ceil_mode = in.i("ceil_mode") != 0;
    const Windows& w = windows;
    own = w.before == w.after && 2 * w.before.height <= extent(w.kernel.height, w.dilation.height) &&
          2 * w.before.width <= extent(w.kernel.width, w.dilation.width);
  }
  Pair padding() const { return own ? windows.before : Pair(0); }
  Tensor before(const Tensor& x) const { return own ? x : padded(x, windows, value); }
  Tensor after(const Tensor& y, const Tensor& x) const {
    if (own) return y;
    const Windows& w = windows;
    return narrow(
        narrow(y, 2, 0,
               count(x.size(2), w.kernel.height, w.stride.height, w.dilation.height, w.before.height, w.after.height)),
        3, 0, count(x.size(3), w.kernel.width, w.stride.width, w.dilation.width, w.before.width, w.after.width));
  }

  Windows windows;
  double value;
  bool ceil_mode = false, own = false;

 private:
  std::int64_t count(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                     std::int64_t first, std::int64_t last) const {
    const std::int64_t room = size + first + last - extent(kernel, dilation);
    const std::int64_t all = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    return ceil_mode && (all - 1) * stride >= size + first ? all - 1 : all;
  }
};

std::vector<Tensor> max_pooled(const Call& in) {
  const Pooling pooling(in, -std::numeric_limits<double>::infinity());
  const Windows& w = pooling.windows;
  const bool rows_first = in.i("storage_order") == 0;
  if (!is_floating(in[0].dtype()) && in[0].itemsize() > 1)
    throw ValueError("onnx: MaxPool takes floating tensors and integers of eight bits");
  const Tensor image = as_image(is_floating(in[0].dtype()) ? in[0] : in[0].to(float32)), x = pooling.before(image);
  const MaxPool2dOptions options{.kernel = w.kernel,
                                 .stride = w.stride,
                                 .padding = pooling.padding(),
                                 .dilation = w.dilation,
                                 .ceil_mode = pooling.ceil_mode};
  if (in.outputs() == 1) return {as_before(pooling.after(max_pool2d(x, options), image), in[0]).to(in[0].dtype())};
  const auto [all, places] = max_pool2d_with_indices(x, options);
  const Tensor values = pooling.after(all, image);
  // Places within a plane of the padded image, as those within all of the image.
  if (in[0].rank() != 4) throw ValueError("onnx: indices of images only");
  const Tensor indices = pooling.after(places, image),
               length = full({}, x.size(3), {.dtype = int64, .device = x.device()});
  const std::int64_t height = in[0].size(2), width = in[0].size(3);
  const Tensor row = floor_divide(indices, length) - (pooling.own ? 0 : w.before.height);
  const Tensor column = remainder(indices, length) - (pooling.own ? 0 : w.before.width);
  const Tensor plane =
      reshape(arange(in[0].size(0) * in[0].size(1), {.device = x.device()}), {in[0].size(0), in[0].size(1), 1, 1}) *
      (height * width);
  return {values.to(in[0].dtype()), plane + (rows_first ? row * width + column : column * height + row)};
}

Tensor avg_pooled(const Call& in) {
  const Pooling pooling(in, 0);
  const Windows& w = pooling.windows;
  if (w.dilation != Pair(1)) throw ValueError("onnx: avg_pool2d has no dilation");
  const bool count_padding = in.i("count_include_pad") != 0;
  const Tensor image = as_image(in[0]);
  const auto mean_of = [&](const Tensor& x) {
    const Tensor y = avg_pool2d(pooling.before(x), {.kernel = w.kernel,
                                                    .stride = w.stride,
                                                    .padding = pooling.padding(),
                                                    .ceil_mode = pooling.ceil_mode,
                                                    .count_include_pad = count_padding});
    return pooling.after(y, image);
  };
  // Padding that was put there before counts like the image; its share of each window is left out again.
  if (pooling.own || count_padding) return as_before(mean_of(image), in[0]);
  return as_before(mean_of(image) / mean_of(ones_like(image)), in[0]);
}

std::vector<Tensor> layer_normalized(const Call& in) {
  const std::int64_t axis = in.i("axis", -1), first = axis < 0 ? axis + in[0].rank() : axis;
  Shape normalized, dims;
  for (std::int64_t d = first; d < in[0].rank(); ++d) normalized.push_back(in[0].size(d)), dims.push_back(d);
  const double eps = in.f("epsilon", 1e-5);
  if (in.i("stash_type", 1) != 1) throw ValueError("onnx: layer_norm computes in float32");
  std::vector<Tensor> results{layer_norm(in[0], normalized, reshape(in[1], normalized),
                                         in.has(2) ? reshape(in[2], normalized) : Tensor(), eps)};
  if (in.outputs() == 1) return results;
  const auto [variance, average] = var_mean(in[0], dims, 0, true);
  results.push_back(average);
  if (in.outputs() > 2) results.push_back(rsqrt(variance + eps));
  return results;
}

std::vector<Tensor> batch_normalized(const Call& in) {
  const bool training = in.i("training_mode") != 0 || (in.opset() < 7 && in.i("is_test") == 0);
  if (in.opset() < 9 && in.i("spatial", 1) == 0)
    throw ValueError("onnx: BatchNormalization with statistics of each place is no operator here");
  const Tensor mean = training ? clone(in[3]) : in[3], var = training ? clone(in[4]) : in[4];
  const double momentum = 1 - in.f("momentum", 0.9), eps = in.f("epsilon", 1e-5);
  const Tensor y = batch_norm(in[0], in[1], in[2], mean, var, {.training = training, .momentum = momentum, .eps = eps});
  if (in.outputs() == 1) return {y};
  // ONNX averages the biased variance.
  const double n = static_cast<double>(in[0].numel() / std::max<std::int64_t>(1, in[0].size(1)));
  return {y, mean, in[4] * (1 - momentum) + (var - in[4] * (1 - momentum)) * ((n - 1) / n)};
}

Tensor multiplied(const Call& in) {
  const Tensor a = in.i("transA") != 0 ? t(in[0]) : in[0], b = in.i("transB") != 0 ? t(in[1]) : in[1];
  const double alpha = in.f("alpha", 1), beta = in.f("beta", 1);
  if (in.opset() < 7) in.i("broadcast");  // as since then
  const bool is_layer = in.i("transA") == 0 && in.i("transB") != 0 && alpha == 1 && beta == 1 &&
                        is_floating(in[0].dtype()) && (!in.has(2) || in[2].shape() == Shape{in[1].size(0)});
  if (is_layer) return linear(in[0], in[1], in.has(2) ? in[2] : Tensor());
  Tensor product = alpha == 1 ? matmul(a, b) : matmul(a, b) * alpha;
  if (!in.has(2)) return product;
  return product + (beta == 1 ? in[2] : in[2] * beta);
}

Reduction reduction_of(const Call& in) {
  const std::string name = in.word("reduction", {"mean", "none", "sum"});
  return name == "none" ? Reduction::none : name == "sum" ? Reduction::sum : Reduction::mean;
}

/// Targets that are ignored may be out of range, and of any integer dtype.
Tensor nll(const Call& in) {
  NllOptions options{.weight = in.has(2) ? in[2] : Tensor(), .reduction = reduction_of(in)};
  if (in.has("ignore_index")) options.ignore_index = in.i("ignore_index");
  return nll_loss(in[0], in[1].to(int64), options);
}

std::vector<Tensor> softmax_loss(const Call& in) {
  CrossEntropyOptions options{.weight = in.has(2) ? in[2] : Tensor(), .reduction = reduction_of(in)};
  if (in.has("ignore_index")) options.ignore_index = in.i("ignore_index");
  std::vector<Tensor> results{cross_entropy(in[0], in[1].to(int64), options)};
  if (in.outputs() > 1) results.push_back(log_softmax(in[0], 1));
  return results;
}

std::vector<Tensor> dropped(const Call& in) {
  const double ratio = in.has(1) ? in[1].item<double>() : in.f("ratio", 0.5);
  const bool training = in.has(2) && in[2].item<bool>();
  if (!training || ratio == 0) in.i("seed");  // nothing is drawn
  const Tensor y = dropout(in[0], ratio, training);
  if (in.outputs() == 1) return {y};
  return {y, ones(in[0].shape(), {.dtype = boolean})};
}

/// f along an axis. Before opset 13 it ran over this axis and all that follow.
Tensor over_axis(const Call& in, Tensor (*f)(const Tensor&, std::int64_t)) {
  if (in.opset() >= 13) return f(in[0], in.i("axis", -1));
  const std::int64_t axis = in.i("axis", 1);
  return reshape(f(flatten(in[0], axis), -1), in[0].shape());
}

Shape spatial_dims(const Tensor& x) {
  Shape dims;
  for (int d = 2; d < x.rank(); ++d) dims.push_back(d);
  return dims;
}

}  // namespace

}  // namespace layers

void add_layers(Operators& o) {
  using namespace layers;
  o["Conv"] = call(convolved);
  o["ConvTranspose"] = call(convolved_transposed);
  o["MaxPool"] = max_pooled;
  o["AveragePool"] = call(avg_pooled);
  o["GlobalAveragePool"] = call([](const Call& in) {
    if (in[0].rank() == 4 && is_floating(in[0].dtype())) return adaptive_avg_pool2d(in[0], 1);
    return mean(in[0], spatial_dims(in[0]), true);
  });
  o["GlobalMaxPool"] = call([](const Call& in) { return amax(in[0], spatial_dims(in[0]), true); });
  o["LayerNormalization"] = layer_normalized;
  o["BatchNormalization"] = batch_normalized;
  o["InstanceNormalization"] =
      call([](const Call& in) { return group_norm(in[0], in[0].size(1), in[1], in[2], in.f("epsilon", 1e-5)); });
  o["MeanVarianceNormalization"] = call([](const Call& in) {
    const Shape dims = shape_of(in.ints("axes", {0, 2, 3}));
    return (in[0] - mean(in[0], dims, true)) / (std(in[0], dims, 0, true) + 1e-9);
  });
  o["Softmax"] = call([](const Call& in) { return over_axis(in, softmax); });
  o["LogSoftmax"] = call([](const Call& in) { return over_axis(in, log_softmax); });
  o["MatMul"] = call([](const Call& in) { return matmul(in[0], in[1]); });
  o["Gemm"] = call(multiplied);
  o["NegativeLogLikelihoodLoss"] = call(nll);
  o["SoftmaxCrossEntropyLoss"] = softmax_loss;
  o["Dropout"] = dropped;
}

}  // namespace minima::onnx
