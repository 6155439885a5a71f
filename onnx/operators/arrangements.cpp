#include <minima/onnx/operators/operators.h>

#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace minima::onnx {

namespace arrangements {

namespace {

std::int64_t wrapped(std::int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

Tensor reshaped(const Call& in) {
  std::vector<std::int64_t> sizes = in[1].to_vector<std::int64_t>();
  const bool zero_keeps = in.i("allowzero") == 0;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] == 0 && zero_keeps) sizes[d] = in[0].size(static_cast<std::int64_t>(d));
  return reshape(in[0], shape_of(sizes));
}

/// Two dimensions: all before the axis, and the rest.
Tensor flattened(const Tensor& x, std::int64_t axis) {
  std::int64_t rows = 1;
  const std::int64_t before = wrapped(axis, x.rank());
  if (before < 0 || before > x.rank()) throw ValueError(str("onnx: Flatten has no axis ", axis, " of ", x));
  for (int d = 0; d < before; ++d) rows *= x.shape()[d];
  return reshape(x, {rows, rows == 0 ? 0 : x.numel() / rows});
}

Tensor squeezed(const Call& in) {
  std::vector<std::int64_t> axes = in.list(1, "axes");
  if (axes.empty()) return squeeze(in[0]);
  for (std::int64_t& axis : axes) axis = wrapped(axis, in[0].rank());
  std::sort(axes.rbegin(), axes.rend());
  Tensor y = in[0];
  for (const std::int64_t axis : axes) y = squeeze(y, axis);
  return y;
}

Tensor unsqueezed(const Call& in) {
  std::vector<std::int64_t> axes = in.list(1, "axes");
  for (std::int64_t& axis : axes) axis = wrapped(axis, in[0].rank() + static_cast<int>(axes.size()));
  std::sort(axes.begin(), axes.end());
  Tensor y = in[0];
  for (const std::int64_t axis : axes) y = unsqueeze(y, axis);
  return y;
}

/// Cut or padded with zeros around the centre to the sizes in input 1.
Tensor cropped_or_padded(const Call& in) {
  const std::vector<std::int64_t> sizes = in[1].to_vector<std::int64_t>();
  std::vector<std::int64_t> axes = in.ints("axes");
  if (axes.empty())
    for (int d = 0; d < in[0].rank(); ++d) axes.push_back(d);
  if (axes.size() != sizes.size()) throw ValueError("onnx: CenterCropPad needs a size for each axis");
  Tensor y = in[0];
  Shape amounts = Shape::filled(2 * y.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = wrap_dim(axes[i], y.rank(), "CenterCropPad");
    const std::int64_t more = sizes[i] - y.size(axis);
    if (more <= 0) y = narrow(y, axis, -more / 2, sizes[i]);
    const std::int64_t before = more > 0 ? more / 2 : 0;
    amounts[2 * (y.rank() - 1 - axis)] = before;
    amounts[2 * (y.rank() - 1 - axis) + 1] = more > 0 ? more - before : 0;
  }
  return pad(y, amounts);
}

Tensor permuted(const Call& in) {
  std::vector<std::int64_t> order = in.ints("perm");
  if (order.empty())
    for (std::int64_t d = in[0].rank() - 1; d >= 0; --d) order.push_back(d);
  return permute(in[0], shape_of(order));
}

std::vector<Tensor> divided(const Call& in) {
  const std::int64_t axis = in.i("axis"), size = in[0].size(axis), parts = static_cast<std::int64_t>(in.outputs());
  std::vector<std::int64_t> sizes = in.list(1, "split");
  if (parts < 1) throw ValueError("onnx: Split needs an output");
  if (in.i("num_outputs", parts) != parts) throw ValueError("onnx: Split has another number of outputs than it says");
  if (sizes.empty())  // equal ones, of which the last may be smaller
    for (std::int64_t part = 0, each = (size + parts - 1) / parts; part < parts; ++part)
      sizes.push_back(std::clamp<std::int64_t>(size - part * each, 0, each));
  return split_with_sizes(in[0], sizes, axis);
}

Tensor sliced(const Call& in) {
  const std::vector<std::int64_t> starts = in.list(1, "starts"), ends = in.list(2, "ends"), axes = in.list(3, "axes"),
                                  steps = in.list(4, "steps");
  Tensor y = in[0];
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::int64_t axis = axes.empty() ? static_cast<std::int64_t>(k) : axes.at(k),
                       step = steps.empty() ? 1 : steps.at(k);
    const std::int64_t size = y.size(axis);
    const auto clamped = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
      return std::clamp(at < 0 ? at + size : at, low, high);
    };
    if (step > 0) {
      y = slice(y, axis, clamped(starts.at(k), 0, size), clamped(ends.at(k), 0, size), step);
    } else {  // from behind: the same forwards in what is turned around
      const std::int64_t from = clamped(starts.at(k), -1, size - 1), to = clamped(ends.at(k), -1, size - 1);
      y = slice(flip(y, {axis}), axis, size - 1 - from, size - 1 - to, -step);
    }
  }
  return y;
}

