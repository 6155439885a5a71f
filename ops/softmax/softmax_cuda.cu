#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/softmax/softmax_device.cuh>

namespace minima::detail {

void softmax_kernel_cuda(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y) {
  const Tensor from = arranged(x, y.layout());
  const Lines lines = lines_of(y.layout(), dim);
  dispatch<floating>(y.dtype(), "softmax", [&]<class X> {
    cuda::launch("softmax", cuda::grid_of(lines, "softmax"),
                 lines.inner == 1 ? softmax_kernel<true, X> : softmax_kernel<false, X>, kind, from.data<X>(),
                 y.data<X>(), lines);
  });
}

void softmax_gradient_kernel_cuda(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx) {
  const Tensor gradient = arranged(g, dx.layout()), output = arranged(y, dx.layout());
  const Lines lines = lines_of(dx.layout(), dim);
  dispatch<floating>(dx.dtype(), "softmax", [&]<class X> {
    cuda::launch("softmax_gradient", cuda::grid_of(lines, "softmax_gradient"),
                 lines.inner == 1 ? softmax_gradient_kernel<true, X> : softmax_gradient_kernel<false, X>, kind,
                 gradient.data<X>(), output.data<X>(), dx.data<X>(), lines);
  });
}

}  // namespace minima::detail
