#include <minima/ops/view/diagonal.h>

#include "tests/ops/view/moving.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace minima::diagonal_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

/// Of [M, N].
auto of_matrix(std::int64_t offset) {
  return [offset](const std::vector<Doubles>& in) {
    Doubles y(Shape{0});
    each_index(in[0].shape, [&](const Shape& at) {
      if (at[1] == at[0] + offset) y.values.push_back(in[0][at]);
    });
    y.shape = {static_cast<std::int64_t>(y.values.size())};
    return y;
  };
}

/// Of dimensions 2 and 0 of [N, C, N].
Doubles of_cube(const std::vector<Doubles>& in) {
  Doubles y(Shape{in[0].shape[1], std::min(in[0].shape[0], in[0].shape[2])});
  each_index(y.shape, [&](const Shape& at) { y[at] = in[0][{at[1], at[0], at[1]}]; });
  return y;
}

[[maybe_unused]] const bool diagonal_cases =
    OpCases("diagonal")
        .dtypes(all_dtypes())
        .without("large", "no element moves")
        .on([](In in) { return diagonal(in[0]); }, of_matrix(0))
        .pytorch("torch.diagonal")
        .inputs(normal({3, 3}))
        .inputs(normal({3, 5}))
        .inputs(normal({0, 4}))
        .on([](In in) { return diagonal(in[0], 2); }, of_matrix(2), "offset 2")
        .inputs(normal({4, 5}))
        .inputs(normal({4, 1}))
        .on([](In in) { return diagonal(in[0], -1); }, of_matrix(-1), "offset -1")
        .inputs(normal({4, 5}))
        .on([](In in) { return diagonal(in[0], 0, -1, 0); }, of_cube, "dimensions 2 and 0")
        .pytorch("lambda x: torch.diagonal(x, 0, -1, 0)")
        .inputs(normal({3, 2, 4}))
        .huge([](auto v) { diagonal(zeros({2, 3}), v); })
        .huge([](auto v) { diagonal(zeros({2, 3}), 0, v); })
        .huge([](auto v) { diagonal(zeros({2, 3}), 0, 0, v); })
        .error<ShapeError>([] { diagonal(empty({3})); }, "diagonal: x needs at least two dimensions, got float32 [3]")
        .error<IndexError>([] { diagonal(empty({2, 3}), 0, 0, 2); },
                           "diagonal: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { diagonal(empty({2, 3}), 0, 1, -1); },
                           "diagonal: dim1 and dim2 must differ, got 1 and -1")
        .check();

/// A vector as a diagonal of a matrix.
auto embedded(std::int64_t offset) {
  return [=](Lists in) {
    const std::int64_t n = in[0].numel(), size = n + std::abs(offset);
    Doubles y({size, size});
    for (std::int64_t i = 0; i < n; ++i)
      y[{i + std::max<std::int64_t>(0, -offset), i + std::max<std::int64_t>(0, offset)}] = in[0][{i}];
    return y;
  };
}

[[maybe_unused]] const bool diag_cases =
    composing(OpCases("diag"))
        .on([](In in) { return diag(in[0], -1); }, embedded(-1), "vector")
        .pytorch("lambda x: torch.diag(x, -1)")
        .inputs(normal({3}))
        .inputs(normal({0}))
        .on([](In in) { return diag(in[0], 1); },
            [](Lists in) {
              const std::int64_t n = std::min(in[0].shape[0], in[0].shape[1] - 1);
              return gather(in[0], {n}, [](const Shape& at) { return Shape{at[0], at[0] + 1}; });
            },
            "matrix")
        .pytorch("lambda x: torch.diag(x, 1)")
        .inputs(normal({3, 4}))
        .huge([](auto n) { diag(ones({3}), n); })
        .huge([](auto n) { diag(ones({3, 3}), n); })
        .error<ShapeError>([] { diag(sized({2, 2, 2})); },
                           "diag: x must be a vector or a matrix, got float32 [2, 2, 2]")
        .check();

