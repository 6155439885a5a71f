#include <minima/onnx/operators/operators.h>

#include <minima/ops/core/unobserved.h>
#include <minima/ops/ops.h>
#include <minima/ops/sort/unique.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minima::onnx {

namespace places {

namespace {

/// Indices of one dimension, negative ones from its end.
Tensor wrapped(const Tensor& places, std::int64_t size) {
  const Tensor whole = places.to(int64);
  return where(whole < 0, whole + size, whole);
}

/// Whether no index counts from the end. A look, since operators that a graph is written from take only these, where
/// ONNX's take both.
bool are_from_start(const Tensor& places) {
  return places.device().is_cpu() && minima::detail::unobserved([&] { return !any(places.detach() < 0).item<bool>(); });
}

/// Indices that count from the start.
Tensor from_start(const Tensor& places, std::int64_t size) {
  return are_from_start(places) ? places.to(int64) : wrapped(places, size);
}

/// x[places] by the operator of embeddings, which takes rows.
Tensor rows_at(const Tensor& x, const Tensor& places) {
  if (x.rank() == 2) return embedding(x, places);
  Shape shape = places.shape();
  std::int64_t width = 1;
  for (int d = 1; d < x.rank(); ++d) shape.push_back(x.shape()[d]), width *= x.shape()[d];
  return reshape(embedding(reshape(x, {x.size(0), width}), places), shape);
}

Tensor gathered(const Call& in) {
  std::vector<Index> at;
  const int axis = wrap_dim(in.i("axis"), in[0].rank(), "Gather");
  if (in[1].rank() == 0 && in.is_constant(1) && in[1].device().is_cpu())
    return select(in[0], axis, minima::detail::unobserved([&] { return in[1].to(int64).item<std::int64_t>(); }));
  if (axis == 0 && is_floating(in[0].dtype()) && are_from_start(in[1])) return rows_at(in[0], in[1].to(int64));
  at.reserve(static_cast<std::size_t>(axis) + 1);
  for (int d = 0; d < axis; ++d) at.emplace_back(everything);
  at.emplace_back(in[1].to(int64));
  return index(in[0], at);
}

/// The last dimension of the indices names elements or slices of x.
std::vector<Index> coordinates(const Tensor& indices, std::int64_t batch_dims) {
  std::vector<Index> at;
  for (std::int64_t d = 0; d < batch_dims; ++d) {
    Shape shape = Shape::filled(indices.rank() - 1, 1);
    shape[static_cast<int>(d)] = indices.size(d);
    at.emplace_back(reshape(arange(indices.size(d), {.device = indices.device()}), shape));
  }
  for (std::int64_t k = 0; k < indices.size(-1); ++k) at.emplace_back(select(indices.to(int64), -1, k));
  return at;
}

/// How repeated targets combine; nothing: the last wins.
std::optional<ScatterMode> reduction(const Call& in) {
  const std::string word = in.word("reduction", {"none", "add", "mul", "max", "min"});
  if (word == "add") return ScatterMode::sum;
  if (word == "mul") return ScatterMode::prod;
  if (word == "max") return ScatterMode::amax;
  if (word == "min") return ScatterMode::amin;
  return std::nullopt;
}

Tensor scattered(const Call& in) {
  const std::int64_t axis = in.i("axis");
  const Tensor places = from_start(in[1], in[0].size(axis));
  const std::optional<ScatterMode> mode = reduction(in);
  return mode ? scatter_reduce(in[0], axis, places, in[2], *mode) : scatter(in[0], axis, places, in[2]);
}

Tensor scattered_nd(const Call& in) {
  const std::optional<ScatterMode> mode = reduction(in);
  if (!mode) return index_put(in[0], coordinates(in[1], 0), in[2]);
  if (in[1].rank() == 0 || in[1].size(-1) < 1 || in[0].numel() == 0)
    throw ValueError("onnx: ScatterND needs elements and indices of them");
  // The dimensions that the indices name become one, the others another.
  const Tensor& x = in[0];
  Tensor row = zeros({in[1].numel() / in[1].size(-1)}, {.dtype = int64, .device = x.device()});
  std::int64_t rows = 1;
  for (std::int64_t k = 0; k < in[1].size(-1); ++k) {
    row = row * x.size(k) + wrapped(reshape(select(in[1].to(int64), -1, k), {-1}), x.size(k));
    rows *= x.size(k);
  }
  const std::int64_t width = x.numel() / rows;
  const Tensor places = expand(reshape(row, {-1, 1}), {row.numel(), width});
  return reshape(scatter_reduce(reshape(x, {rows, width}), 0, places, reshape(in[2], places.shape()), *mode),
                 x.shape());
}

/// The different elements, which of them came first, and so on; in order of appearance unless `sorted`.
std::vector<Tensor> distinct(const Call& in) {
  const bool by_slices = in.has("axis");
  const std::int64_t axis = by_slices ? in.i("axis") : 0;
  const Tensor x = by_slices ? in[0] : reshape(in[0], {-1});
  auto [values, inverse, counts] = by_slices ? unique(x, axis) : unique(x);
  const Tensor position = arange(x.size(axis), {.device = x.device()});
  Tensor first = scatter_reduce(zeros_like(counts), 0, inverse, position, ScatterMode::amin, false);
  if (in.i("sorted", 1) == 0) {
    const Tensor order = argsort(first, 0);
    inverse = index_select(argsort(order, 0), 0, inverse);
    values = index_select(values, axis, order);
    first = index_select(first, 0, order);
    counts = index_select(counts, 0, order);
  }
  return {values, first, inverse, counts};
}

Tensor one_hot_of(const Call& in) {
  const std::int64_t depth = in[1].item<std::int64_t>(), rank = in[0].rank();
  // A class out of range is nowhere hot.
  const Tensor hot = unsqueeze(wrapped(in[0], depth), -1) == arange(depth, {.device = in[0].device()});
  const Tensor& values = in[2];
  const Tensor y = where(hot, values[1], values[0]);
  std::int64_t axis = in.i("axis", -1);
  axis = axis < 0 ? axis + rank + 1 : axis;
  Shape order;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d == axis) order.push_back(rank);
    order.push_back(d);
  }
  if (axis == rank) order.push_back(rank);
  return permute(y, order);
}

