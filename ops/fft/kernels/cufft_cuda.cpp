#include <minima/ops/fft/kernels/fourier_kernels.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/complex/parts.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace minima::detail {

namespace {

/// Dimensions in ascending order, without those of one point, whose transform is the identity.
Shape transformed(const Tensor& x, Shape dims) {
  std::sort(dims.begin(), dims.end());
  Shape kept;
  for (const std::int64_t dim : dims)
    if (x.shape()[static_cast<int>(dim)] != 1) kept.push_back(dim);
  return kept;
}

/// The memory order [others, dims], and its inverse.
struct Order {
  Shape there, back;

  Order(const Tensor& x, const Shape& dims) {
    for (int d = 0; d < x.rank(); ++d)
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) there.push_back(d);
    for (const std::int64_t dim : dims) there.push_back(dim);
    back = there;
    for (int d = 0; d < there.rank(); ++d) back[static_cast<int>(there[d])] = d;
  }
};

/// Elements before and behind some dimensions of a row-major tensor; none if those are not neighbours.
struct Around {
  std::int64_t outer = 1, inner = 1;
  bool is_block = false;

  Around(const Tensor& x, const Shape& dims) {
    const int first = static_cast<int>(dims[0]), last = static_cast<int>(dims.back());
    is_block = last - first + 1 == dims.rank();
    for (int d = 0; d < first; ++d) outer *= x.shape()[d];
    for (int d = last + 1; d < x.rank(); ++d) inner *= x.shape()[d];
  }
  /// cuFFT has one distance between transforms.
  bool is_direct() const { return is_block && (outer == 1 || inner == 1); }
};

/// cuFFT wants even float32 data aligned like complex numbers.
Tensor aligned(const Tensor& x) {
  const std::size_t bytes = size_of(complex_dtype(x.dtype()));
  const Tensor rows = contiguous(x);
  return reinterpret_cast<std::uintptr_t>(rows.raw_data()) % bytes == 0 ? rows : clone(rows);
}

/// Unscaled, along up to three dimensions; both row-major. `n` are the lengths of the real side.
void run_direct(Transform kind, const Tensor& x, const Shape& dims, const Shape& n, bool inverse, const Tensor& y) {
  const Around from(x, dims), to(y, dims);
  TransformPlan plan{.kind = kind, .is_double = real_dtype(x.dtype()) == DType::float64, .n = {}};
  for (const std::int64_t length : n) plan.n.push_back(length);
  std::int64_t in = 1, out = 1;
  for (const std::int64_t dim : dims) in *= x.shape()[static_cast<int>(dim)], out *= y.shape()[static_cast<int>(dim)];
  const bool is_last = from.inner == 1;
  plan.stride = is_last ? 1 : from.inner;
  plan.in_distance = is_last ? in : 1;
  plan.out_distance = is_last ? out : 1;
  plan.batch = is_last ? from.outer : from.inner;
  run_cufft(plan, x.device(), x.raw_data(), y.raw_data(), inverse);
}

void run(Transform kind, const Tensor& x, const Shape& dims, const Shape& n, bool inverse, const Tensor& y) {
  if (Around(x, dims).is_direct()) return run_direct(kind, aligned(x), dims, n, inverse, y);
  const Order order(x, dims);
  const Tensor from = aligned(permute(x, order.there));
  Shape shape = y.shape(), last;
  for (int d = 0; d < y.rank(); ++d) shape[d] = y.shape()[static_cast<int>(order.there[d])];
  for (int d = y.rank() - dims.rank(); d < y.rank(); ++d) last.push_back(d);
  const Tensor to = empty(shape, {.dtype = y.dtype(), .device = y.device()});
  run_direct(kind, from, last, n, inverse, to);
  copy_values(permute(to, order.back), y);
}

void multiply(const Tensor& y, double scale) {
  if (scale != 1) mul_(parts_of(y), scale);
}

/// Complex to real transforms destroy their input and need real numbers where a number stands for itself.
Tensor half_spectrum(const Tensor& x, int dim, std::int64_t n) {
  const Tensor rows = empty(x.shape(), {.dtype = x.dtype(), .device = x.device()});
  copy_values(x, rows);
  const Tensor imaginary = part_of(rows, 1);
  fill_(narrow(imaginary, dim, 0, 1), 0);
  if (n % 2 == 0) fill_(narrow(imaginary, dim, n / 2, 1), 0);
  return rows;
}

}  // namespace

void fourier_cufft(const Tensor& x, const Shape& dims, bool inverse, double scale, const Tensor& y) {
  constexpr int most = 3;
  const Shape all = transformed(x, dims);
  if (y.numel() == 0) return;
  if (all.rank() == 0) {
    copy_values(x, y);
    return multiply(y, scale);
  }
  Tensor from = x;
  for (int first = 0; first < all.rank(); first += most) {
    Shape group, n;
    for (int i = first; i < std::min(first + most, all.rank()); ++i) {
      group.push_back(all[i]);
      n.push_back(x.shape()[static_cast<int>(all[i])]);
    }
    const bool is_last = first + most >= all.rank();
    const Tensor to = is_last ? y : empty(x.shape(), {.dtype = x.dtype(), .device = x.device()});
    run(Transform::complex, from, group, n, inverse, to);
    from = to;
  }
  multiply(y, scale);
}

void real_fourier_cufft(const Tensor& x, int dim, double scale, const Tensor& y) {
  if (y.numel() == 0) return;
  const std::int64_t n = x.shape()[dim];
  if (n == 1) copy_values(x, y);
  else run(Transform::real_to_complex, x, {dim}, {n}, false, y);
  multiply(y, scale);
}

void inverse_real_fourier_cufft(const Tensor& x, int dim, double scale, const Tensor& y) {
  if (y.numel() == 0) return;
  const std::int64_t n = y.shape()[dim];
  if (n == 1) copy_values(part_of(x, 0), y);
  else run(Transform::complex_to_real, half_spectrum(x, dim, n), {dim}, {n}, true, y);
  multiply(y, scale);
}

}  // namespace minima::detail
