#include <minima/ops/product/products.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::products_test {
namespace {

using namespace test;

/// Σ_k a[b, n, k] · b[b, k, m] of matrices [B, N, K] and [B, K, M] under any shapes.
Doubles batched(const Doubles& a, const Doubles& b, std::int64_t batch, std::int64_t n, std::int64_t k, std::int64_t m,
                const Shape& shape) {
  Doubles y(shape);
  for (std::int64_t s = 0; s < batch; ++s)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t l = 0; l < k; ++l)
          y.values[static_cast<std::size_t>((s * n + i) * m + j)] +=
              a.values[static_cast<std::size_t>((s * n + i) * k + l)] *
              b.values[static_cast<std::size_t>((s * k + l) * m + j)];
  return y;
}

using Lists = const std::vector<Doubles>&;

Doubles vectors(Lists in) { return batched(in[0], in[1], 1, 1, in[0].shape[0], 1, {}); }
Doubles by_vector(Lists in) { return batched(in[0], in[1], 1, in[0].shape[0], in[0].shape[1], 1, {in[0].shape[0]}); }
Doubles by_matrix(Lists in) {
  const std::int64_t n = in[0].shape[0], m = in[1].shape[1];
  return batched(in[0], in[1], 1, n, in[0].shape[1], m, {n, m});
}
Doubles by_matrices(Lists in) {
  const Shape &a = in[0].shape, &b = in[1].shape;
  return batched(in[0], in[1], a[0], a[1], a[2], b[2], {a[0], a[1], b[2]});
}
Doubles outer_product(Lists in) {
  const std::int64_t n = in[0].shape[0], m = in[1].shape[0];
  return batched(in[0], in[1], 1, n, 1, m, {n, m});
}
Doubles over_batch(Lists in) {
  const Doubles all = by_matrices(in);
  return fold(all, {0}, false, 0, [](double a, double b) { return a + b; });
}

/// β·x + α·product of the other inputs.
auto added(Doubles (*product)(Lists), double beta, double alpha) {
  return [=](Lists in) {
    Doubles y = product({in[1], in[2]});
    const Doubles x = broadcast_to(in[0], y.shape);
    for (std::size_t i = 0; i < y.values.size(); ++i)
      y.values[i] = (beta == 0 ? 0 : beta * x.values[i]) + alpha * y.values[i];
    return y;
  };
}

OpCases product(OpCases cases) { return composed(std::move(cases)).autocast("lower precision").also_calls("matmul"); }

[[maybe_unused]] const bool dot_cases =
    composed(OpCases("dot"))
        .autocast("widest")
        .on([](In in) { return dot(in[0], in[1]); }, vectors)
        .pytorch("torch.dot")
        .contraction(5)
        .inputs(normal({5}), normal({5}))
        .inputs(normal({0}), normal({0}))
        .error<ShapeError>([] { dot(sized({2}), sized({3})); },
                           "dot: needs two vectors of one length, got float32 [2] and float32 [3]")
        .error<DTypeError>(
            [] { dot(sized({2}), sized({2}, float64)); },
            "dot: needs two floating tensors of one dtype, got float32 [2] and float64 [2]; convert them with to()")
        .check();

[[maybe_unused]] const bool inner_cases =
    composed(OpCases("inner"))
        .autocast("widest")
        .on([](In in) { return inner(in[0], in[1]); },
            [](Lists in) {
              const std::int64_t k = in[0].shape.back(), n = in[0].shape[0], m = in[1].numel() / (k == 0 ? 1 : k);
              Doubles y({n, m});
              for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < m; ++j)
                  for (std::int64_t l = 0; l < k; ++l) y[{i, j}] += in[0][{i, l}] * in[1][{j, l}];
              return y;
            })
        .pytorch("torch.inner")
        .contraction(4)
        .inputs(normal({3, 4}), normal({2, 4}))
        .inputs(normal({0, 4}), normal({2, 4}))
        .on([](In in) { return inner(in[0], in[1]); },
            [](Lists in) {
              Doubles y = in[0];
              for (double& value : y.values) value *= in[1].values[0];
              return y;
            },
            "scalar")
        .inputs(normal({3, 2}), normal({}))
        .error<ShapeError>([] { inner(sized({2, 3}), sized({2})); },
                           "inner: needs equal last dimensions, got float32 [2, 3] and float32 [2]")
        .error<DTypeError>(
            [] { inner(sized({2}, int64), sized({2}, int64)); },
            "inner: needs two floating tensors of one dtype, got int64 [2] and int64 [2]; convert them with to()")
        .check();

