#include <minima/ops/product/matmul.h>

#include <minima/ops/core/complex_ops.h>
#include <minima/ops/op.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

TensorSpec detail::matmul_spec(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0)
    throw ShapeError(str("matmul: needs at least one dimension each: a ", a.shape(), " × b ", b.shape(),
                         "; multiply scalars with *"));
  const std::int64_t inner = b.rank() == 1 ? b.shape()[0] : b.shape()[b.rank() - 2];
  if (a.shape().back() != inner)
    throw ShapeError(str("matmul: inner sizes differ: a ", a.shape(), " × b ", b.shape(),
                         b.rank() > 1 && a.shape().back() == b.shape().back() ? "; transpose b?" : ""));
  Shape batch_a = a.shape(), batch_b = b.shape();
  batch_a.resize(a.rank() > 2 ? a.rank() - 2 : 0);
  batch_b.resize(b.rank() > 2 ? b.rank() - 2 : 0);
  Shape shape = broadcast(batch_a, batch_b, "matmul");
  if (a.rank() > 1) shape.push_back(a.shape()[a.rank() - 2]);
  if (b.rank() > 1) shape.push_back(b.shape().back());
  return spec_of(shape, a.dtype(), a.device());
}

namespace {

/// [.., M, K] → [.., K, M]
Tensor flipped(const Tensor& x) { return transpose(x, -1, -2); }

/// [.., M, K] → [.. · M, K]
Tensor as_rows(const Tensor& x) {
  if (x.rank() == 2) return x;
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  return reshape(x, {rows, x.shape().back()});
}

struct Matmul {
  static constexpr Traits traits{.name = "matmul", .autocast = Cast::to_lower};

  TensorSpec result(const Tensor& a, const Tensor& b) const {
    if (a.dtype() != b.dtype())
      throw DTypeError(str("matmul: dtypes differ: a ", a, " × b ", b, "; convert one with to()"));
    if (!is_floating(a.dtype()))
      throw DTypeError(str("matmul: needs floating dtypes, got a ", a, " × b ", b, "; convert them with to()"));
    return detail::matmul_spec(a, b);
  }

  Cost cost(const Tensor& a, const Tensor& b) const {
    const auto outputs = static_cast<double>(result(a, b).numel());
    const auto elements = static_cast<double>(a.numel()) + static_cast<double>(b.numel()) + outputs;
    return {.flops = 2 * outputs * static_cast<double>(a.shape().back()),
            .bytes = elements * static_cast<double>(a.itemsize())};
  }

  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const { detail::matmul_kernel(a, b, y); }
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const { detail::matmul_kernel(a, b, y); }

  // With Y = A·B: dA = dY·Bᵀ and dB = Aᵀ·dY. The engine sums over broadcast leading dimensions.
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 0> b, Spec<0> like_a, Spec<1> like_b, Needs needs) const {
    const bool row = like_a.shape().rank() == 1, column = like_b.shape().rank() == 1;
    Tensor by_y = row ? unsqueeze(g, column ? -1 : -2) : g;
    if (column) by_y = unsqueeze(by_y, -1);
    Gradients<2> gradients;
    if (needs[0]) {
      const Tensor by_a = matmul(by_y, flipped(column ? unsqueeze(b, -1) : b));
      gradients[0] = row ? sum_to(by_a, Shape{1, like_a.shape()[0]}) : by_a;
      if (row) gradients[0] = reshape(gradients[0], like_a.shape());
    }
    if (needs[1]) gradients[1] = gradient_of_b(by_y, row ? unsqueeze(a, 0) : a, like_b.shape());
    return gradients;
  }

 private:
  static Tensor gradient_of_b(const Tensor& g, const Tensor& a, const Shape& b) {
    if (b.rank() > 2) return matmul(flipped(a), g);
    // One b for the whole batch: the sum over the batch is part of one product.
    return reshape(matmul(flipped(as_rows(a)), as_rows(g)), b);
  }
};

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  return detail::any_complex(a, b) ? complex_ops::matmul(a, b) : apply(Matmul{}, a, b);
}

}  // namespace minima
