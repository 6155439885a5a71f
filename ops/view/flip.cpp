#include <minima/ops/view/flip.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

namespace {

/// Indices along one dimension, computed on the CPU and copied to x's device.
template <class F>
Tensor indices(const Tensor& x, std::int64_t count, const F& at) {
  const Tensor values = empty({count}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < count; ++i) values.data<std::int64_t>()[i] = at(i);
  return values.to(x.device());
}

}  // namespace

Tensor flip(const Tensor& x, const Shape& dims) {
  detail::check_defined("flip", x);
  Tensor y = x;
  if (dims.empty()) return clone(x);
  for (const std::int64_t dim : wrap_dims(dims, x.rank(), "flip")) {
    const std::int64_t size = x.size(dim);
    y = index_select(y, dim, indices(x, size, [&](std::int64_t i) { return size - 1 - i; }));
  }
  return y;
}

Tensor fliplr(const Tensor& x) {
  detail::check_defined("fliplr", x);
  if (x.rank() < 2) throw ShapeError(str("fliplr: x needs at least two dimensions, got ", x));
  return flip(x, {1});
}

Tensor flipud(const Tensor& x) {
  detail::check_defined("flipud", x);
  if (x.rank() < 1) throw ShapeError(str("flipud: x needs at least one dimension, got ", x));
  return flip(x, {0});
}

Tensor rot90(const Tensor& x, std::int64_t times, const Shape& dims) {
  constexpr const char* op = "rot90";
  detail::check_defined(op, x);
  if (dims.rank() != 2) throw ValueError(str(op, ": needs two dimensions, got ", dims));
  const int first = wrap_dim(dims[0], x.rank(), op), second = wrap_dim(dims[1], x.rank(), op);
  if (first == second) throw ValueError(str(op, ": the dimensions must differ, got ", dims));
  switch ((times % 4 + 4) % 4) {
    case 1: return transpose(flip(x, {second}), first, second);
    case 2: return flip(x, {first, second});
    case 3: return transpose(flip(x, {first}), first, second);
    default: return x;
  }
}

}  // namespace minima
