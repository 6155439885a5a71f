#include <minima/ops/product/products.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/flip.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace minima {

namespace {

void expect(const char* op, bool fits, const char* needs, const Tensor& a, const Tensor& b) {
  if (!fits) throw ShapeError(str(op, ": needs ", needs, ", got ", a, " and ", b));
}

void expect_floating(const char* op, const Tensor& a, const Tensor& b) {
  if (!is_floating(a.dtype()) || a.dtype() != b.dtype())
    throw DTypeError(
        str(op, ": needs two floating tensors of one dtype, got ", a, " and ", b, "; convert them with to()"));
}

void check_product(const char* op, const Tensor& a, const Tensor& b, int first = 0) {
  detail::check_defined(op, a, first);
  detail::check_defined(op, b, first + 1);
}

/// Both in the wider dtype of an autocast region.
std::array<Tensor, 2> widest(const Tensor& a, const Tensor& b) {
  std::array<Tensor, 2> both{a, b};
  if (detail::mode().autocast) detail::autocast_inputs(Cast::widest, both.data(), both.size());
  return both;
}

Tensor lower(const Tensor& x) { return detail::autocast(Cast::to_lower, x); }

/// β·x + α·product.
Tensor added(const char* op, const Tensor& x, const Tensor& product, double beta, double alpha) {
  if (!is_floating(x.dtype()) || x.dtype() != product.dtype())
    throw DTypeError(
        str(op, ": x must have the dtype of the product, ", product.dtype(), ", got ", x, "; convert it with to()"));
  if (broadcast(x.shape(), product.shape(), op) != product.shape())
    throw ShapeError(str(op, ": x must broadcast to the shape of the product, ", product.shape(), ", got ", x));
  return detail::in_common(
      [&](const Tensor& term, const Tensor& products) {
        Tensor scaled = alpha == 1 ? products : products * alpha;
        if (beta == 0) return scaled;
        return (beta == 1 ? term : term * beta) + scaled;
      },
      x, product);
}

/// In one pass, of tensors of one shape and floating dtype.
struct Cross {
  static constexpr Traits traits{.name = "cross"};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  TensorSpec result(const Tensor& a, const Tensor&) const { return spec_of(a.shape(), a.dtype(), a.device()); }
  Cost cost(const Tensor& a, const Tensor&) const {
    const auto count = static_cast<double>(a.numel());
    return {.flops = 3 * count, .bytes = 3 * count * static_cast<double>(a.itemsize())};
  }
  void cpu(const Tensor& a, const Tensor& b, Tensor& y) const {
    const Layout rows = Layout::contiguous(a.shape());
    detail::cross_kernel_cpu(detail::arranged(a, rows), detail::arranged(b, rows), dim, y);
  }
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 0> b, Needs needs) const {
    return {needs[0] ? apply(*this, b, g) : Tensor(), needs[1] ? apply(*this, g, a) : Tensor()};
  }
};

using Product = Tensor (*)(const char* op, const Tensor& a, const Tensor& b);

Tensor sum_over_batch(const Tensor& products) { return sum(products, {0}); }

Tensor vectors(const char* op, const Tensor& a, const Tensor& b) {
  expect(op, a.rank() == 1 && b.rank() == 1 && a.shape() == b.shape(), "two vectors of one length", a, b);
  expect_floating(op, a, b);
  return matmul(a, b);
}
Tensor by_vector(const char* op, const Tensor& a, const Tensor& b) {
  expect(op, a.rank() == 2 && b.rank() == 1 && a.shape()[1] == b.shape()[0], "a [N, M] and b [M]", a, b);
  expect_floating(op, a, b);
  return matmul(a, b);
}
Tensor by_matrix(const char* op, const Tensor& a, const Tensor& b) {
  expect(op, a.rank() == 2 && b.rank() == 2 && a.shape()[1] == b.shape()[0], "a [N, K] and b [K, M]", a, b);
  expect_floating(op, a, b);
  return matmul(a, b);
}
Tensor by_matrices(const char* op, const Tensor& a, const Tensor& b) {
  expect(op, a.rank() == 3 && b.rank() == 3 && a.shape()[0] == b.shape()[0] && a.shape()[2] == b.shape()[1],
         "a [B, N, K] and b [B, K, M]", a, b);
  expect_floating(op, a, b);
  return matmul(a, b);
}
Tensor of_vectors(const char* op, const Tensor& a, const Tensor& b) {
  expect(op, a.rank() == 1 && b.rank() == 1, "two vectors", a, b);
  return unsqueeze(a, 1) * unsqueeze(b, 0);
}