Tensor expanded(const Tensor& x, std::vector<std::int64_t> sizes) {
  while (static_cast<int>(sizes.size()) < x.rank()) sizes.insert(sizes.begin(), 1);
  const std::size_t added = sizes.size() - static_cast<std::size_t>(x.rank());
  for (std::size_t d = added; d < sizes.size(); ++d)
    if (sizes[d] == 1) sizes[d] = x.shape()[static_cast<int>(d - added)];
  return expand(x, shape_of(sizes));
}

Tensor padded(const Call& in) {
  static const std::map<std::string, PadMode> modes{{"constant", PadMode::constant},
                                                    {"reflect", PadMode::reflect},
                                                    {"edge", PadMode::replicate},
                                                    {"wrap", PadMode::circular}};
  const PadMode mode = modes.at(in.word("mode", {"constant", "reflect", "edge", "wrap"}));
  const std::vector<std::int64_t> pads = in.list(1, "pads");
  std::vector<std::int64_t> axes = in.list(3, "axes");
  const int rank = in[0].rank();
  if (axes.empty())
    for (int d = 0; d < rank; ++d) axes.push_back(d);
  if (pads.size() != 2 * axes.size())
    throw ValueError(str("onnx: Pad has ", pads.size(), " amounts for ", axes.size(), " axes"));
  Shape amounts = Shape::filled(2 * rank, 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const int place = 2 * (rank - 1 - static_cast<int>(wrapped(axes.at(k), rank)));
    amounts[place] = pads[k];
    amounts[place + 1] = pads[k + axes.size()];
  }
  const double value = in.has(2) ? in[2].item<double>() : in.f("value", 0);
  return pad(in[0], amounts, mode, value);
}

Tensor shape_tensor(const Call& in) {
  const std::int64_t rank = in[0].rank();
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    return std::clamp<std::int64_t>(wrapped(in.i(name, otherwise), static_cast<int>(rank)), 0, rank);
  };
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = bound("start", 0); d < bound("end", rank); ++d) sizes.push_back(in[0].size(d));
  return from_vector(sizes, {static_cast<std::int64_t>(sizes.size())});
}

Tensor constant(const Call& in) {
  if (in.has("value")) return in.t("value");
  if (in.has("value_float")) return full({}, in.f("value_float"));
  if (in.has("value_int")) return full({}, in.i("value_int"), {.dtype = int64});
  if (in.has("value_floats"))
    return from_vector(in.floats("value_floats"), {static_cast<std::int64_t>(in.floats("value_floats").size())});
  if (in.has("value_ints"))
    return from_vector(in.ints("value_ints"), {static_cast<std::int64_t>(in.ints("value_ints").size())});
  throw ValueError("onnx: a constant of another kind");
}

Tensor counted(const Call& in) {
  const DType dtype = in[0].dtype();
  if (!is_floating(dtype))
    return arange(in[0].item<std::int64_t>(), in[1].item<std::int64_t>(), in[2].item<std::int64_t>(), {.dtype = dtype});
  return arange(in[0].item<double>(), in[1].item<double>(), in[2].item<double>(), {.dtype = dtype});
}

