#include <minima/ops/product/kernels.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

/// The offset of each matrix of the broadcast batch, in elements from the first.
std::vector<std::int64_t> batch_offsets(const Layout& layout, const Shape& batch) {
  const int own = layout.rank() - 2;
  std::vector<std::int64_t> offsets{0};
  for (int i = 0; i < batch.rank(); ++i) {
    const int dim = i - (batch.rank() - own);
    const std::int64_t stride = dim < 0 || layout.shape[dim] == 1 ? 0 : layout.strides[dim];
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(batch[i]));
    for (const std::int64_t offset : offsets)
      for (std::int64_t k = 0; k < batch[i]; ++k) next.push_back(offset + k * stride);
    offsets = std::move(next);
  }
  return offsets;
}

Gemm describe_product(const Matrices& a, const Matrices& b, const Tensor& y) {
  const Shape& left = a.tensor().shape();
  const Shape& right = b.tensor().shape();
  return {.m = left[left.rank() - 2],
          .n = right.back(),
          .k = left.back(),
          .a = a.operand(),
          .b = b.operand(),
          .ldc = right.back(),
          .dtype = product_dtype(a.tensor()),
          .c_dtype = y.dtype(),
          .on_cuda = on_cuda(y),
          .device = y.device()};
}

}  // namespace

void matmul_kernel(const Tensor& given_a, const Tensor& given_b, const Tensor& y) {
  if (y.numel() == 0) return;
  Tensor left = given_a.rank() > 1 ? given_a : alias(given_a, given_a.layout().unsqueezed(0));
  const Tensor right = given_b.rank() > 1 ? given_b : alias(given_b, given_b.layout().unsqueezed(1));
  // A single matrix on the right: all rows of the batch form one tall product, if strides allow.
  Layout tall;
  const bool one_right = numel(right.shape()) == right.shape().back() * right.shape()[right.rank() - 2];
  if (left.rank() > 2 && one_right &&
      left.layout().try_reshape({y.numel() / right.shape().back(), left.shape().back()}, tall))
    left = alias(left, tall);

  const Matrices a(left), b(right);
  const Gemm gemm = describe_product(a, b, y);
  if (gemm.m * gemm.n == y.numel()) return run_gemm(gemm, a.data(), b.data(), y.raw_data());

  Shape batch_a = a.tensor().shape(), batch_b = b.tensor().shape();
  batch_a.resize(batch_a.rank() - 2);
  batch_b.resize(batch_b.rank() - 2);
  const Shape batch = broadcast(batch_a, batch_b, "matmul");
  const auto at_a = batch_offsets(a.tensor().layout(), batch), at_b = batch_offsets(b.tensor().layout(), batch);
  std::vector<GemmPointers> products;
  products.reserve(at_a.size());
  const std::int64_t step = gemm.m * gemm.n * static_cast<std::int64_t>(y.itemsize());
  for (std::size_t i = 0; i < at_a.size(); ++i)
    products.push_back(
        {a.data(at_a[i]), b.data(at_b[i]), static_cast<char*>(y.raw_data()) + static_cast<std::int64_t>(i) * step});
  run_gemm(gemm, products);
}

}  // namespace minima::detail
