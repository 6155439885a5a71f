#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/sum_kernels.h>
#include <minima/ops/reduce/reduce.cuh>

namespace minima::detail {

using pointwise::Operand;
using reduction::reduce_on_cuda;

void sum_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y) {
  using reduction::Sum;
  const Layout y_layout = with_reduced_dims(y.layout(), x.shape(), dims);
  const Operand in(x.raw_data(), x.layout(), x.dtype()), out(y.raw_data(), y_layout, y.dtype());
  if (x.dtype() == float64) reduce_on_cuda<double>(Sum<double>{}, x.device(), out, in);
  else if (is_floating(x.dtype())) reduce_on_cuda<float>(Sum<float>{}, x.device(), out, in);
  else reduce_on_cuda<std::int64_t>(Sum<std::int64_t>{}, x.device(), out, in);
}

void mean_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y) {
  using reduction::Mean;
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= x.shape()[static_cast<int>(dim)];
  const Layout y_layout = with_reduced_dims(y.layout(), x.shape(), dims);
  const Operand in(x.raw_data(), x.layout(), x.dtype()), out(y.raw_data(), y_layout, y.dtype());
  if (x.dtype() == float64) reduce_on_cuda<double>(Mean<double>(count), x.device(), out, in);
  else reduce_on_cuda<float>(Mean<float>(count), x.device(), out, in);
}

}  // namespace minima::detail
