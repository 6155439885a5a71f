#include <minima/ops/loss/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

// The loss of a linear layer whose logits, rows × classes, would not fit into memory. Rows are taken in chunks: their
// logits become losses and, where a gradient is wanted, slopes in their place, which are multiplied into the gradients
// of x, weight and bias before the next chunk overwrites them. The backward pass then only scales these gradients.

namespace minima::detail {

namespace {

/// Rows of logits per chunk: about 16 MiB of float32, and enough rows for an efficient product. The weight's gradient
/// is read and written for each chunk, so up to 512 rows are taken if their logits are no larger than that.
std::int64_t chunk_rows(std::int64_t classes, std::int64_t width) {
  const std::int64_t rows = (std::int64_t{4} << 20) / std::max<std::int64_t>(1, classes);
  return std::max({std::int64_t{64}, rows, std::min(width, std::int64_t{512})});
}

Tensor rows_of(const Tensor& x, std::int64_t first, std::int64_t count) {
  return alias(x, x.layout().sliced(0, first, first + count, 1));
}

/// sums[c] += Σ rows of x [n, C], in row order.
template <class T>
void add_columns(const Tensor& x, const Tensor& sums) {
  const std::int64_t rows = x.size(0), columns = x.size(1);
  const T* const values = x.data<T>();
  T* const to = sums.data<T>();
  parallel_for(0, columns, grain_for(0.5 * static_cast<double>(rows)), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t c = first; c < last; ++c) to[c] += values[row * columns + c];
  });
}

}  // namespace

void linear_cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                     const Tensor& bias, const Tensor& target, const Tensor& class_weight, Tensor& loss,
                                     const LinearCrossEntropyGradients& gradients, double& total) {
  const std::int64_t n = x.size(0), classes = weight.size(0), width = weight.size(1);
  const DType wide = compute_dtype(x.dtype());
  const Matrices inputs(x), weights(weight);
  const Tensor shift = bias.defined() ? row_major(bias, wide) : Tensor();
  const bool recording = gradients.x.defined() || gradients.weight.defined() || gradients.bias.defined();
  for (const Tensor& sum : {gradients.weight, gradients.bias})
    if (sum.defined() && sum.numel() > 0)
      std::memset(sum.raw_data(), 0, static_cast<std::size_t>(sum.numel()) * sum.itemsize());

  const CrossEntropyAttributes by_sum{attributes.ignore_index, Reduction::sum, attributes.smoothing};
  const std::int64_t chunk = std::min(chunk_rows(classes, width), n);
  const Tensor logits = empty({chunk, classes}, {.dtype = wide});
  double loss_sum = 0;
  total = 0;
  for (std::int64_t first = 0; first < n; first += chunk) {
    const std::int64_t rows = std::min(chunk, n - first);
    const Tensor part = rows_of(logits, 0, rows), targets = rows_of(target, first, rows);
    const Matrices x_rows(rows_of(inputs.tensor(), first, rows));
    Gemm product{.m = rows,
                 .n = classes,
                 .k = width,
                 .a = x_rows.operand(),
                 .b = weights.operand(),
                 .ldc = classes,
                 .dtype = wide,
                 .c_dtype = wide};
    product.b.transposed = !product.b.transposed;
    if (shift.defined()) product.epilogue.bias = shift.raw_data();
    run_gemm(product, x_rows.data(), weights.data(), part.raw_data());

    Tensor part_loss = empty(Shape{}, {.dtype = wide}), max_sum = empty({2, rows}, {.dtype = wide});
    Tensor part_total = empty(Shape{}, {.dtype = DType::float64});
    cross_entropy_kernel_cpu(by_sum, part, targets, class_weight, part_loss, max_sum, part_total);
    loss_sum += part_loss.item<double>();
    total += part_total.item<double>();
    if (!recording) continue;

    Tensor slope = part;
    cross_entropy_gradient_kernel_cpu(by_sum, full(Shape{}, 1, {.dtype = wide}), part, targets, class_weight, max_sum,
                                      part_total, slope);
    if (gradients.x.defined()) {
      const Gemm to_x{.m = rows,
                      .n = width,
                      .k = classes,
                      .a = {.ld = classes},
                      .b = weights.operand(),
                      .ldc = width,
                      .dtype = wide,
                      .c_dtype = wide};
      run_gemm(to_x, slope.raw_data(), weights.data(), rows_of(gradients.x, first, rows).raw_data());
    }
    if (gradients.weight.defined()) {
      const Gemm to_weight{.m = classes,
                           .n = width,
                           .k = rows,
                           .a = {.ld = classes, .transposed = true},
                           .b = x_rows.operand(),
                           .ldc = width,
                           .dtype = wide,
                           .c_dtype = wide,
                           .accumulate = true};
      run_gemm(to_weight, slope.raw_data(), x_rows.data(), gradients.weight.raw_data());
    }
    if (gradients.bias.defined())
      dispatch<full_floating>(wide, "linear_cross_entropy", [&]<class T> { add_columns<T>(slope, gradients.bias); });
  }
  const double value = attributes.reduction == Reduction::mean ? loss_sum / total : loss_sum;
  copy_kernel_cpu(from_vector<double>({value}, {}), loss);
}

}  // namespace minima::detail
