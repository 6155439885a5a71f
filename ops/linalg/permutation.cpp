#include <minima/ops/linalg/permutation.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/place/place.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/transfer.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

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
    permute_rows_kernel(contiguous(x), checked(pivots, rows_of(x)), back, y);
  }
  void cuda(const Tensor& x, const Tensor& pivots, Tensor& y) const {
    refuse_captured(x.device(), traits.name);
    const Tensor swaps = checked(on_host(pivots), rows_of(x));
    if (y.numel() > 0) copy_values(take_along_dim(x, on_device(rows_after(swaps, x), x.device()), -2), y);
  }
  Gradients<2> gradient(Grad g, Input<1, 0> pivots) const { return {permute_rows(g, pivots, !back), Tensor()}; }

 private:
  static Tensor checked(const Tensor& pivots, std::int64_t rows) {
    Tensor swaps = contiguous(pivots);
    if (std::any_of(swaps.data<std::int64_t>(), swaps.data<std::int64_t>() + swaps.numel(),
                    [=](std::int64_t pivot) { return pivot < 1 || pivot > rows; }))
      throw ValueError(str("lu_solve: pivots must be between 1 and ", rows, ", but ", swaps, " has others"));
    return swaps;
  }

  /// Which row of x each row of the result is, [..., M, 1], for pivots on the CPU.
  Tensor rows_after(const Tensor& swaps, const Tensor& x) const {
    const std::int64_t rows = rows_of(x), steps = swaps.shape().back();
    Tensor index = empty(joined(leading(x.shape()), {rows, 1}), {.dtype = DType::int64});
    for (std::int64_t i = 0; i < count_matrices(x); ++i) {
      std::int64_t* const own = index.data<std::int64_t>() + i * rows;
      std::iota(own, own + rows, 0);
      for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t k = back ? steps - 1 - step : step;
        std::swap(own[k], own[swaps.data<std::int64_t>()[i * steps + k] - 1]);
      }
    }
    return index;
  }
};

}  // namespace

Tensor permute_rows(const Tensor& x, const Tensor& pivots, bool back) {
  const Shape batch = broadcast(leading(x.shape()), leading(pivots.shape(), 1), "permute_rows");
  return apply(PermuteRows{back}, expand_batch(x, batch), expand(pivots, joined(batch, {pivots.shape().back()})));
}

}  // namespace minima::detail
