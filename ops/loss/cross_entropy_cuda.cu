#include <minima/autograd/primitives.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loss/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/loss/cross_entropy_device.cuh>

namespace minima::detail {

namespace {

Tensor row_major(const Tensor& x) { return x.is_contiguous() ? x : copy_with_layout(x, Layout::contiguous(x.shape())); }

template <class T> T* data_or_null(const Tensor& x) { return x.defined() ? x.data<T>() : nullptr; }

}  // namespace

void cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& logits, const Tensor& target,
                               const Tensor& weight, Tensor& loss, Tensor& max_sum, Tensor& total) {
  static cuda::Fault* const fault = cuda::fault_place({"cross_entropy: a target is ", ", but there are ", " classes"});
  const int dim = class_dim(logits.rank());
  const Tensor x = arranged(logits, class_layout(logits.layout())), targets = row_major(target);
  const Lines lines = lines_of(x.layout(), dim);
  const Tensor by_class = weight.defined() ? row_major(weight) : Tensor();
  const ClassWeights weights = class_weights(attributes, by_class, logits.shape()[dim]);
  const bool each = attributes.reduction == Reduction::none, mean = attributes.reduction == Reduction::mean;
  dispatch<floating>(x.dtype(), "cross_entropy", [&]<class X> {
    using T = Compute<X>;
    const TensorOptions options{.dtype = dtype_of<T>, .device = x.device()};
    const Tensor losses = each && loss.dtype() == dtype_of<T> ? loss : empty(target.shape(), options);
    const Tensor counts = empty(target.shape(), options);
    cuda::launch("cross_entropy", cuda::grid_of(lines, "cross_entropy"),
                 lines.inner == 1 ? cross_entropy_kernel<true, X> : cross_entropy_kernel<false, X>, x.data<X>(),
                 targets.data<std::int64_t>(), lines, weights, data_or_null<T>(max_sum), losses.data<T>(),
                 counts.data<T>(), fault);
    if (!each || total.defined())
      cuda::launch("add_losses", {dim3(1), dim3(512)}, add_losses_kernel<T>, losses.data<T>(), counts.data<T>(),
                   target.numel(), mean, each ? nullptr : loss.raw_data(), loss.dtype(), data_or_null<double>(total));
    if (each && !losses.is_same(loss)) copy_kernel_cuda(losses, loss);
  });
}

void cross_entropy_gradient_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& g, const Tensor& logits,
                                        const Tensor& target, const Tensor& weight, const Tensor& max_sum,
                                        const Tensor& total, Tensor& dx) {
  const int dim = class_dim(logits.rank());
  const Tensor x = arranged(logits, dx.layout()), targets = row_major(target), upstream = row_major(g);
  const Lines lines = lines_of(dx.layout(), dim);
  const Tensor by_class = weight.defined() ? row_major(weight) : Tensor();
  const ClassWeights weights = class_weights(attributes, by_class, logits.shape()[dim]);
  const double* const divisor = attributes.reduction == Reduction::mean ? total.data<double>() : nullptr;
  dispatch<floating>(x.dtype(), "cross_entropy", [&]<class X> {
    cuda::launch("cross_entropy_gradient", cuda::grid_of(lines, "cross_entropy_gradient"),
                 lines.inner == 1 ? cross_entropy_gradient_kernel<true, X> : cross_entropy_gradient_kernel<false, X>,
                 upstream.raw_data(), upstream.dtype(), attributes.reduction == Reduction::none, x.data<X>(),
                 targets.data<std::int64_t>(), lines, weights, max_sum.data<Compute<X>>(), divisor, dx.data<X>());
  });
}

void class_targets_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& target, const Tensor& weight,
                               Tensor& y) {
  const int dim = class_dim(y.rank());
  const Tensor targets = row_major(target);
  const Lines lines = lines_of(y.layout(), dim);
  const Tensor by_class = weight.defined() ? row_major(weight) : Tensor();
  const ClassWeights weights = class_weights(attributes, by_class, y.shape()[dim]);
  dispatch<floating>(y.dtype(), "cross_entropy", [&]<class X> {
    cuda::launch("class_targets", cuda::grid_for(y.numel()), class_targets_kernel<X>, targets.data<std::int64_t>(),
                 lines, weights, y.data<X>());
  });
}

}  // namespace minima::detail
