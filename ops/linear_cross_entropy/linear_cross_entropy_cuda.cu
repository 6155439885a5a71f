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
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

/// Rows of logits per chunk: up to 56 MiB of float32, rounded to whole tiles of the product if more than one.
std::int64_t chunk_rows(std::int64_t classes) {
  constexpr std::int64_t tile = 128, least = 64;
  const std::int64_t rows = (std::int64_t{14} << 20) / std::max<std::int64_t>(1, classes);
  return rows > tile ? rows / tile * tile : std::max(rows, least);
}

Tensor rows_of(const Tensor& x, std::int64_t first, std::int64_t count) {
  return alias(x, x.layout().sliced(0, first, first + count, 1));
}
/// Element i of a vector as a scalar.
Tensor element_of(const Tensor& x, std::int64_t i) {
  return alias(x, Layout{Shape{}, Strides{}, x.layout().offset + i});
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
  const PurposeGuard purpose(Purpose::temporaries);
  const std::int64_t n = x.size(0), classes = weight.size(0), width = weight.size(1);
  const DType narrow = x.dtype(), wide = compute_dtype(narrow);
  const Device device = x.device();
  const auto make = [&](const Shape& shape, DType dtype) { return empty(shape, {.dtype = dtype, .device = device}); };
  const Matrices inputs(x), weights(weight);
  const Tensor shift = bias.defined() ? row_major(bias, wide) : Tensor();
  const bool recording = gradients.x.defined() || gradients.weight.defined() || gradients.bias.defined();
  for (const Tensor& sum : {gradients.weight, gradients.bias})
    if (sum.defined() && n == 0) fill(sum, 0);

  const CrossEntropyAttributes by_sum{attributes.ignore_index, Reduction::sum, attributes.smoothing};
  const std::int64_t chunk = std::max<std::int64_t>(1, std::min(chunk_rows(classes), n)),
                     chunks = (n + chunk - 1) / chunk;
  const Tensor logits = make({chunk, classes}, wide), max_sums = make({2 * chunk}, wide);
  // Products read x's dtype, as a backward pass through stored logits would.
  const Tensor slopes = !recording ? Tensor() : narrow == wide ? logits : make({chunk, classes}, narrow);
  const Tensor losses = make({chunks}, DType::float64), counts = make({chunks}, DType::float64);
  const Tensor one = recording ? make(Shape{}, wide) : Tensor(),
               ones = gradients.bias.defined() ? make({chunk}, narrow) : Tensor();
  for (const Tensor& filled : {one, ones})
    if (filled.defined()) fill(filled, 1);
  for (std::int64_t first = 0, i = 0; first < n; first += chunk, ++i) {
    const std::int64_t rows = std::min(chunk, n - first);
    const Tensor part = rows_of(logits, 0, rows), targets = rows_of(target, first, rows);
    const Matrices x_rows(rows_of(inputs.tensor(), first, rows));
    Gemm to_logits = product(rows, classes, width, narrow, wide, device);
    to_logits.a = x_rows.operand(), to_logits.b = weights.operand();
    to_logits.b.transposed = !to_logits.b.transposed;
    if (shift.defined()) to_logits.epilogue.bias = shift.raw_data();
    run_gemm(to_logits, x_rows.data(), weights.data(), part.raw_data());

    Tensor part_loss = element_of(losses, i), part_count = element_of(counts, i),
           max_sum = rows_of(max_sums, 0, 2 * rows);
    cross_entropy_kernel_cuda(by_sum, part, targets, class_weight, part_loss, max_sum, part_count);
    if (!recording) continue;

    Tensor slope = rows_of(slopes, 0, rows);
    cross_entropy_gradient_kernel_cuda(by_sum, one, part, targets, class_weight, max_sum, part_count, slope);
    if (gradients.x.defined()) {
      Gemm to_x = product(rows, width, classes, narrow, wide, device);
      to_x.a = {classes, false}, to_x.b = weights.operand();
      run_gemm(to_x, slope.raw_data(), weights.data(), rows_of(gradients.x, first, rows).raw_data());
    }
    if (gradients.weight.defined()) {
      Gemm to_weight = product(classes, width, rows, narrow, wide, device);
      to_weight.a = {classes, true}, to_weight.b = x_rows.operand();
      to_weight.accumulate = first > 0;
      run_gemm(to_weight, slope.raw_data(), x_rows.data(), gradients.weight.raw_data());
    }
    if (gradients.bias.defined()) {
      Gemm to_bias = product(1, classes, rows, narrow, wide, device);
      to_bias.a = {rows, false}, to_bias.b = {classes, false};
      to_bias.accumulate = first > 0;
      run_gemm(to_bias, ones.raw_data(), slope.raw_data(), gradients.bias.raw_data());
    }
  }
  cuda::launch("add_chunks", {dim3(1), dim3(1)}, add_chunks_kernel, losses.data<double>(), counts.data<double>(),
               chunks, attributes.reduction == Reduction::mean, loss.raw_data(), loss.dtype(),
               total.defined() ? total.data<double>() : nullptr);
}

}  // namespace minima::detail