[[maybe_unused]] const bool diag_embed_cases =
    composing(OpCases("diag_embed"))
        .on([](In in) { return diag_embed(in[0], 1, 0, -1); },
            [](Lists in) {
              const std::int64_t rows = in[0].shape[0], n = in[0].shape[1];
              Doubles y({n + 1, rows, n + 1});
              for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t i = 0; i < n; ++i) y[{i, r, i + 1}] = in[0][{r, i}];
              return y;
            })
        .pytorch("lambda x: torch.diag_embed(x, 1, 0, -1)")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .huge([](auto n) { diag_embed(ones({3}), n); })
        .huge([](auto n) { diag_embed(ones({3}), 0, n); })
        .huge([](auto n) { diag_embed(ones({3}), 0, 0, n); })
        .error<ShapeError>([] { diag_embed(sized({})); },
                           "diag_embed: x must have at least one dimension, got float32 []")
        .error<IndexError>([] { diag_embed(sized({2}), 0, 2, 0); },
                           "diag_embed: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { diag_embed(sized({2}), 0, 1, -1); },
                           "diag_embed: dim1 and dim2 must differ, got 1 and -1")
        .check();

/// x with y[to(at)] = source[at].
template <class To>
auto written(const To& to) {
  return [=](Lists in) {
    Doubles y = in[0];
    each_index(in[1].shape, [&](const Shape& at) { y[to(at)] = in[1][at]; });
    return y;
  };
}

[[maybe_unused]] const bool diagonal_scatter_cases =
    composing(OpCases("diagonal_scatter"))
        .also_calls("diagonal")
        .on([](In in) { return diagonal_scatter(in[0], in[1], 1); },
            written([](const Shape& at) { return Shape{at[0], at[0] + 1}; }))
        .pytorch("lambda x, y: torch.diagonal_scatter(x, y, 1)")
        .inputs(normal({3, 4}), normal({3}))
        .inputs(normal({0, 4}), normal({0}))
        .huge([](auto n) { diagonal_scatter(ones({3, 3}), ones({3}), n); })
        .huge([](auto n) { diagonal_scatter(ones({3, 3}), ones({3}), 0, n); })
        .huge([](auto n) { diagonal_scatter(ones({3, 3}), ones({3}), 0, 0, n); })
        .error<ShapeError>([] { diagonal_scatter(sized({3, 3}), sized({2})); },
                           "diagonal_scatter: the source must have shape [3] for x float32 [3, 3], got float32 [2]")
        .error<DTypeError>([] { diagonal_scatter(sized({3, 3}), sized({3}, float64)); },
                           "diagonal_scatter: the source must have the dtype of x float32 [3, 3], got float64 [3]; "
                           "convert it with to()")
        .error<IndexError>([] { diagonal_scatter(sized({3, 3}), sized({3}), 0, 0, 2); },
                           "diagonal_scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .check();

template <class F>
bool triangle(OpCases cases, F f, bool lower) {
  cases = moving(std::move(cases));
  cases.result_layout(ResultLayout::row_major);
  const std::string name = cases.name();
  for (const std::int64_t diagonal : {0, 1, -2}) {
    cases
        .on([=](In in) { return f(in[0], diagonal); },
            [=](const std::vector<Doubles>& in) {
              return arranged(in[0], in[0].shape, [&](const Shape& at) {
                const std::int64_t distance = at[at.rank() - 1] - at[at.rank() - 2];
                return (lower ? distance <= diagonal : distance >= diagonal) ? at : Shape();
              });
            },
            "diagonal " + std::to_string(diagonal))
        .inputs(normal({4, 3}))
        .inputs(normal({2, 3, 5}))
        .inputs(normal({0, 3}))
        .inputs(normal({3, 0}));
    if (diagonal == 1) cases.inputs(normal({300, 210}));
  }
  return cases
      .error<ShapeError>([=] { f(empty({3}), 0); }, name + ": needs a matrix or a batch of them, got float32 [3]")
      .check();
}

[[maybe_unused]] const bool tril_cases = triangle(
    OpCases("tril")
        .recorded("tril", "lambda x: torch.tril(x, -1)", [](In in) { return tril(in[0], -1); })
        .huge([](auto v) { tril(ones({2, 3, 4}), v); }),
    [](const Tensor& x, std::int64_t d) { return tril(x, d); }, true);
[[maybe_unused]] const bool triu_cases = triangle(
    OpCases("triu")
        .recorded("triu", "lambda x: torch.triu(x, 1)", [](In in) { return triu(in[0], 1); })
        .huge([](auto v) { triu(ones({2, 3, 4}), v); }),
    [](const Tensor& x, std::int64_t d) { return triu(x, d); }, false);

TEST(Diagonal, SharesMemory) {
  const Tensor x = zeros({2, 2});
  fill_(diagonal(x), 3);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{3, 0, 0, 3}));
}

}  // namespace
}  // namespace minima::diagonal_test
