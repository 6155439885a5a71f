#include <minima/ops/index/index.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/index/places.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>

#include <cstdint>
#include <vector>

namespace minima {

namespace {

using detail::Places;

Tensor in_order(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }

/// y = x [V, D] with y[rows[i]] = values[i]; values [K, D] have x's dtype.
struct PutRows {
  static constexpr Traits traits{.name = "index_put"};
  TensorSpec result(const Tensor& x, const Tensor&, const Tensor&) const {
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x, const Tensor& rows, const Tensor& values) const {
    return {.bytes = 2 * (static_cast<double>(x.numel()) + static_cast<double>(values.numel())) *
                         static_cast<double>(x.itemsize()) +
                     8 * static_cast<double>(rows.numel())};
  }
  void cpu(const Tensor& x, const Tensor& rows, const Tensor& values, Tensor& y) const {
    run(x, rows, values, y, detail::put_rows_kernel_cpu);
  }
  void cuda(const Tensor& x, const Tensor& rows, const Tensor& values, Tensor& y) const {
    run(x, rows, values, y, detail::put_rows_kernel_cuda);
  }

  Gradients<3> gradient(Grad g, Input<1> rows, Spec<2> values, Needs needs) const {
    const TensorOptions options{.dtype = g.dtype(), .device = g.device()};
    Gradients<3> result;
    if (needs[0]) result[0] = apply(PutRows{}, g, rows, zeros(values.shape(), options));
    if (needs[2]) {
      // Only the last of several values for one row is in the result.
      const TensorOptions whole{.dtype = DType::int64, .device = g.device()};
      const Tensor own = unsqueeze(arange(0, rows.numel(), 1, whole), 1);
      const Tensor last = apply(PutRows{}, zeros({g.shape()[0], 1}, whole), rows, own);
      result[2] = where(embedding(last, rows) == own, embedding(g, rows), zeros({}, options));
    }
    return result;
  }

 private:
  template <class Kernel>
  static void run(const Tensor& x, const Tensor& rows, const Tensor& values, Tensor& y, Kernel kernel) {
    if (y.is_contiguous()) {
      if (!detail::shares_memory(x, y)) detail::copy_values(x, y);
      return kernel(in_order(rows), in_order(values), y);
    }
    const Tensor dense = detail::clone_values(contiguous(x.detach()));  // rows of a view with gaps are not contiguous
    kernel(in_order(rows), in_order(values), dense);
    detail::copy_values(dense, y);
  }
};

Tensor as_rows(const Tensor& x, const Places& places) {
  return reshape(x, {places.row_count, x.numel() == 0 ? numel(places.rest()) : x.numel() / places.row_count});
}

/// Throws unless the value broadcasts to the target and its dtype fits.
void check_value(const Tensor& value, const Shape& shape, const Tensor& x) {
  if (is_floating(value.dtype()) && !is_floating(x.dtype()))
    throw DTypeError(str("index_put: value ", value, " does not fit into x ", x, "; convert it with to()"));
  if (value.shape() != shape && broadcast(shape, value.shape(), "index_put") != shape)
    throw ShapeError(str("index_put: value ", value, " does not broadcast to the shape ", shape,
                         " of the indexed elements of x ", x));
}

/// The value broadcast to the shape of x[at…], then as rows of the view.
Tensor values_of(const Tensor& value, const Places& places, const Tensor& x) {
  Shape shape;
  const Shape rest = places.rest();
  for (int d = 0; d < places.result_dim; ++d) shape.push_back(rest[d]);
  for (const std::int64_t size : places.index_shape) shape.push_back(size);
  for (int d = places.result_dim; d < rest.rank(); ++d) shape.push_back(rest[d]);
  check_value(value, shape, x);
  const Tensor whole = expand(cast(value, x.dtype()), shape);
  return reshape(permute(whole, places.inverse_order()), {numel(places.index_shape), numel(rest)});
}

Tensor with_added(const Tensor& x, const Tensor& rows, const Tensor& values) {
  return scatter_add(x, 0, expand(unsqueeze(rows, 1), {rows.numel(), x.shape()[1]}), values);
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<Index>& at) {
  const Places places = detail::places_of("index", x, at);
  if (places.indexed == 0) return places.view;
  Shape shape = places.index_shape;
  for (const std::int64_t size : places.rest()) shape.push_back(size);
  const Tensor found = reshape(embedding(as_rows(places.view, places), places.rows), shape);
  return places.result_dim == 0 ? found : permute(found, places.order());
}

const Tensor& index_put_(const Tensor& x, const std::vector<Index>& at, const Tensor& value, bool accumulate) {
  detail::check_defined("index_put", value, 1);
  const Places places = detail::places_of("index_put", x, at);
  if (accumulate && x.dtype() == DType::boolean)
    throw DTypeError(str("index_put: bool is not supported, got ", x, "; convert it with to()"));
  if (places.indexed == 0) check_value(value, places.view.shape(), x);
  if (places.indexed == 0) return copy_(places.view, accumulate ? places.view + value : value), x;
  const Tensor values = values_of(value, places, x);
  Layout layout;
  const Shape flat{places.row_count, numel(places.rest())};
  const Tensor rows = detail::shares_memory(places.rows, x) ? clone(places.rows) : places.rows;
  const bool is_view = places.view.layout().try_reshape(flat, layout);
  if (is_view && !accumulate) return apply_in_place(PutRows{}, view(places.view, flat), rows, values), x;
  const Tensor before = as_rows(places.view, places);
  const Tensor after = accumulate ? with_added(before, rows, values) : apply(PutRows{}, before, rows, values);
  copy_(places.view, reshape(after, places.view.shape()));
  return x;
}

const Tensor& index_put_(const Tensor& x, const std::vector<Index>& at, Scalar value) {
  detail::check_defined("index_put", x);
  return index_put_(x, at, full({}, value, {.dtype = x.dtype(), .device = x.device()}));
}

Tensor index_put(const Tensor& x, const std::vector<Index>& at, const Tensor& value, bool accumulate) {
  detail::check_defined("index_put", x);
  const Tensor y = clone(x);
  index_put_(y, at, value, accumulate);
  return y;
}

}  // namespace minima
