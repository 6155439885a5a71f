#include <minima/ops/linalg/permutation.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/op.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/view.h>

#include <cstdint>
#include <numeric>
#include <utility>

namespace minima::detail {

namespace {

struct Permutation {
  static constexpr Traits traits{.name = "permutation"};
  std::int64_t rows;

  TensorSpec result(const Tensor& pivots) const {
    return spec_of(joined(leading(pivots.shape(), 1), {rows}), DType::int64, pivots.device());
  }
  Cost cost(const Tensor& pivots) const {
    return {.bytes = 8 * static_cast<double>(pivots.numel() + result(pivots).numel())};
  }
  void cpu(const Tensor& pivots, Tensor& order) const {
    const Tensor given = contiguous(pivots);
    const std::int64_t steps = given.shape().back(), count = rows == 0 ? 0 : order.numel() / rows;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t* places = order.data<std::int64_t>() + i * rows;
      std::iota(places, places + rows, std::int64_t{0});
      for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t other = given.data<std::int64_t>()[i * steps + k] - 1;
        if (other < 0 || other >= rows)
          throw ValueError(str("lu_solve: pivots must be between 1 and ", rows, ", got ", other + 1));
        std::swap(places[k], places[other]);
      }
    }
  }
  void cuda(const Tensor& pivots, Tensor& order) const {
    HostCall host(traits.name, pivots);
    cpu(host.in(pivots), host.out(order));
    host.finish();
  }
};

}  // namespace

Tensor permutation(const Tensor& pivots, std::int64_t rows) { return apply(Permutation{rows}, pivots); }

Tensor inverse_permutation(const Tensor& order) { return argsort(order); }

Tensor permute_rows(const Tensor& x, const Tensor& order) {
  const Shape batch = broadcast(leading(x.shape()), leading(order.shape(), 1), "permute_rows");
  const Tensor rows = expand_batch(x, batch);
  return gather(rows, -2, expand(unsqueeze(order, -1), rows.shape()));
}

}  // namespace minima::detail
