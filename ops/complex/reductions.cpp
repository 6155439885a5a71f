#include <minima/ops/complex/complex.h>
#include <minima/ops/complex/kernels.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/complex/parts.h>

#include <cstdint>

namespace minima {

using detail::copy_values;
using detail::part_of;

namespace {

struct ComplexSum {
  static constexpr Traits traits{.name = "sum"};
  Shape dims;
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }

  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced_shape(x.shape(), dims, keep_dim), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 2 * count, .bytes = count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { run(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { run(x, y); }
  Tensor gradient(Grad g, Spec<0> x) const {
    return expand(reshape(g, reduced_shape(x.shape(), dims, true)), x.shape());
  }

 private:
  void run(const Tensor& x, Tensor& y) const {
    if (dims.rank() == 0) return copy_values(x, y);
    for (const int part : {0, 1}) copy_values(sum(part_of(x, part), dims, keep_dim), part_of(y, part));
  }
};

/// Matrices on the CPU have kernels of their own; otherwise (a + ib)·(c + id) is four real products.
struct ComplexMatmul {
  static constexpr Traits traits{.name = "matmul"};

  TensorSpec result(const Tensor& a, const Tensor& b) const { return detail::matmul_spec(a, b); }
  Cost cost(const Tensor& a, const Tensor& b) const {
    const auto outputs = static_cast<double>(result(a, b).numel());
    return {.flops = 8 * outputs * static_cast<double>(a.shape().back()),
            .bytes = (static_cast<double>(a.numel()) + static_cast<double>(b.numel()) + outputs) *
                     static_cast<double>(a.itemsize())};
  }
  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const {
    const std::int64_t inner = a.shape().back();
    if (a.rank() < 2 || b.rank() < 2 || y.numel() == 0 || inner == 0) return run(a, b, y);
    const std::int64_t rows = y.size(-2), columns = y.size(-1);
    constexpr std::int64_t small = std::int64_t{64} * 64 * 64;
    if (rows * columns * inner > small) return detail::complex_products_cpu(a, b, y);
    const auto batch = [&](const Tensor& x, std::int64_t height, std::int64_t width) {
      Shape shape = y.shape();
      shape[y.rank() - 2] = height, shape[y.rank() - 1] = width;
      return reshape(contiguous(expand(x, shape)), {-1, height, width});
    };
    detail::small_complex_products_cpu(batch(a, rows, inner), batch(b, inner, columns), y);
  }
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const { run(a, b, y); }

  // dA = dY·Bᴴ and dB = Aᴴ·dY; the engine sums over broadcast leading dimensions.
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 0> b, Needs needs) const {
    const bool row = a.shape().rank() == 1, column = b.shape().rank() == 1;
    Tensor by_y = column ? unsqueeze(g, -1) : Tensor(g);
    if (row) by_y = unsqueeze(by_y, -2);
    Gradients<2> gradients;
    if (needs[0]) {
      const Tensor by_a = matmul(by_y, adjoint(column ? unsqueeze(b, -1) : Tensor(b)));
      gradients[0] = row ? reshape(sum_to(by_a, Shape{1, a.shape()[0]}), a.shape()) : by_a;
    }
    if (needs[1]) {
      const Tensor by_b = matmul(adjoint(row ? unsqueeze(a, 0) : Tensor(a)), by_y);
      gradients[1] = column ? reshape(sum_to(by_b, Shape{b.shape()[0], 1}), b.shape()) : by_b;
    }
    return gradients;
  }

 private:
  static Tensor adjoint(const Tensor& x) { return conj(transpose(x, -1, -2)); }
  static void run(const Tensor& a, const Tensor& b, Tensor& y) {
    const Tensor ar = contiguous(part_of(a, 0)), ai = contiguous(part_of(a, 1));
    const Tensor br = contiguous(part_of(b, 0)), bi = contiguous(part_of(b, 1));
    copy_values(matmul(ar, br) - matmul(ai, bi), part_of(y, 0));
    copy_values(matmul(ar, bi) + matmul(ai, br), part_of(y, 1));
  }
};

}  // namespace

namespace complex_ops {

Tensor sum(const Tensor& x, const Shape& dims, bool keep_dim) { return apply(ComplexSum{dims, keep_dim}, x); }

Tensor mean(const Tensor& x, const Shape& dims, bool keep_dim) {
  return apply(ComplexSum{dims, keep_dim}, x) / reduced_count(x.shape(), dims);
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  detail::check_defined("matmul", a);
  detail::check_defined("matmul", b, 1);
  if (!is_complex(a) || !is_complex(b)) {
    const bool floats = is_differentiable(a.dtype()) && is_differentiable(b.dtype());
    if (!floats || real_dtype(a.dtype()) != real_dtype(b.dtype()))
      throw DTypeError(str("matmul: dtypes differ: a ", a, " × b ", b, "; convert one with to()"));
  }
  if (is_complex(a) && is_complex(b) && a.dtype() != b.dtype())
    throw DTypeError(str("matmul: dtypes differ: a ", a, " × b ", b, "; convert one with to()"));
  const DType dtype = promote(a.dtype(), b.dtype());
  return apply(ComplexMatmul{}, cast(a, dtype), cast(b, dtype));
}

}  // namespace complex_ops

}  // namespace minima
