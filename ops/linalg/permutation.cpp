#include <minima/ops/linalg/permutation.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

struct PermuteRows {
  static constexpr Traits traits{.name = "row_exchange"};
  bool back;

  TensorSpec result(const Tensor& x, const Tensor&) const { return spec_of(x.shape(), x.dtype(), x.device()); }
  Cost cost(const Tensor& x, const Tensor& pivots) const {
    return {.bytes = 2 * static_cast<double>(x.numel() * x.itemsize()) + 8 * static_cast<double>(pivots.numel())};
  }
  void cpu(const Tensor& x, const Tensor& pivots, Tensor& y) const {
    const Tensor swaps = contiguous(pivots);
    const std::int64_t rows = rows_of(x);
    if (std::any_of(swaps.data<std::int64_t>(), swaps.data<std::int64_t>() + swaps.numel(),
                    [=](std::int64_t pivot) { return pivot < 1 || pivot > rows; }))
      throw ValueError(str("lu_solve: pivots must be between 1 and ", rows, ", but ", swaps, " has others"));
    permute_rows_kernel(contiguous(x), swaps, back, y);
  }
  void cuda(const Tensor& x, const Tensor& pivots, Tensor& y) const {
    HostCall host(traits.name, x);
    cpu(host.in(x), host.in(pivots), host.out(y));
    host.finish();
  }
  Gradients<2> gradient(Grad g, Input<1, 0> pivots) const { return {permute_rows(g, pivots, !back), Tensor()}; }
};

}  // namespace

Tensor permute_rows(const Tensor& x, const Tensor& pivots, bool back) {
  const Shape batch = broadcast(leading(x.shape()), leading(pivots.shape(), 1), "permute_rows");
  return apply(PermuteRows{back}, expand_batch(x, batch), expand(pivots, joined(batch, {pivots.shape().back()})));
}

}  // namespace minima::detail
