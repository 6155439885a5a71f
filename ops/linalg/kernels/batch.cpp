#include <minima/ops/linalg/kernels/batch.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace minima::detail {

void check_matrices(const char* op, const Tensor& x, int argument) {
  check_defined(op, x, argument);
  if (!is_floating(x.dtype()) || is_half(x.dtype()))
    throw DTypeError(str(op, ": needs float32 or float64, got ", x, "; convert it with to()"));
  if (x.rank() < 2) throw ShapeError(str(op, ": needs a matrix or a batch of matrices [..., M, N], got ", x));
}

void check_square(const char* op, const Tensor& x, int argument) {
  check_matrices(op, x, argument);
  if (rows_of(x) != columns_of(x)) throw ShapeError(str(op, ": needs square matrices [..., N, N], got ", x));
}

void check_same_dtype(const char* op, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) throw DTypeError(str(op, ": dtypes differ: ", a, " and ", b, "; convert one with to()"));
}

Shape leading(const Shape& shape, int count) {
  Shape batch = shape;
  batch.resize(std::max(shape.rank() - count, 0));
  return batch;
}

Shape joined(Shape batch, std::initializer_list<std::int64_t> sizes) {
  for (const std::int64_t size : sizes) batch.push_back(size);
  return batch;
}

Tensor expand_batch(const Tensor& x, const Shape& batch) {
  const Shape shape = joined(batch, {rows_of(x), columns_of(x)});
  return shape == x.shape() ? x : expand(x, shape);
}

Tensor transposed(const Tensor& x) { return transpose(x, -2, -1); }

Tensor outside_autocast(const Tensor& x) { return autocast(Cast::to_float32, x); }

std::int64_t first_failure(const Infos& infos) {
  const auto found = std::find_if(infos.begin(), infos.end(), [](std::int64_t i) { return i != 0; });
  return found == infos.end() ? -1 : found - infos.begin();
}

std::string name_matrix(const Tensor& x, std::int64_t index) {
  const Shape batch = leading(x.shape());
  if (batch.rank() == 0) return str("the matrix ", x);
  Shape at = batch;
  for (int d = batch.rank() - 1; d >= 0; --d) {
    at[d] = index % batch[d];
    index /= batch[d];
  }
  return str("matrix ", at, " of ", x);
}

HostCall::HostCall(const char* op, const Tensor& x) { refuse_captured(x.device(), op); }

Tensor HostCall::in(const Tensor& x) { return x.defined() ? contiguous(on_host(x)) : x; }

Tensor& HostCall::out(Tensor& y) {
  targets_.push_back(y);
  return results_.emplace_back(y.defined() ? empty(y.shape(), {.dtype = y.dtype(), .device = Device::cpu()})
                                           : Tensor());
}

void HostCall::finish() {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (targets_[i].defined()) transfer(results_[i], targets_[i]);
}

}  // namespace minima::detail
