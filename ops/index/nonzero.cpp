#include <minima/ops/index/nonzero.h>

#include <minima/ops/index/kernels.h>
#include <minima/ops/op.h>

#include <cstdint>

namespace minima {

namespace {

std::int64_t count_true(const Tensor& flags) {
  if constexpr (detail::has_cuda_kernels)
    if (detail::on_cuda(flags)) return detail::count_true_cuda(flags);
  return detail::count_true_cpu(flags);
}

/// A data-dependent operator: `result` must read the data.
struct Nonzero {
  static constexpr Traits traits{.name = "nonzero"};
  TensorSpec result(const Tensor& flags) const {
    return spec_of({count_true(flags), flags.rank()}, DType::int64, flags.device());
  }
  Cost cost(const Tensor& flags) const { return {.bytes = 2 * static_cast<double>(flags.numel())}; }
  void cpu(const Tensor& flags, Tensor& y) const { detail::nonzero_kernel_cpu(flags, y); }
  void cuda(const Tensor& flags, Tensor& y) const { detail::nonzero_kernel_cuda(flags, y); }
};

}  // namespace

Tensor nonzero(const Tensor& x) {
  if (!x.defined()) throw ValueError("nonzero: argument 0 is undefined");
  if (x.dtype() == DType::boolean && x.is_contiguous()) return apply(Nonzero{}, x);
  const Tensor flags = empty(x.shape(), {.dtype = DType::boolean, .device = x.device()});
  detail::copy_values(x, flags);
  return apply(Nonzero{}, flags);
}

}  // namespace minima
