#include <minima/ops/reduce/sum_kernels.h>

#include <minima/ops/loops/lines/reduce_loop.h>
#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/reduce/reduced_shape.h>

namespace minima::detail {

void sum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y) {
  using reduction::Operand;
  using reduction::Sum;
  const Layout y_layout = with_reduced_dims(y.layout(), x.shape(), dims);
  const Operand in(x.raw_data(), x.layout(), x.dtype()), out(y.raw_data(), y_layout, y.dtype());
  if (x.dtype() == float64) reduction::reduce<double>(Sum<double>{}, out, in);
  else if (is_floating(x.dtype())) reduction::reduce<float>(Sum<float>{}, out, in);
  else reduction::reduce<std::int64_t>(Sum<std::int64_t>{}, out, in);
}

void sum_of_squares_kernel_cpu(const Tensor& x, Tensor& y) {
  using reduction::SumOfSquares;
  const reduction::Operand in(x.raw_data(), x.layout(), x.dtype()), out(y.raw_data(), y.layout(), y.dtype());
  if (x.dtype() == float64) reduction::reduce<double>(SumOfSquares<double>{}, out, in);
  else reduction::reduce<float>(SumOfSquares<float>{}, out, in);
}

void mean_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y) {
  using reduction::Mean;
  using reduction::Operand;
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= x.shape()[static_cast<int>(dim)];
  const Layout y_layout = with_reduced_dims(y.layout(), x.shape(), dims);
  const Operand in(x.raw_data(), x.layout(), x.dtype()), out(y.raw_data(), y_layout, y.dtype());
  if (x.dtype() == float64) reduction::reduce<double>(Mean<double>(count), out, in);
  else reduction::reduce<float>(Mean<float>(count), out, in);
}

}  // namespace minima::detail