Tensor identity(const Call& in) {
  const std::map<std::int64_t, DType> dtypes{{1, float32}, {6, int32}, {7, int64}, {11, float64}};
  const DType dtype = in.has("dtype") ? dtypes.at(in.i("dtype")) : in[0].dtype();
  const Tensor all = ones(in[0].shape(), {.dtype = dtype});
  const std::int64_t k = in.i("k");
  return tril(triu(all, k), k);
}

/// The blocks' size.
std::int64_t block_of(const Call& in) {
  const std::int64_t size = in.i("blocksize");
  if (size < 1 || size > 1 << 20) throw ValueError(str("onnx: a block size of ", size));
  if (in[0].rank() != 4) throw ValueError("onnx: blocks are parts of images");
  return size;
}

bool depth_first(const Call& in) { return in.word("mode", {"DCR", "CRD"}) == "DCR"; }

/// [N, C, H, W] as blocks of b × b pixels: which dimensions of the six a permutation brings together says the mode.
Tensor depth_to_space(const Call& in) {
  const Shape& s = in[0].shape();
  const std::int64_t b = block_of(in), c = s[1] / (b * b);
  const Tensor y = depth_first(in) ? permute(reshape(in[0], {s[0], b, b, c, s[2], s[3]}), {0, 3, 4, 1, 5, 2})
                                   : permute(reshape(in[0], {s[0], c, b, b, s[2], s[3]}), {0, 1, 4, 2, 5, 3});
  return reshape(y, {s[0], c, s[2] * b, s[3] * b});
}

Tensor space_to_depth(const Call& in) {
  const Shape& s = in[0].shape();
  const std::int64_t b = block_of(in);
  const Tensor blocks = reshape(in[0], {s[0], s[1], s[2] / b, b, s[3] / b, b});
  const Tensor y = permute(blocks, depth_first(in) ? Shape{0, 3, 5, 1, 2, 4} : Shape{0, 1, 3, 5, 2, 4});
  return reshape(y, {s[0], s[1] * b * b, s[2] / b, s[3] / b});
}

}  // namespace

}  // namespace arrangements

void add_arrangements(Operators& o) {
  using namespace arrangements;
  o["Reshape"] = call(reshaped);
  o["Flatten"] = call([](const Call& in) { return flattened(in[0], in.i("axis", 1)); });
  o["Squeeze"] = call(squeezed);
  o["Unsqueeze"] = call(unsqueezed);
  o["CenterCropPad"] = call(cropped_or_padded);
  o["Transpose"] = call(permuted);
  o["Concat"] = call([](const Call& in) { return cat(in.inputs(), in.i("axis")); });
  o["Split"] = divided;
  o["Slice"] = call(sliced);
  o["Expand"] = call([](const Call& in) { return expanded(in[0], in[1].to_vector<std::int64_t>()); });
  o["Tile"] = call([](const Call& in) { return repeat(in[0], shape_of(in[1].to_vector<std::int64_t>())); });
  o["Pad"] = call(padded);
  o["Shape"] = call(shape_tensor);
  o["Size"] = call([](const Call& in) { return full({}, in[0].numel(), {.dtype = int64}); });
  o["Constant"] = call(constant);
  o["ConstantOfShape"] = call([](const Call& in) {
    const Tensor value = in.has("value") ? in.t("value") : zeros({1});
    return expand(reshape(value, {}), shape_of(in[0].to_vector<std::int64_t>()));
  });
  o["Range"] = call(counted);
  o["EyeLike"] = call(identity);
  o["Trilu"] = call([](const Call& in) {
    const std::int64_t k = in.has(1) ? in[1].item<std::int64_t>() : 0;
    return in.i("upper", 1) != 0 ? triu(in[0], k) : tril(in[0], k);
  });
  o["DepthToSpace"] = call(depth_to_space);
  o["SpaceToDepth"] = call(space_to_depth);
  o["Einsum"] = call([](const Call& in) { return einsum(in.s("equation"), in.inputs()); });
}

}  // namespace minima::onnx