[[maybe_unused]] const bool outer_cases =
    composed(OpCases("outer"))
        .dtypes(all_dtypes())
        .on([](In in) { return outer(in[0], in[1]); }, outer_product)
        .pytorch("torch.outer")
        .inputs(normal({3}), normal({4}))
        .inputs(normal({0}), normal({4}))
        .error<ShapeError>([] { outer(sized({2}), sized({2, 1})); },
                           "outer: needs two vectors, got float32 [2] and float32 [2, 1]")
        .check();

[[maybe_unused]] const bool mv_cases =
    product(OpCases("mv"))
        .on([](In in) { return mv(in[0], in[1]); }, by_vector)
        .pytorch("torch.mv")
        .contraction(4)
        .inputs(normal({3, 4}), normal({4}))
        .inputs(normal({3, 0}), normal({0}))
        .error<ShapeError>([] { mv(sized({2, 3}), sized({2})); },
                           "mv: needs a [N, M] and b [M], got float32 [2, 3] and float32 [2]")
        .error<DTypeError>(
            [] { mv(sized({2, 2}, int64), sized({2}, int64)); },
            "mv: needs two floating tensors of one dtype, got int64 [2, 2] and int64 [2]; convert them with to()")
        .check();

[[maybe_unused]] const bool mm_cases =
    product(OpCases("mm"))
        .on([](In in) { return mm(in[0], in[1]); }, by_matrix)
        .pytorch("torch.mm")
        .contraction(4)
        .inputs(normal({3, 4}), normal({4, 2}))
        .inputs(normal({3, 0}), normal({0, 2}))
        .error<ShapeError>([] { mm(sized({2, 3}), sized({2, 3})); },
                           "mm: needs a [N, K] and b [K, M], got float32 [2, 3] and float32 [2, 3]")
        .error<DTypeError>([] { mm(sized({2, 2}), sized({2, 2}, float64)); },
                           "mm: needs two floating tensors of one dtype, got float32 [2, 2] and float64 [2, 2]; "
                           "convert them with to()")
        .check();

[[maybe_unused]] const bool bmm_cases =
    product(OpCases("bmm"))
        .on([](In in) { return bmm(in[0], in[1]); }, by_matrices)
        .pytorch("torch.bmm")
        .contraction(4)
        .inputs(normal({2, 3, 4}), normal({2, 4, 2}))
        .inputs(normal({0, 3, 4}), normal({0, 4, 2}))
        .error<ShapeError>([] { bmm(sized({1, 2, 3}), sized({2, 3, 2})); },
                           "bmm: needs a [B, N, K] and b [B, K, M], got float32 [1, 2, 3] and float32 [2, 3, 2]")
        .error<DTypeError>([] { bmm(sized({1, 2, 2}), sized({1, 2, 2}, float64)); },
                           "bmm: needs two floating tensors of one dtype, got float32 [1, 2, 2] and float64 [1, 2, 2]; "
                           "convert them with to()")
        .check();

