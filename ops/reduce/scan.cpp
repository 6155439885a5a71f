#include <minima/ops/reduce/scan.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/index/select.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cstdint>

namespace minima {

namespace {

using detail::ScanKind;

TensorSpec scanned(const Tensor& x) { return spec_of(x.shape(), detail::scan_dtype(x.dtype()), x.device()); }

Cost scan_cost(const Tensor& x) {
  const auto count = static_cast<double>(x.numel());
  return {.flops = count, .bytes = count * static_cast<double>(x.itemsize() + size_of(detail::scan_dtype(x.dtype())))};
}

/// x, row-major, in the result's dtype.
Tensor prepared(const Tensor& x) {
  return detail::arranged(cast(x.detach(), detail::scan_dtype(x.dtype())), Layout::contiguous(x.shape()));
}

struct Cumsum {
  static constexpr Traits traits{.name = "cumsum", .autocast = Cast::to_float32};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  bool reverse = false;
  TensorSpec result(const Tensor& x) const { return scanned(x); }
  Cost cost(const Tensor& x) const { return scan_cost(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::scan_kernel_cpu(ScanKind::sum, prepared(x), dim, reverse, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::scan_kernel_cuda(ScanKind::sum, prepared(x), dim, reverse, y); }
  Tensor gradient(Grad g) const { return apply(Cumsum{dim, !reverse}, g); }
};

/// The sums s_k = g_k + f_k · s_k+1 along a dimension with one factor less than elements, by doubling: each step joins
/// (factor, sum) pairs of twice as many elements.
Tensor suffix_sums(Tensor sums, Tensor factors, int dim) {
  const std::int64_t size = sums.size(dim);
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    const Tensor joined =
        narrow(sums, dim, 0, size - distance) + factors * narrow(sums, dim, distance, size - distance);
    sums = cat({joined, narrow(sums, dim, size - distance, distance)}, dim);
    if (const std::int64_t left = size - 2 * distance; left > 0)
      factors = narrow(factors, dim, 0, left) * narrow(factors, dim, distance, left);
  }
  return sums;
}

struct Cumprod {
  static constexpr Traits traits{.name = "cumprod", .autocast = Cast::to_float32};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  TensorSpec result(const Tensor& x) const { return scanned(x); }
  Cost cost(const Tensor& x) const { return scan_cost(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::scan_kernel_cpu(ScanKind::product, prepared(x), dim, false, y); }
  void cuda(const Tensor& x, Tensor& y) const {
    detail::scan_kernel_cuda(ScanKind::product, prepared(x), dim, false, y);
  }
  /// Element k is a factor of every y from k on: its gradient is the product of those before it, times Σ_i≥k g_i ·
  /// Π_k<j≤i x_j. Free of division and hence a polynomial, so every higher derivative is exact, with or without zeros.
  Tensor gradient(Grad g, Input<0> x, Output) const {
    const std::int64_t size = x.rank() == 0 ? 1 : x.shape()[dim];
    if (size < 2) return g;
    Shape edge = x.shape();
    edge[dim] = 1;
    const TensorOptions like_x{.dtype = x.dtype(), .device = x.device()};
    const Tensor before = cumprod(cat({ones(edge, like_x), narrow(x, dim, 0, size - 1)}, dim), dim);
    const Tensor sums = suffix_sums(g, narrow(x, dim, 1, size - 1), dim);
    return before * sums;
  }
  /// Σ g · y / x. At the first 0 of a line, where division fails, the sum is taken with a 1 in its place; after it
  /// everything is 0.
  Tensor fast_gradient(Grad g, Input<0> x, Output y) const {
    const Tensor is_zero = x.detach() == 0;
    const auto sum_from = [&](const Tensor& terms) { return apply(Cumsum{dim, true}, terms); };
    if (!detail::on_cuda(x) && !any(is_zero).item<bool>()) return sum_from(g * y) / x;
    const Tensor zeros_so_far = cumsum(is_zero, dim);
    const Tensor is_first = logical_and(is_zero, zeros_so_far == 1);
    const TensorOptions like_x{.dtype = x.dtype(), .device = x.device()};
    const Tensor one = ones({}, like_x), nothing = zeros({}, like_x);
    const Tensor before = sum_from(g * y) / where(is_zero, one, x);
    const Tensor at_first = sum_from(g * cumprod(where(is_first, one, x), dim));
    return where(zeros_so_far == 0, before, where(is_first, at_first, nothing));
  }
};

/// The extreme element so far, a constant.
struct RunningExtreme {
  static constexpr Traits traits{.name = "running_extreme"};
  ScanKind kind;
  int dim;
  TensorSpec result(const Tensor& x) const { return scanned(x); }
  Cost cost(const Tensor& x) const { return scan_cost(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::scan_kernel_cpu(kind, prepared(x), dim, false, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::scan_kernel_cuda(kind, prepared(x), dim, false, y); }
};

/// The extreme so far and its place.
template <ScanKind kind> struct CumulativeExtreme {
  static constexpr Traits traits{.name = kind == ScanKind::maximum ? "cummax" : "cummin"};
  int dim;
  std::array<TensorSpec, 2> result(const Tensor& x) const {
    return {spec_of(x.shape(), x.dtype(), x.device()), spec_of(x.shape(), DType::int64, x.device())};
  }
  Cost cost(const Tensor& x) const { return scan_cost(x); }
  void cpu(const Tensor& x, Tensor& values, Tensor& indices) const {
    detail::cumulative_extreme_cpu(kind, detail::arranged(x, Layout::contiguous(x.shape())), dim, values, indices);
  }
  /// A new extreme is where the scan has just reached x; its place is the largest so far.
  void cuda(const Tensor& x, Tensor& values, Tensor& indices) const {
    const NoGrad constant;
    Tensor is_new = apply(RunningExtreme{kind, dim}, x) == x;
    if (is_floating(x.dtype())) is_new = logical_or(is_new, isnan(x));
    Shape along = x.shape();
    for (int d = 0; d < along.rank(); ++d)
      if (d != dim) along[d] = 1;
    const Tensor places = reshape(arange(numel(along), {.device = x.device()}), along);
    copy_(indices, apply(RunningExtreme{ScanKind::maximum, dim}, where(is_new, places, 0)));
    copy_(values, gather(x, dim, indices));
  }
  Tensor gradient(Grad g, OutputAt<1> indices, Spec<0> x) const {
    return scatter_add(zeros(x.shape(), {.dtype = g.dtype(), .device = g.device()}), dim, indices, g);
  }
};

template <ScanKind kind> ValuesAndIndices cumulative_extreme(const Tensor& x, std::int64_t dim) {
  using Op = CumulativeExtreme<kind>;
  detail::check_defined(Op::traits.name, x);
  const auto [values, indices] = apply(Op{wrap_dim(dim, x.rank(), Op::traits.name)}, x);
  return {values, indices};
}

struct Logcumsumexp {
  static constexpr Traits traits{.name = "logcumsumexp"};
  int dim;
  TensorSpec result(const Tensor& x) const { return scanned(x); }
  Cost cost(const Tensor& x) const { return scan_cost(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::scan_kernel_cpu(ScanKind::log_sum, prepared(x), dim, false, y); }
  void cuda(const Tensor& x, Tensor& y) const {
    const NoGrad constant;
    Tensor sums = x;
    const std::int64_t size = x.rank() == 0 ? 1 : x.size(dim);
    for (std::int64_t distance = 1; distance < size; distance *= 2) {
      const auto part = [&](std::int64_t first, std::int64_t count) { return narrow(sums, dim, first, count); };
      const std::int64_t rest = size - distance;
      sums = cat({part(0, distance), logaddexp(part(distance, rest), part(0, rest))}, dim);
    }
    copy_(y, sums);
  }
  /// Σ_i≥k g_i·exp(x_k - y_i), by the ratios exp(y_k - y_k+1) ≤ 1 of adjacent sums.
  Tensor gradient(Grad g, Input<0> x, Output y) const {
    const auto ratio = [](const Tensor& a, const Tensor& b) { return exp(where(a == b, zeros_like(a), a - b)); };
    const std::int64_t size = x.rank() == 0 ? 1 : x.size(dim);
    if (size == 0) return g;
    if (size == 1) return g * ratio(x, y);
    const Tensor factors = ratio(narrow(y, dim, 0, size - 1), narrow(y, dim, 1, size - 1));
    return suffix_sums(g, factors, dim) * ratio(x, y);
  }
};

/// The product over one dimension, kept with size 1.
Tensor prod_dim(Tensor x, int dim) {
  const Shape shape = x.shape();
  if (shape[dim] == 0) return sum(x, {dim}, true) + 1;
  Tensor odd_element;  // the last element of odd sizes
  for (std::int64_t size = shape[dim]; size > 1; size /= 2) {
    if (size % 2 != 0) {
      const Tensor last = narrow(x, dim, size - 1, 1);
      odd_element = odd_element.defined() ? odd_element * last : last;
    }
    x = narrow(x, dim, 0, size / 2) * narrow(x, dim, size / 2, size / 2);
  }
  return odd_element.defined() ? x * odd_element : x;
}

}  // namespace

Tensor cumsum(const Tensor& x, std::int64_t dim) {
  return apply(Cumsum{x.defined() ? wrap_dim(dim, x.rank(), "cumsum") : 0}, x);
}

Tensor cumprod(const Tensor& x, std::int64_t dim) {
  return apply(Cumprod{x.defined() ? wrap_dim(dim, x.rank(), "cumprod") : 0}, x);
}

Tensor logcumsumexp(const Tensor& x, std::int64_t dim) {
  detail::check_defined("logcumsumexp", x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str("logcumsumexp: needs a floating tensor, got ", x, "; convert it with to()"));
  const Logcumsumexp op{wrap_dim(dim, x.rank(), "logcumsumexp")};
  return is_half(x.dtype()) ? cast(apply(op, cast(x, DType::float32)), x.dtype()) : apply(op, x);
}

ValuesAndIndices cummax(const Tensor& x, std::int64_t dim) { return cumulative_extreme<ScanKind::maximum>(x, dim); }

ValuesAndIndices cummin(const Tensor& x, std::int64_t dim) { return cumulative_extreme<ScanKind::minimum>(x, dim); }

Tensor prod(const Tensor& x, const Shape& dims, bool keep_dim) {
  detail::check_defined("prod", x);
  const Tensor from = detail::autocast(Cast::to_float32, x);
  const detail::WithoutAutocast guard;
  const Shape along = wrap_dims(dims, x.rank(), "prod");
  Tensor y = cast(from, is_half(from.dtype()) ? DType::float32 : detail::scan_dtype(from.dtype()));
  for (const std::int64_t dim : along) y = prod_dim(y, static_cast<int>(dim));
  if (!keep_dim) y = reshape(y, reduced_shape(x.shape(), along, false));
  y = cast(y, detail::scan_dtype(from.dtype()));
  return y.impl() == x.impl() ? clone(x) : y;
}

}  // namespace minima
