#include <minima/ops/view/diagonal.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/view/kernels.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

Tensor row_major(const Tensor& x) { return detail::arranged(x, Layout::contiguous(x.shape())); }

template <class Op, bool lower>
struct Triangle {
  std::int64_t diagonal;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("diagonal", diagonal); }

  TensorSpec result(const Tensor& x) const {
    if (x.rank() < 2) throw ShapeError(str(Op::traits.name, ": needs a matrix or a batch of them, got ", x));
    return spec_of(x.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    return {.bytes = 2 * static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::triangle_kernel_cpu(row_major(x), within(x), lower, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::triangle_kernel_cuda(row_major(x), within(x), lower, y); }
  Tensor gradient(Grad g) const { return apply(Op{{diagonal}}, g); }

 private:
  /// The diagonal clamped to x: everything beyond its corners is equivalent.
  std::int64_t within(const Tensor& x) const { return std::clamp(diagonal, -x.size(-2), x.size(-1)); }
};

struct Tril : Triangle<Tril, true> {
  static constexpr Traits traits{.name = "tril"};
};
struct Triu : Triangle<Triu, false> {
  static constexpr Traits traits{.name = "triu"};
};

}  // namespace

Tensor tril(const Tensor& x, std::int64_t diagonal) { return apply(Tril{{diagonal}}, x); }
Tensor triu(const Tensor& x, std::int64_t diagonal) { return apply(Triu{{diagonal}}, x); }

}  // namespace minima