[[maybe_unused]] const bool addmm_cases =
    product(OpCases("addmm"))
        .tolerance(4)
        .on([](In in) { return addmm(in[0], in[1], in[2], 0.5, 2); }, added(by_matrix, 0.5, 2), "weighted")
        .pytorch("lambda x, a, b: torch.addmm(x, a, b, beta=0.5, alpha=2)")
        .inputs(uniform({3, 2}, 0.5, 2), uniform({3, 4}, 0.5, 2), uniform({4, 2}, 0.5, 2))
        .inputs(uniform({2}, 0.5, 2), uniform({3, 4}, 0.5, 2), uniform({4, 2}, 0.5, 2))
        .inputs(uniform({2}, 0.5, 2), uniform({0, 4}, 0.5, 2), uniform({4, 2}, 0.5, 2))
        .on([](In in) { return addmm(in[0], in[1], in[2], 0); }, added(by_matrix, 0, 1), "without x")
        .inputs(given({2}, {NAN, INFINITY}), uniform({3, 4}, 0.5, 2), uniform({4, 2}, 0.5, 2))
        .error<ShapeError>([] { addmm(sized({3}), sized({3, 4}), sized({4, 2})); },
                           "addmm: shapes [3] and [3, 2] do not broadcast: sizes 3 and 2 differ and neither is 1")
        .error<ShapeError>([] { addmm(sized({3, 2}), sized({3, 4}), sized({3, 2})); },
                           "addmm: needs a [N, K] and b [K, M], got float32 [3, 4] and float32 [3, 2]")
        .error<DTypeError>(
            [] { addmm(sized({2}, float64), sized({3, 4}), sized({4, 2})); },
            "addmm: x must have the dtype of the product, float32, got float64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool addmv_cases =
    product(OpCases("addmv"))
        .tolerance(4)
        .on([](In in) { return addmv(in[0], in[1], in[2], 2, 0.5); }, added(by_vector, 2, 0.5))
        .pytorch("lambda x, a, b: torch.addmv(x, a, b, beta=2, alpha=0.5)")
        .inputs(uniform({3}, 0.5, 2), uniform({3, 4}, 0.5, 2), uniform({4}, 0.5, 2))
        .inputs(uniform({0}, 0.5, 2), uniform({0, 4}, 0.5, 2), uniform({4}, 0.5, 2))
        .error<ShapeError>([] { addmv(sized({2}), sized({3, 4}), sized({4})); },
                           "addmv: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>(
            [] { addmv(sized({3}, float64), sized({3, 4}), sized({4})); },
            "addmv: x must have the dtype of the product, float32, got float64 [3]; convert it with to()")
        .check();

[[maybe_unused]] const bool addr_cases =
    product(OpCases("addr"))
        .tolerance(4)
        .on([](In in) { return addr(in[0], in[1], in[2], 0.5, 2); }, added(outer_product, 0.5, 2))
        .pytorch("lambda x, a, b: torch.addr(x, a, b, beta=0.5, alpha=2)")
        .inputs(uniform({3, 4}, 0.5, 2), uniform({3}, 0.5, 2), uniform({4}, 0.5, 2))
        .inputs(uniform({4}, 0.5, 2), uniform({0}, 0.5, 2), uniform({4}, 0.5, 2))
        .error<ShapeError>([] { addr(sized({2}), sized({3, 4}), sized({4})); },
                           "addr: needs two vectors, got float32 [3, 4] and float32 [4]")
        .error<DTypeError>([] { addr(sized({4}, float64), sized({3}), sized({4})); },
                           "addr: x must have the dtype of the product, float32, got float64 [4]; convert it with to()")
        .check();

[[maybe_unused]] const bool baddbmm_cases =
    product(OpCases("baddbmm"))
        .tolerance(4)
        .on([](In in) { return baddbmm(in[0], in[1], in[2], 0.5, 2); }, added(by_matrices, 0.5, 2))
        .pytorch("lambda x, a, b: torch.baddbmm(x, a, b, beta=0.5, alpha=2)")
        .inputs(uniform({2, 3, 2}, 0.5, 2), uniform({2, 3, 4}, 0.5, 2), uniform({2, 4, 2}, 0.5, 2))
        .inputs(uniform({0, 3, 2}, 0.5, 2), uniform({0, 3, 4}, 0.5, 2), uniform({0, 4, 2}, 0.5, 2))
        .error<ShapeError>([] { baddbmm(sized({1}), sized({1, 2, 3}), sized({2, 3, 2})); },
                           "baddbmm: needs a [B, N, K] and b [B, K, M], got float32 [1, 2, 3] and float32 [2, 3, 2]")
        .error<DTypeError>(
            [] { baddbmm(sized({1}, int64), sized({1, 2, 3}), sized({1, 3, 2})); },
            "baddbmm: x must have the dtype of the product, float32, got int64 [1]; convert it with to()")
        .check();

[[maybe_unused]] const bool addbmm_cases =
    product(OpCases("addbmm"))
        .tolerance(4)
        .on([](In in) { return addbmm(in[0], in[1], in[2], 0.5, 2); }, added(over_batch, 0.5, 2))
        .pytorch("lambda x, a, b: torch.addbmm(x, a, b, beta=0.5, alpha=2)")
        .inputs(uniform({3, 2}, 0.5, 2), uniform({2, 3, 4}, 0.5, 2), uniform({2, 4, 2}, 0.5, 2))
        .inputs(uniform({3, 2}, 0.5, 2), uniform({2, 3, 0}, 0.5, 2), uniform({2, 0, 2}, 0.5, 2))
        .error<ShapeError>([] { addbmm(sized({2}), sized({1, 2, 3}), sized({2, 3, 2})); },
                           "addbmm: needs a [B, N, K] and b [B, K, M], got float32 [1, 2, 3] and float32 [2, 3, 2]")
        .error<DTypeError>([] { addbmm(sized({1}, int64), sized({1, 2, 3}), sized({1, 3, 2})); },
                           "addbmm: x must have the dtype of the product, float32, got int64 [1]; convert it with to()")
        .check();

[[maybe_unused]] const bool tensordot_cases =
    composed(OpCases("tensordot"))
        .autocast("widest")
        .on([](In in) { return tensordot(in[0], in[1], {2, 0}, {0, -1}); },
            [](Lists in) {
              const Shape &a = in[0].shape, &b = in[1].shape;
              Doubles y({a[1], b[1]});
              each_index(a, [&](const Shape& at) {
                for (std::int64_t j = 0; j < b[1]; ++j) y[{at[1], j}] += in[0][at] * in[1][{at[2], j, at[0]}];
              });
              return y;
            },
            "dims")
        .pytorch("lambda a, b: torch.tensordot(a, b, ([2, 0], [0, -1]))")
        .contraction(6)
        .inputs(normal({2, 4, 3}), normal({3, 5, 2}))
        .inputs(normal({2, 0, 3}), normal({3, 5, 2}))
        .on([](In in) { return tensordot(in[0], in[1], 0); },
            [](Lists in) {
              Shape shape = in[0].shape;
              for (const std::int64_t size : in[1].shape) shape.push_back(size);
              return batched(in[0], in[1], 1, in[0].numel(), 1, in[1].numel(), shape);
            },
            "none")
        .pytorch("lambda a, b: torch.tensordot(a, b, 0)")
        .inputs(normal({2, 3}), normal({4}))
        .huge([](auto n) { tensordot(ones({2, 3}), ones({2, 3}), n); })
        .huge([](auto n) { tensordot(ones({2, 3}), ones({2, 3}), {n}, {n}); })
        .undefined([](const Tensor& none) { tensordot(ones({2, 2}), none, 1); })
        .error<IndexError>([] { tensordot(sized({2}), sized({2}), {1}, {0}); },
                           "tensordot: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { tensordot(sized({}), sized({2}), {0}, {0}); },
                           "tensordot: a scalar has no dimension to sum over, got float32 [] and float32 [2]")
        .error<ShapeError>(
            [] { tensordot(sized({2}), sized({3}), {0}, {0}); },
            "tensordot: needs equal sizes of the dimensions that are summed, got float32 [2] and float32 [3]")
        .error<ValueError>([] { tensordot(sized({2, 2}), sized({2, 2}), {0, 0}, {0, 1}); },
                           "tensordot: a dimension appears twice in [0, 0] or [0, 1]")
        .error<ValueError>([] { tensordot(sized({2, 2}), sized({2, 2}), {0, 1}, {0}); },
                           "tensordot: needs as many dimensions of a as of b, got [0, 1] and [0]")
        .error<ValueError>(
            [] { tensordot(sized({2}), sized({2}), 2); },
            "tensordot: count must be between 0 and the ranks of a and b, got 2 for float32 [2] and float32 [2]")
        .error<DTypeError>([] { tensordot(sized({2}), sized({2}, float64), 1); },
                           "tensordot: needs two floating tensors of one dtype, got float32 [2] and float64 [2]; "
                           "convert them with to()")
        .check();

[[maybe_unused]] const bool kron_cases =
    composed(OpCases("kron"))
        .dtypes(all_dtypes())
        .on([](In in) { return kron(in[0], in[1]); },
            [](Lists in) {
              Doubles a = in[0], b = in[1];
              while (a.shape.rank() < b.shape.rank()) a.shape.insert(0, 1);
              while (b.shape.rank() < a.shape.rank()) b.shape.insert(0, 1);
              Shape shape = a.shape;
              for (int d = 0; d < shape.rank(); ++d) shape[d] *= b.shape[d];
              Doubles y(shape);
              each_index(shape, [&](const Shape& at) {
                Shape left = at, right = at;
                for (int d = 0; d < at.rank(); ++d) {
                  left[d] = at[d] / b.shape[d];
                  right[d] = at[d] % b.shape[d];
                }
                y[at] = a[left] * b[right];
              });
              return y;
            })
        .pytorch("torch.kron")
        .inputs(normal({2, 3}), normal({3, 2}))
        .inputs(normal({2}), normal({2, 1, 2}))
        .inputs(normal({0, 2}), normal({2}))
        .without("ShapeError", "all shapes fit")
        .error<ValueError>([] { kron(Tensor(), ones({2})); }, "kron: argument 0 is undefined")
        .check();

[[maybe_unused]] const bool cross_cases =
    composed(OpCases("cross"))
        .dtypes(numeric_dtypes())
        .tolerance(4)
        .on([](In in) { return cross(in[0], in[1]); },
            [](Lists in) {
              const Shape shape = broadcast(in[0].shape, in[1].shape, "reference");
              const Doubles a = broadcast_to(in[0], shape), b = broadcast_to(in[1], shape);
              Doubles y(shape);
              each_index(shape, [&](const Shape& at) {
                Shape next = at, last = at;
                next[at.rank() - 1] = (at.back() + 1) % 3;
                last[at.rank() - 1] = (at.back() + 2) % 3;
                y[at] = a[next] * b[last] - a[last] * b[next];
              });
              return y;
            })
        .pytorch("lambda a, b: torch.linalg.cross(*torch.broadcast_tensors(a, b))")
        .inputs(whole({4, 3}, -5, 6), whole({4, 3}, -5, 6))
        .inputs(whole({2, 1, 3}, -5, 6), whole({4, 3}, -5, 6))
        .inputs(whole({0, 3}, -5, 6), whole({0, 3}, -5, 6))
        .huge([](auto n) { cross(ones({3, 3}), ones({3, 3}), n); })
        .error<IndexError>([] { cross(sized({2, 3}), sized({2, 3}), 2); },
                           "cross: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { cross(sized({2, 3}), sized({2, 3}), 0); },
                           "cross: needs three elements along the dimension, got float32 [2, 3] and float32 [2, 3]")
        .error<DTypeError>([] { cross(sized({3}, boolean), sized({3}, boolean)); },
                           "cross: bool is not supported, got bool [3] and bool [3]; convert them with to()")
        .check();

[[maybe_unused]] const bool trace_cases =
    composed(OpCases("trace"))
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .on([](In in) { return trace(in[0]); },
            [](Lists in) {
              Doubles y(Shape{});
              for (std::int64_t i = 0; i < std::min(in[0].shape[0], in[0].shape[1]); ++i) y.values[0] += in[0][{i, i}];
              return y;
            })
        .pytorch("torch.trace")
        .inputs(normal({3, 3}))
        .inputs(normal({4, 2}))
        .inputs(normal({0, 2}))
        .error<ShapeError>([] { trace(sized({2})); }, "trace: x must be a matrix, got float32 [2]")
        .check();

auto powers(std::int64_t n, bool increasing) {
  return [=](Lists in) {
    const std::int64_t rows = in[0].shape[0], columns = n < 0 ? rows : n;
    Doubles y({rows, columns});
    each_index(y.shape, [&](const Shape& at) {
      y[at] = std::pow(in[0][{at[0]}], static_cast<double>(increasing ? at[1] : columns - 1 - at[1]));
    });
    return y;
  };
}

[[maybe_unused]] const bool vander_cases =
    composed(OpCases("vander"))
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .on([](In in) { return vander(in[0]); }, powers(-1, false))
        .pytorch("lambda x: torch.vander(x.detach())")
        .inputs(whole({4}, -2, 3))
        .inputs(normal({0}).constant())
        .on([](In in) { return vander(in[0], 3, true); }, powers(3, true), "increasing")
        .pytorch("lambda x: torch.vander(x.detach(), 3, True)")
        .inputs(whole({4}, -2, 3))
        .huge([](auto n) { vander(ones({3}), n); })
        .error<ShapeError>([] { vander(sized({2, 2})); }, "vander: x must be a vector, got float32 [2, 2]")
        .error<ValueError>([] { vander(sized({2}), -2); }, "vander: n must not be negative, got -2")
        .check();

}  // namespace
}  // namespace minima::products_test
