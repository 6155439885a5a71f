#include <minima/ops/arrange/arrange.h>

#include <minima/ops/arrange/arrange_kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace minima {

namespace {

bool in_channels_last(const Tensor& x) { return x.layout().is_channels_last() && !x.is_contiguous(); }

Layout dense(const Shape& shape, bool channels_last) {
  return channels_last ? Layout::channels_last(shape) : Layout::contiguous(shape);
}

/// The bits of `value` in `dtype`.
std::uint64_t bits_of(Scalar value, DType dtype) {
  std::uint64_t bits = 0;
  dispatch<all_types>(real_dtype(dtype), "pad", [&]<class T> {  // of a complex value, the imaginary part is 0
    const T element = value.to<T>();
    std::memcpy(&bits, &element, sizeof element);
  });
  return bits;
}

/// Mode constant, for any dimensions. The gradient crops what was added and puts zeros where elements were cropped.
struct Pad {
  static constexpr Traits traits{.name = "pad"};
  Shape left;   ///< per dimension; negative crops
  Shape shape;  ///< the result's
  Scalar value;

  TensorSpec result(const Tensor& x) const { return {dense(shape, in_channels_last(x)), x.dtype(), x.device()}; }
  Cost cost(const Tensor& x) const {
    return {.bytes = (static_cast<double>(x.numel()) + static_cast<double>(numel(shape))) *
                     static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { run(x, y, detail::pad_kernel_cpu); }
  void cuda(const Tensor& x, Tensor& y) const { run(x, y, detail::pad_kernel_cuda); }
  Tensor gradient(Grad g, Spec<0> x) const {
    Shape back = left;
    for (std::int64_t& count : back) count = -count;
    return apply(Pad{back, x.shape(), 0}, g);
  }

 private:
  template <class Kernel>
  void run(const Tensor& x, Tensor& y, Kernel kernel) const {
    const bool last = in_channels_last(x);
    detail::PadPlan plan;
    const auto add = [&](int d) { plan.add({x.shape()[d], left[d], shape[d]}); };
    for (int d = 0; d < x.rank(); ++d)
      if (!last || d != 1) add(d);
    if (last) add(1);
    kernel(detail::arranged(x, dense(x.shape(), last)), plan, bits_of(value, x.dtype()), y);
  }
};

/// The element of x at offset i past the edges of a dimension of `size`.
std::int64_t source(PadMode mode, std::int64_t i, std::int64_t size) {
  switch (mode) {
    case PadMode::reflect: return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    case PadMode::replicate: return i < 0 ? 0 : i >= size ? size - 1 : i;
    default: return i < 0 ? i + size : i >= size ? i - size : i;
  }
}

void check_padding(const Tensor& x, int dim, std::int64_t left, std::int64_t right, PadMode mode) {
  if (left < 0 || right < 0)
    throw ValueError(str("pad: only mode constant accepts negative amounts, got {", left, ", ", right, "}"));
  const std::int64_t size = x.shape()[dim];
  const std::int64_t most = mode == PadMode::reflect    ? size - 1
                            : mode == PadMode::circular ? size
                            : size > 0                  ? INT64_MAX
                                                        : 0;
  if (left > most || right > most)
    throw ShapeError(str("pad: dimension ", dim, " of x ", x, " has too few elements to pad by ", left, " and ", right,
                         " in this mode; at most ", most));
}

/// Pads a dimension with elements of x.
Tensor pad_from_input(const Tensor& x, int dim, std::int64_t left, std::int64_t right, PadMode mode) {
  check_padding(x, dim, left, right, mode);
  const std::int64_t size = x.shape()[dim], count = detail::fit(detail::Wide{left} + size + right, "pad");
  const Tensor places = empty({count}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < count; ++i) places.data<std::int64_t>()[i] = source(mode, i - left, size);
  return index_select(x, dim, places.to(x.device()));
}

/// Pads as many of the pairs, from `pair` on, as one kernel call can take; advances `pair`.
Tensor pad_with_value(const Tensor& x, const Shape& amounts, int& pair, Scalar value) {
  Pad op{Shape::filled(x.rank(), 0), x.shape(), value};
  for (int changed = 0; pair < amounts.rank() / 2 && changed < detail::PadPlan::max_rank - 1; ++pair) {
    const std::int64_t left = amounts[2 * pair], right = amounts[2 * pair + 1];
    const int dim = x.rank() - 1 - pair;
    const detail::Wide kept =
        detail::Wide{x.shape()[dim]} + std::min<std::int64_t>(left, 0) + std::min<std::int64_t>(right, 0);
    if (kept < 0)
      throw ShapeError(str("pad: {", left, ", ", right, "} removes more than dimension ", dim, " of x ", x, " has"));
    op.left[dim] = left;
    op.shape[dim] = detail::fit(detail::Wide{x.shape()[dim]} + left + right, "pad");
    changed += left != 0 || right != 0;
  }
  return op.shape == x.shape() && op.left == Shape::filled(x.rank(), 0) ? x : apply(op, x);
}

}  // namespace

Tensor pad(const Tensor& x, const Shape& amounts, PadMode mode, Scalar value) {
  detail::check_defined("pad", x);
  if (amounts.rank() % 2 != 0 || amounts.rank() / 2 > x.rank())
    throw ShapeError(
        str("pad: amounts must be pairs for at most the ", x.rank(), " dimensions of x ", x, ", got ", amounts));
  if (mode == PadMode::constant) detail::check_number("pad", value, x.dtype());
  Tensor y = x;
  for (int pair = 0; pair < amounts.rank() / 2;) {
    if (mode == PadMode::constant) {
      y = pad_with_value(y, amounts, pair, value);
    } else {
      const std::int64_t left = amounts[2 * pair], right = amounts[2 * pair + 1];
      if (left != 0 || right != 0) y = pad_from_input(y, x.rank() - 1 - pair, left, right, mode);
      ++pair;
    }
  }
  return y;
}

}  // namespace minima