Tensor product(const char* op, Product of, const Tensor& a, const Tensor& b) {
  check_product(op, a, b);
  const Tensor left = lower(a), right = lower(b);
  const detail::WithoutAutocast guard;
  return of(op, left, right);
}

Tensor product_added(const char* op, Product of, const Tensor& x, const Tensor& a, const Tensor& b, double beta,
                     double alpha, Tensor (*reduced)(const Tensor&) = nullptr) {
  detail::check_defined(op, x);
  check_product(op, a, b, 1);
  const Tensor to = lower(x), left = lower(a), right = lower(b);
  const detail::WithoutAutocast guard;
  const auto sum_of = [&](const Tensor& term, const Tensor& by, const Tensor& with) {
    const Tensor y = of(op, by, with);
    return added(op, term, reduced ? reduced(y) : y, beta, alpha);
  };
  // The CPU computes products of half types in float32 anyhow; the sum is then rounded once.
  const DType dtype = to.dtype();
  const bool stays_wide = is_half(dtype) && left.dtype() == dtype && right.dtype() == dtype && !detail::on_cuda(left);
  return stays_wide ? detail::in_common(sum_of, to, left, right) : sum_of(to, left, right);
}

}  // namespace

Tensor mv(const Tensor& a, const Tensor& b) { return product("mv", by_vector, a, b); }
Tensor mm(const Tensor& a, const Tensor& b) { return product("mm", by_matrix, a, b); }
Tensor bmm(const Tensor& a, const Tensor& b) { return product("bmm", by_matrices, a, b); }

Tensor addmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return product_added("addmm", by_matrix, x, a, b, beta, alpha);
}
Tensor addmv(const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return product_added("addmv", by_vector, x, a, b, beta, alpha);
}
Tensor addr(const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return product_added("addr", of_vectors, x, a, b, beta, alpha);
}
Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return product_added("baddbmm", by_matrices, x, a, b, beta, alpha);
}
Tensor addbmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return product_added("addbmm", by_matrices, x, a, b, beta, alpha, sum_over_batch);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_product("outer", a, b);
  return of_vectors("outer", a, b);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_product("dot", a, b);
  const auto [left, right] = widest(a, b);
  const detail::WithoutAutocast guard;
  return vectors("dot", left, right);
}

Tensor inner(const Tensor& a, const Tensor& b) {
  check_product("inner", a, b);
  const auto [left, right] = widest(a, b);
  const detail::WithoutAutocast guard;
  expect_floating("inner", left, right);
  if (a.rank() == 0 || b.rank() == 0) return left * right;
  expect("inner", a.shape().back() == b.shape().back(), "equal last dimensions", a, b);
  return tensordot(left, right, {-1}, {-1});
}

Tensor tensordot(const Tensor& a, const Tensor& b, std::int64_t count) {
  check_product("tensordot", a, b);
  if (count < 0 || count > std::min(a.rank(), b.rank()))
    throw ValueError(
        str("tensordot: count must be between 0 and the ranks of a and b, got ", count, " for ", a, " and ", b));
  Shape dims_a, dims_b;
  for (int i = 0; i < count; ++i) {
    dims_a.push_back(a.rank() - count + i);
    dims_b.push_back(i);
  }
  return tensordot(a, b, dims_a, dims_b);
}

Tensor tensordot(const Tensor& a, const Tensor& b, const Shape& dims_a, const Shape& dims_b) {
  constexpr const char* op = "tensordot";
  check_product(op, a, b);
  const auto [left, right] = widest(a, b);
  const detail::WithoutAutocast guard;
  expect_floating(op, left, right);
  if (dims_a.rank() != dims_b.rank())
    throw ValueError(str(op, ": needs as many dimensions of a as of b, got ", dims_a, " and ", dims_b));
  const auto contains = [](const Shape& dims, int dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  };
  Shape from_a, from_b;
  for (int i = 0; i < dims_a.rank(); ++i) {
    if (a.rank() == 0 || b.rank() == 0)
      throw IndexError(str(op, ": a scalar has no dimension to sum over, got ", a, " and ", b));
    const int of_a = wrap_dim(dims_a[i], a.rank(), op), of_b = wrap_dim(dims_b[i], b.rank(), op);
    if (contains(from_a, of_a) || contains(from_b, of_b))
      throw ValueError(str(op, ": a dimension appears twice in ", dims_a, " or ", dims_b));
    expect(op, a.shape()[of_a] == b.shape()[of_b], "equal sizes of the dimensions that are summed", a, b);
    from_a.push_back(of_a);
    from_b.push_back(of_b);
  }
  // [free, summed] × [summed, free]
  Shape order_a, order_b = from_b, result;
  std::int64_t summed = 1, free_a = 1, free_b = 1;
  for (int d = 0; d < a.rank(); ++d) {
    if (contains(from_a, d)) continue;
    order_a.push_back(d), result.push_back(a.shape()[d]);
    free_a *= a.shape()[d];
  }
  for (const std::int64_t d : from_a) {
    order_a.push_back(d);
    summed *= a.shape()[static_cast<int>(d)];
  }
  for (int d = 0; d < b.rank(); ++d) {
    if (contains(from_b, d)) continue;
    order_b.push_back(d), result.push_back(b.shape()[d]);
    free_b *= b.shape()[d];
  }
  return reshape(
      matmul(reshape(permute(left, order_a), {free_a, summed}), reshape(permute(right, order_b), {summed, free_b})),
      result);
}

