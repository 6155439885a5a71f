#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/gemm/gemm.h>
#include <minima/ops/gemm/matrices.h>
#include <minima/ops/linear_cross_entropy/linear_cross_entropy_kernels.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/ops/linear_cross_entropy/linear_cross_entropy_device.cuh>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

/// The width of a row of logits in memory: whole packs of 16 bytes, so that kernels and products read them as such.
std::int64_t padded(std::int64_t classes, DType dtype) {
  const auto pack = static_cast<std::int64_t>(16 / size_of(dtype));
  return (classes + pack - 1) / pack * pack;
}
/// Rows per chunk. Every chunk reads and writes the whole gradient of the weight, so there are as many rows as fit into
/// 1 GiB of logits, within bounds.
std::int64_t chunk_rows(std::int64_t row_bytes) {
  constexpr std::int64_t tile = 128, least = 2048, most = 4096;
  return std::clamp((std::int64_t{1} << 30) / std::max<std::int64_t>(1, row_bytes) / tile * tile, least, most);
}

Tensor rows_of(const Tensor& x, std::int64_t first, std::int64_t count) {
  return alias(x, x.layout().sliced(0, first, first + count, 1));
}
void fill(const Tensor& x, double value) {
  const pointwise::Operand operands[] = {{x.raw_data(), x.layout(), x.dtype()}, {x.raw_data(), x.layout(), x.dtype()}};
  const functor::Fill f{value};
  pointwise::CudaLoop<functor::Fill, 1, AllTypes, ResultType::same>::run("linear_cross_entropy", f,
                                                                         compute_dtype(x.dtype()), operands);
}

/// A product of matrices of `dtype` with a result of dtype `result`.
Gemm product(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype, DType result, Device device) {
  Gemm gemm;
  gemm.m = m, gemm.n = n, gemm.k = k, gemm.ldc = n;
  gemm.dtype = dtype, gemm.c_dtype = result;
  gemm.on_cuda = true, gemm.device = device;
  return gemm;
}

}  // namespace

void linear_cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                      const Tensor& bias, const Tensor& target, const Tensor& class_weight,
                                      Tensor& loss, const LinearCrossEntropyGradients& gradients, const Tensor& total) {
  static cuda::Fault* const fault =
      cuda::fault_place({"linear_cross_entropy: a target is ", ", but there are ", " classes"});
  const PurposeGuard purpose(Purpose::temporaries);
  const std::int64_t n = x.size(0), classes = weight.size(0), width = weight.size(1);
  const DType dtype = x.dtype(), wide = compute_dtype(dtype);
  const Device device = x.device();
  const auto make = [&](const Shape& shape, DType of) { return empty(shape, {.dtype = of, .device = device}); };
  const Matrices inputs(x), weights(weight);
  const Tensor shift = bias.defined() ? row_major(bias, dtype) : Tensor(), targets = row_major(target, DType::int64);
  const bool recording = gradients.x.defined() || gradients.weight.defined() || gradients.bias.defined();
  for (const Tensor& sum : {gradients.weight, gradients.bias})
    if (sum.defined() && n == 0) fill(sum, 0);

  const Tensor by_class = class_weight.defined() ? row_major(class_weight, class_weight.dtype()) : Tensor();
  const ClassWeights factors = class_weights(attributes, by_class, classes);
  const std::int64_t stride = padded(classes, dtype);
  const std::int64_t chunk =
      std::max<std::int64_t>(1, std::min(chunk_rows(stride * static_cast<std::int64_t>(size_of(dtype))), n));
  const Tensor logits = make({chunk, stride}, dtype), losses = make({n}, wide), counts = make({n}, wide);
  const Tensor ones = gradients.bias.defined() ? make({chunk}, dtype) : Tensor();
  if (ones.defined()) fill(ones, 1);
  for (std::int64_t first = 0; first < n; first += chunk) {
    const std::int64_t rows = std::min(chunk, n - first);
    const Matrices x_rows(rows_of(inputs.tensor(), first, rows));
    Gemm to_logits = product(rows, classes, width, dtype, dtype, device);
    to_logits.a = x_rows.operand(), to_logits.b = weights.operand(), to_logits.ldc = stride;
    to_logits.b.transposed = !to_logits.b.transposed;
    if (shift.defined()) to_logits.epilogue.bias = shift.raw_data();
    run_gemm(to_logits, x_rows.data(), weights.data(), logits.raw_data());

    dispatch<floating>(dtype, "linear_cross_entropy", [&]<class X> {
      using T = Compute<X>;
      cuda::launch("linear_cross_entropy", {dim3(static_cast<unsigned>(rows)), dim3(cuda::threads_for(classes))},
                   linear_cross_entropy_kernel<X>, logits.data<X>(), stride, classes,
                   targets.data<std::int64_t>() + first, factors, recording, losses.data<T>() + first,
                   counts.data<T>() + first, fault);
    });
    if (gradients.x.defined()) {
      Gemm to_x = product(rows, width, classes, dtype, wide, device);
      to_x.a = {stride, false}, to_x.b = weights.operand();
      run_gemm(to_x, logits.raw_data(), weights.data(), rows_of(gradients.x, first, rows).raw_data());
    }
    if (gradients.weight.defined()) {
      Gemm to_weight = product(classes, width, rows, dtype, wide, device);
      to_weight.a = {stride, true}, to_weight.b = x_rows.operand();
      to_weight.accumulate = first > 0;
      run_gemm(to_weight, logits.raw_data(), x_rows.data(), gradients.weight.raw_data());
    }
    if (gradients.bias.defined()) {
      Gemm to_bias = product(1, classes, rows, dtype, wide, device);
      to_bias.a = {rows, false}, to_bias.b = {stride, false};
      to_bias.accumulate = first > 0;
      run_gemm(to_bias, ones.raw_data(), logits.raw_data(), gradients.bias.raw_data());
    }
  }
  dispatch<full_floating>(wide, "linear_cross_entropy", [&]<class T> {
    cuda::launch("add_losses", {dim3(1), dim3(512)}, add_losses_kernel<T>, losses.data<T>(), counts.data<T>(), n,
                 attributes.reduction == Reduction::mean, loss.raw_data(), loss.dtype(),
                 total.defined() ? total.data<double>() : nullptr);
  });
}

}  // namespace minima::detail
