#include <minima/ops/view/flip.h>

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/view/kernels.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

struct Roll {
  static constexpr Traits traits{.name = "roll"};
  int dim;
  std::int64_t by;  ///< any sign, smaller in magnitude than the dimension
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("dim", dim);
    visitor.integer("by", by);
  }

  TensorSpec result(const Tensor& x) const { return spec_like(x); }
  Cost cost(const Tensor& x) const {
    return {.bytes = 2 * static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { run(x, y, detail::roll_kernel_cpu); }
  void cuda(const Tensor& x, Tensor& y) const { run(x, y, detail::roll_kernel_cuda); }
  Tensor gradient(Grad g) const { return apply(Roll{dim, -by}, g); }

 private:
  template <class Kernel>
  void run(const Tensor& x, Tensor& y, Kernel kernel) const {
    const std::int64_t size = x.rank() == 0 ? 1 : x.shape()[dim];
    if (size > 0)
      kernel(detail::arranged(x, y.layout()), detail::lines_of(y.layout(), dim), by < 0 ? by + size : by, y);
  }
};

}  // namespace

Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t dim) {
  detail::check_defined("roll", x);
  const int along = wrap_dim(dim, x.rank(), "roll");
  if (x.rank() == 0) throw ShapeError(str("roll: x has no dimension to roll, got ", x));
  return apply(Roll{along, shift % std::max<std::int64_t>(x.shape()[along], 1)}, x);
}

}  // namespace minima
