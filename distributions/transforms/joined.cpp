#include <minima/distributions/transforms/joined.h>

#include <minima/distributions/transforms/transform.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

void refuse_vectors(const char* name, const Transforms& transforms) {
  if (transforms.size() == 0) throw ValueError(str(name, ": needs at least one transform"));
  for (std::size_t i = 0; i < transforms.size(); ++i)
    if (transforms[i].domain_dims() != 0 || transforms[i].codomain_dims() != 0)
      throw ValueError(str(name, ": takes transforms of elements, but ", transforms[i].name(), " acts on ",
                           transforms[i].domain_dims(), " dimensions"));
}

/// f(i, the part of x from start on) for parts of these lengths, joined.
template <class F>
Tensor part_by_part(const char* name, const Tensor& x, std::int64_t dim, const std::vector<std::int64_t>& lengths,
                    F f) {
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t length : lengths) start += length;
  if (x.size(dim) != start)
    throw ShapeError(str(name, ": needs ", start, " positions along dimension ", dim, ", got ", x));
  start = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    parts.push_back(f(i, start));
    start += lengths[i];
  }
  return cat(parts, dim);
}

Tensor transformed(const char* name, const Transforms& transforms, const std::vector<std::int64_t>& lengths,
                   std::int64_t dim, const Tensor& x) {
  return part_by_part(name, x, dim, lengths, [&](std::size_t i, std::int64_t start) {
    return transforms[i](narrow(x, dim, start, lengths[i]));
  });
}
Tensor inverted(const char* name, const Transforms& transforms, const std::vector<std::int64_t>& lengths,
                std::int64_t dim, const Tensor& y) {
  return part_by_part(name, y, dim, lengths, [&](std::size_t i, std::int64_t start) {
    return transforms[i].inverse(narrow(y, dim, start, lengths[i]));
  });
}
Tensor log_slopes(const char* name, const Transforms& transforms, const std::vector<std::int64_t>& lengths,
                  std::int64_t dim, const Tensor& x, const Tensor& y) {
  return part_by_part(name, x, dim, lengths, [&](std::size_t i, std::int64_t start) {
    return transforms[i].log_abs_det_jacobian(narrow(x, dim, start, lengths[i]), narrow(y, dim, start, lengths[i]));
  });
}

std::vector<std::int64_t> ones_for(const Transforms& transforms) {
  return std::vector<std::int64_t>(transforms.size(), 1);
}

/// D for vectors of D·(D - 1)/2 elements.
std::int64_t rows_for(std::int64_t count) {
  const auto rows =
      static_cast<std::int64_t>(std::llround((1 + std::sqrt(1.0 + 8.0 * static_cast<double>(count))) / 2));
  if (rows * (rows - 1) / 2 != count)
    throw ShapeError(str("CorrCholeskyTransform: needs D·(D - 1)/2 elements in the last dimension, got ", count));
  return rows;
}

/// The places in row-major order of the elements below a diagonal of [D, D].
Tensor places_below(std::int64_t rows, std::int64_t offset, Device device) {
  const Tensor index = tril_indices(rows, rows, offset, {.device = device});
  return index[0] * rows + index[1];
}
Tensor vector_below(const Tensor& x, std::int64_t offset) {
  const std::int64_t rows = x.size(-1);
  return index_select(flatten(x, -2), -1, places_below(rows, offset, x.device()));
}
Tensor matrix_below(const Tensor& x) {
  const std::int64_t rows = rows_for(x.size(-1));
  Shape shape = x.shape();
  shape[shape.rank() - 1] = rows * rows;
  const Tensor zero = zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  const Tensor filled = index_copy(zero, -1, places_below(rows, -1, x.device()), x);
  shape[shape.rank() - 1] = rows;
  shape.push_back(rows);
  return reshape(filled, shape);
}

/// 1, x₀, x₁, … without the last.
Tensor delayed(const Tensor& x) { return pad(narrow(x, -1, 0, x.size(-1) - 1), {1, 0}, PadMode::constant, 1); }

}  // namespace

CatTransform::CatTransform(Transforms given, std::int64_t along, std::vector<std::int64_t> sizes)
    : transforms(std::move(given)), dim(along), lengths(sizes.empty() ? ones_for(transforms) : std::move(sizes)) {
  refuse_vectors(name(), transforms);
  if (lengths.size() != transforms.size())
    throw ValueError(str(name(), ": needs ", transforms.size(), " lengths, got ", lengths.size()));
  for (const std::int64_t length : lengths)
    if (length < 1) throw ValueError(str(name(), ": lengths must be positive, got ", length));
}
Tensor CatTransform::operator()(const Tensor& x) const { return transformed(name(), transforms, lengths, dim, x); }
Tensor CatTransform::inverse(const Tensor& y) const { return inverted(name(), transforms, lengths, dim, y); }
Tensor CatTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  return log_slopes(name(), transforms, lengths, dim, x, y);
}

StackTransform::StackTransform(Transforms given, std::int64_t along) : transforms(std::move(given)), dim(along) {
  refuse_vectors(name(), transforms);
}
Tensor StackTransform::operator()(const Tensor& x) const {
  return transformed(name(), transforms, ones_for(transforms), dim, x);
}
Tensor StackTransform::inverse(const Tensor& y) const {
  return inverted(name(), transforms, ones_for(transforms), dim, y);
}
Tensor StackTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  return log_slopes(name(), transforms, ones_for(transforms), dim, x, y);
}

Tensor CorrCholeskyTransform::operator()(const Tensor& x) const {
  const Tensor partial = matrix_below(tanh(x));
  const Tensor left = cumprod(sqrt(1 - square(partial)), -1);
  const Tensor unit = eye(partial.size(-1), {.dtype = x.dtype(), .device = x.device()});
  return (partial + unit) * delayed(left);
}
Tensor CorrCholeskyTransform::inverse(const Tensor& y) const {
  const Tensor left = delayed(1 - cumsum(square(y), -1));
  return atanh(vector_below(y, -1) / sqrt(vector_below(left, -1)));
}
Tensor CorrCholeskyTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  const Tensor left = vector_below(1 - cumsum(square(y), -1), -2);
  return sum(log(left), -1) * 0.5 - sum(x + softplus(x * -2) - std::log(2), -1) * 2;
}
Shape CorrCholeskyTransform::forward_shape(const Shape& shape) const {
  if (shape.rank() == 0) throw ShapeError(str(name(), ": needs vectors, got a shape of ", shape));
  Shape result = shape;
  result[result.rank() - 1] = rows_for(shape.back());
  result.push_back(result.back());
  return result;
}
Shape CorrCholeskyTransform::inverse_shape(const Shape& shape) const {
  if (shape.rank() < 2 || shape.back() != shape[shape.rank() - 2])
    throw ShapeError(str(name(), ": needs square matrices, got a shape of ", shape));
  Shape result = shape;
  result.resize(result.rank() - 1);
  result[result.rank() - 1] = shape.back() * (shape.back() - 1) / 2;
  return result;
}

}  // namespace minima::distributions