Tensor compressed(const Call& in) {
  const Tensor chosen = reshape(nonzero(in[1]), {-1});
  return in.has("axis") ? index_select(in[0], in.i("axis"), chosen) : index_select(reshape(in[0], {-1}), 0, chosen);
}

Tensor hard_max(const Call& in) {
  if (in.opset() < 13) throw ValueError("onnx: Hardmax before opset 13 is no operator here");
  const std::int64_t axis = in.i("axis", -1);
  const Tensor place = argmax(in[0], axis, true);
  return scatter(zeros_like(in[0]), axis, place, ones_like(place, {.dtype = in[0].dtype()}));
}

}  // namespace

}  // namespace places

void add_places(Operators& o) {
  using namespace places;
  o["Gather"] = call(gathered);
  o["GatherElements"] = call([](const Call& in) {
    const std::int64_t axis = in.i("axis");
    return gather(in[0], axis, from_start(in[1], in[0].size(axis)));
  });
  o["GatherND"] = call([](const Call& in) { return index(in[0], coordinates(in[1], in.i("batch_dims"))); });
  o["Scatter"] = o["ScatterElements"] = call(scattered);
  o["ScatterND"] = call(scattered_nd);
  o["Unique"] = distinct;
  o["OneHot"] = call(one_hot_of);
  o["NonZero"] = call([](const Call& in) { return t(nonzero(in[0])); });
  o["Compress"] = call(compressed);
  o["Hardmax"] = call(hard_max);
}

}  // namespace minima::onnx
