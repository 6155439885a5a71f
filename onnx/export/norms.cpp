#include <minima/onnx/export/activations.h>
#include <minima/onnx/export/emitter.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::onnx::detail {

namespace {

std::string mean(Emitter& e, const std::string& x, const Shape& dims) {
  return e.node("ReduceMean", {x, e.constant(dims)}, {integer("keepdims", 1)});
}

/// 1 / √(x + eps)
std::string inverse_root(Emitter& e, const std::string& x, double eps, DType dtype) {
  return e.node("Reciprocal", {e.node("Sqrt", {sum(e, x, e.constant(eps, dtype))})});
}

/// Values [C], or a number if input i is missing.
std::string per_channel(Emitter& e, std::size_t i, double otherwise) {
  return e.has(i) ? e.in(i) : e.constant(full({e.input(0).shape[1]}, otherwise, {.dtype = e.output().dtype}));
}

/// values [C] to broadcast against x [N, C, …].
std::string spread(Emitter& e, const std::string& values, int rank) {
  Shape axes;
  for (int d = 0; d < rank; ++d)
    if (d != 1) axes.push_back(d);
  return e.node("Unsqueeze", {values, e.constant(axes)});
}

/// `mean_at` is the place of the running mean among the inputs.
std::string batch_norm(Emitter& e, std::size_t mean_at) {
  const double eps = e.number("eps");
  if (e.integer("training") == 0)
    return e.node("BatchNormalization",
                  {e.in(0), per_channel(e, 1, 1), per_channel(e, 2, 0), e.in(mean_at), e.in(mean_at + 1)},
                  {number("epsilon", eps)});
  // A layer without running statistics takes the batch's, which ONNX's operator gives in training only.
  const int rank = e.input(0).shape.rank();
  Shape dims;
  for (int d = 0; d < rank; ++d)
    if (d != 1) dims.push_back(d);
  const std::string centred = e.node("Sub", {e.in(0), mean(e, e.in(0), dims)});
  std::string y =
      product(e, centred, inverse_root(e, mean(e, product(e, centred, centred), dims), eps, e.output().dtype));
  if (e.has(1)) y = product(e, y, spread(e, e.in(1), rank));
  return e.has(2) ? sum(e, y, spread(e, e.in(2), rank)) : y;
}

/// x, whose weight is input `weight` and whose bias follows.
std::string layer_norm(Emitter& e, const std::string& x, DType dtype, std::size_t weight) {
  const Shape normalized = e.list("normalized");
  const auto parameter = [&](std::size_t i, double otherwise) {
    return e.has(i) ? e.in(i, dtype) : e.constant(full(normalized, otherwise, {.dtype = dtype}));
  };
  std::vector<std::string> inputs{x, parameter(weight, 1)};
  if (e.has(weight + 1)) inputs.push_back(parameter(weight + 1, 0));
  return e.node("LayerNormalization", inputs,
                {integer("axis", -normalized.rank()), number("epsilon", e.number("eps"))});
}

std::string rms_norm(Emitter& e, const std::string& x, DType dtype, std::size_t weight) {
  const Shape normalized = e.list("normalized");
  const double eps = e.number("eps");
  if (e.opset() >= 23) {
    const std::string scale = e.has(weight) ? e.in(weight, dtype) : e.constant(full(normalized, 1, {.dtype = dtype}));
    return e.node("RMSNormalization", {x, scale}, {integer("axis", -normalized.rank()), number("epsilon", eps)});
  }
  Shape dims;
  const int rank = e.input(0).shape.rank();
  for (int d = rank - normalized.rank(); d < rank; ++d) dims.push_back(d);
  const DType wide = dtype == float64 ? float64 : float32;
  const std::string full_x = e.cast(x, dtype, wide);
  std::string y = product(e, full_x, inverse_root(e, mean(e, product(e, full_x, full_x), dims), eps, wide));
  if (e.has(weight)) y = product(e, y, e.in(weight, wide));
  return e.cast(y, wide, dtype);
}

/// Groups as the channels of an instance norm, since GroupNormalization of opset 18 scales by groups.
void group_norm(Emitter& e) {
  const std::int64_t groups = e.integer("groups");
  const DType dtype = e.output().dtype;
  const std::vector<Shape> rows = each(e.input_shapes(0), [&](const Shape& shape) {
    return Shape{shape[0], groups, numel(shape) / std::max<std::int64_t>(1, shape[0] * groups)};
  });
  if (groups == e.input(0).shape[1] && e.input(0).shape.rank() > 2)
    return e.bind(e.node("InstanceNormalization", {e.in(0), per_channel(e, 1, 1), per_channel(e, 2, 0)},
                         {number("epsilon", e.number("eps"))}));
  const std::string ones = e.constant(full({groups}, 1, {.dtype = dtype})),
                    zeros = e.constant(full({groups}, 0, {.dtype = dtype}));
  const std::string apart = e.reshape(e.in(0), e.input_shapes(0), rows);
  const std::string normed =
      e.node("InstanceNormalization", {apart, ones, zeros}, {number("epsilon", e.number("eps"))});
  std::string y = e.reshape(normed, rows, e.output_shapes());
  const int rank = e.input(0).shape.rank();
  if (e.has(1)) y = product(e, y, spread(e, e.in(1), rank));
  if (e.has(2)) y = sum(e, y, spread(e, e.in(2), rank));
  e.bind(y);
}

/// The sum of x and the residual in the latter's dtype, which is an output, too.
std::string with_residual(Emitter& e) {
  const std::string total = sum(e, e.in(0, e.output(0).dtype), e.in(1, e.output(0).dtype));
  e.bind(total, 0);
  return total;
}

}  // namespace

void add_norms(Translations& t) {
  t["batch_norm"] = [](Emitter& e) { e.bind(batch_norm(e, 3)); };
  t["batch_norm_relu"] = [](Emitter& e) {
    std::string y = batch_norm(e, 4);
    if (e.has(3)) y = sum(e, y, e.in(3));
    e.bind(e.node("Relu", {y}));
  };
  t["layer_norm"] = [](Emitter& e) {
    const DType dtype = e.input(0).dtype;
    e.bind(e.cast(layer_norm(e, e.in(0), dtype, 1), dtype, e.output().dtype));
  };
  t["add_layer_norm"] = [](Emitter& e) {
    const DType dtype = e.output(0).dtype;
    e.bind(e.cast(layer_norm(e, with_residual(e), dtype, 2), dtype, e.output(1).dtype), 1);
  };
  t["rms_norm"] = [](Emitter& e) { e.bind(rms_norm(e, e.in(0), e.output().dtype, 1)); };
  t["add_rms_norm"] = [](Emitter& e) {
    const DType dtype = e.output(0).dtype;
    e.bind(e.cast(rms_norm(e, with_residual(e), dtype, 2), dtype, e.output(1).dtype), 1);
  };
  t["group_norm"] = group_norm;
}

}  // namespace minima::onnx::detail