Tensor kron(const Tensor& a, const Tensor& b) {
  check_product("kron", a, b);
  const int rank = std::max(a.rank(), b.rank());
  Shape left, right, result;
  for (int d = 0; d < rank; ++d) {
    const int of_a = d - (rank - a.rank()), of_b = d - (rank - b.rank());
    const std::int64_t rows = of_a < 0 ? 1 : a.shape()[of_a], columns = of_b < 0 ? 1 : b.shape()[of_b];
    left.push_back(rows), left.push_back(1);
    right.push_back(1), right.push_back(columns);
    result.push_back(detail::fit(detail::Wide{rows} * columns, "kron"));
  }
  Tensor by = reshape(a, left), of = reshape(b, right);
  if (const int last = 2 * rank - 1; rank > 1 && left[last - 3] > 3 && right[last - 2] > 3) {  // make the rows long
    Shape row = left;
    row[last] = right[last];
    Shape merged = left;
    merged.resize(last);
    merged[last - 1] = left[last - 1] * right[last];
    by = reshape(expand(by, row), merged);
    row = right, row[last - 1] = left[last - 1];
    merged = right;
    merged.resize(last);
    merged[last - 1] = row[last - 1] * row[last];
    of = reshape(expand(of, row), merged);
  }
  return reshape(by * of, result);
}

Tensor cross(const Tensor& a, const Tensor& b, std::int64_t dim) {
  constexpr const char* op = "cross";
  check_product(op, a, b);
  const auto [left, right] = widest(a, b);
  const Shape shape = broadcast(a.shape(), b.shape(), op);
  const int along = wrap_dim(dim, shape.rank(), op);
  expect(op, shape.rank() > 0 && shape[along] == 3, "three elements along the dimension", a, b);
  if (a.dtype() == DType::boolean && b.dtype() == DType::boolean)
    throw DTypeError(str(op, ": bool is not supported, got ", a, " and ", b, "; convert them with to()"));
  if (is_floating(left.dtype()) && left.dtype() == right.dtype() && !detail::on_cuda(left))
    return apply(Cross{along}, expand(left, shape), expand(right, shape));
  return detail::in_common(
      [&](const Tensor& of, const Tensor& by) {
        const Tensor x = expand(of, shape), y = expand(by, shape);
        return roll(x, -1, along) * roll(y, -2, along) - roll(x, -2, along) * roll(y, -1, along);
      },
      left, right);
}

Tensor trace(const Tensor& x) {
  detail::check_defined("trace", x);
  if (x.rank() != 2) throw ShapeError(str("trace: x must be a matrix, got ", x));
  const detail::WithoutAutocast guard;
  return sum(diagonal(x));
}

Tensor vander(const Tensor& x, std::int64_t n, bool increasing) {
  detail::check_defined("vander", x);
  if (x.rank() != 1) throw ShapeError(str("vander: x must be a vector, got ", x));
  if (n < -1) throw ValueError(str("vander: n must not be negative, got ", n));
  const detail::WithoutAutocast guard;
  const std::int64_t rows = x.numel(), columns = n == -1 ? rows : n;
  const Tensor base = is_floating(x.dtype()) ? x : cast(x, DType::int64);
  const TensorOptions like_x{.dtype = base.dtype(), .device = base.device()};
  if (columns == 0) return zeros({rows, 0}, like_x);
  const Tensor powers = cumprod(cat({ones({rows, 1}, like_x), expand(unsqueeze(base, 1), {rows, columns - 1})}, 1), 1);
  return increasing ? powers : flip(powers, {1});
}

}  // namespace minima
