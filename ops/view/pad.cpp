#include <minima/ops/view/pad.h>

#include <minima/ops/index/select.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/view/kernels.h>
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
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("left", left);
    visitor.word("mode", "constant");
    visitor.number("value", value.to<double>());
  }

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

/// The other modes, for any dimensions, on the CPU.
struct PadEdges {
  static constexpr Traits traits{.name = "pad"};
  Shape left;   ///< per dimension
  Shape shape;  ///< the result's
  PadMode mode;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("left", left);
    visitor.word("mode", mode == PadMode::reflect ? "reflect" : mode == PadMode::replicate ? "replicate" : "circular");
  }

  TensorSpec result(const Tensor& x) const { return {dense(shape, in_channels_last(x)), x.dtype(), x.device()}; }
  Cost cost(const Tensor& x) const {
    return {.bytes = (static_cast<double>(x.numel()) + static_cast<double>(numel(shape))) *
                     static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const bool last = in_channels_last(x);
    detail::pad_edges_kernel_cpu(detail::arranged(x, dense(x.shape(), last)), plan(x.shape(), last), y);
  }
  Tensor gradient(Grad g, Spec<0> x) const;

  /// Returns a plan of rank 0 if there are too many dimensions.
  detail::EdgePlan plan(const Shape& x, bool channels_last) const {
    detail::EdgePlan plan(mode);
    bool fits = true;
    const auto add = [&](int d) { fits = fits && plan.add({x[d], left[d], shape[d]}); };
    for (int d = 0; d < x.rank(); ++d)
      if (!channels_last || d != 1) add(d);
    if (channels_last) add(1);
    return fits ? plan : detail::EdgePlan(mode);
  }
};

/// Sums the gradients of the copies of each element.
struct PadEdgesGradient {
  static constexpr Traits traits{.name = "pad_gradient"};
  PadEdges forward;
  Shape shape;  ///< x's
  TensorSpec result(const Tensor& g) const { return {dense(shape, in_channels_last(g)), g.dtype(), g.device()}; }
  Cost cost(const Tensor& g) const {
    return {.flops = static_cast<double>(g.numel()),
            .bytes = (static_cast<double>(g.numel()) + 2 * static_cast<double>(numel(shape))) *
                     static_cast<double>(g.itemsize())};
  }
  void cpu(const Tensor& g, Tensor& y) const {
    const bool last = in_channels_last(g);
    detail::pad_edges_gradient_cpu(detail::arranged(g, dense(g.shape(), last)), forward.plan(shape, last), y);
  }
  Tensor gradient(Grad u) const { return apply(forward, u); }
};

Tensor PadEdges::gradient(Grad g, Spec<0> x) const { return apply(PadEdgesGradient{*this, x.shape()}, g); }

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

/// Pads a dimension with elements of x, to `count`.
Tensor pad_from_input(const Tensor& x, int dim, std::int64_t left, std::int64_t count, PadMode mode) {
  const Tensor places = empty({count}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < count; ++i)
    places.data<std::int64_t>()[i] = detail::padding_source(mode, i - left, x.shape()[dim]);
  return index_select(x, dim, places.to(x.device()));
}

Tensor pad_edges(const Tensor& x, const Shape& amounts, PadMode mode) {
  PadEdges op{Shape::filled(x.rank(), 0), x.shape(), mode};
  for (int pair = 0; pair < amounts.rank() / 2; ++pair) {
    const std::int64_t left = amounts[2 * pair], right = amounts[2 * pair + 1];
    const int dim = x.rank() - 1 - pair;
    if (left == 0 && right == 0) continue;
    check_padding(x, dim, left, right, mode);
    op.left[dim] = left;
    op.shape[dim] = detail::fit(detail::Wide{left} + x.shape()[dim] + right, "pad");
  }
  if (op.shape == x.shape()) return x;
  const bool in_one_pass = !detail::on_cuda(x) && (is_floating(x.dtype()) || !x.requires_grad()) &&
                           op.plan(x.shape(), in_channels_last(x)).rank > 0;
  if (in_one_pass) return apply(op, x);
  Tensor y = x;
  for (int dim = x.rank() - 1; dim >= 0; --dim)
    if (op.shape[dim] != x.shape()[dim]) y = pad_from_input(y, dim, op.left[dim], op.shape[dim], mode);
  return y;
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
  if (mode == PadMode::constant) {
    Tensor y = x;
    for (int pair = 0; pair < amounts.rank() / 2;) y = pad_with_value(y, amounts, pair, value);
    return y;
  }
  return pad_edges(x, amounts, mode);
}

}  // namespace minima
