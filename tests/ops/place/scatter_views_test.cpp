#include <minima/ops/place/scatter_views.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace minima::scatter_views_test {
namespace {

using namespace test;

OpCases composed(const char* name) {
  OpCases cases(name);
  return cases.without("large", "is made of scatter_reduce and put")
      .without("hidden", "is made of scatter_reduce and put")
      .without("random", "is made of scatter_reduce and put");
}

[[maybe_unused]] const bool index_reduce_cases =
    composed("index_reduce")
        .also_calls("scatter_reduce")
        .on([](In in) { return index_reduce(in[0], 0, in[1], in[2], ScatterMode::mean); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const std::size_t width = y.shape.rank() > 1 ? static_cast<std::size_t>(y.shape[1]) : 1;
              std::vector<double> counts(static_cast<std::size_t>(y.shape[0]), 1);
              for (std::size_t k = 0; k < in[1].values.size(); ++k) {
                const auto row = static_cast<std::size_t>(in[1].values[k]);
                ++counts[row];
                for (std::size_t j = 0; j < width; ++j) y.values[row * width + j] += in[2].values[k * width + j];
              }
              for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] /= counts[i / width];
              return y;
            },
            "mean")
        .pytorch("lambda x, i, s: torch.index_reduce(x, 0, i, s, 'mean')")
        .inputs(normal({3, 4}), given({2}, {2, 0}).as(int64), normal({2, 4}))
        .inputs(normal({3}), given({4}, {2, 0, 2, 2}).as(int64), normal({4}))
        .inputs(normal({3, 0}), given({1}, {1}).as(int64), normal({1, 0}))
        .on([](In in) { return index_reduce(in[0], -1, in[1], in[2], ScatterMode::mean, false); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t target = 0; target < 3; ++target) {
                  double total = 0, count = 0;
                  for (std::size_t k = 0; k < 2; ++k)
                    if (in[1].values[k] == static_cast<double>(target)) total += in[2].values[i * 2 + k], ++count;
                  if (count > 0) y.values[i * 3 + target] = total / count;
                }
              return y;
            },
            "mean of the source")
        .pytorch("lambda x, i, s: torch.index_reduce(x, -1, i, s, 'mean', include_self=False)")
        .inputs(normal({2, 3}), given({2}, {2, 0}).as(int64), normal({2, 2}))
        .huge([](auto n) { index_reduce(ones({2}), n, zeros({1}, {.dtype = int64}), ones({1}), ScatterMode::sum); })
        .error<IndexError>([] { index_reduce(sized({2}), 1, sized({2}, int64), sized({2}), ScatterMode::sum); },
                           "index_reduce: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>(
            [] { index_reduce(sized({2, 3}), 0, sized({2}, int64), sized({3, 3}), ScatterMode::sum); },
            "index_reduce: needs an index int64 [K] and a source with K slices along dimension 0 of float32 [2, 3], "
            "got int64 [2] and float32 [3, 3]")
        .error<DTypeError>(
            [] {
              index_reduce(ones({2}, {.dtype = boolean}), 0, zeros({1}, {.dtype = int64}),
                           ones({1}, {.dtype = boolean}), ScatterMode::sum);
            },
            "scatter_reduce: bool is not supported, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool index_reduce_prod_cases =
    composed("index_reduce prod")
        .also_calls("scatter_reduce")
        .dtypes(numeric_dtypes())
        .on([](In in) { return index_reduce(in[0], 0, in[1], in[2], ScatterMode::prod); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const auto width = static_cast<std::size_t>(y.shape[1]);
              for (std::size_t k = 0; k < in[2].values.size(); ++k)
                y.values[static_cast<std::size_t>(in[1].values[k / width]) * width + k % width] *= in[2].values[k];
              return y;
            })
        .pytorch("lambda x, i, s: torch.index_reduce(x, 0, i, s, 'prod')")
        .inputs(whole({3, 4}, -3, 4), given({4}, {2, 0, 2, 2}).as(int64), whole({4, 4}, -2, 3))
        .inputs(whole({3, 0}, -3, 4), given({1}, {1}).as(int64), whole({1, 0}, -2, 3))
        .error<DTypeError>(
            [] {
              index_reduce(ones({2}, {.dtype = boolean}), 0, zeros({1}, {.dtype = int64}),
                           ones({1}, {.dtype = boolean}), ScatterMode::prod);
            },
            "scatter_reduce: bool is not supported, got bool [2]; convert it with to()")
        .check();

/// Every third element of 8, from the second on.
Layout spread() { return {.shape = {2}, .strides = {3}, .offset = 1}; }

[[maybe_unused]] const bool as_strided_scatter_cases =
    composed("as_strided_scatter")
        .dtypes(all_dtypes())
        .also_calls("as_strided")
        .without("empty", "the layout is fixed here")
        .on([](In in) { return as_strided_scatter(in[0], in[1], spread()); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              y.values[1] = in[1].values[0];
              y.values[4] = in[1].values[1];
              return y;
            })
        // PyTorch 2.15 gives x the gradient of what is replaced instead of the rest.
        .pytorch("lambda x, s: torch.as_strided_scatter(x.detach().contiguous(), s, (2,), (3,), 1)")
        .inputs(normal({8}), normal({2}))
        .inputs(normal({2, 4}), normal({2}))
        .huge([](auto n) { as_strided_scatter(ones({8}), ones({2}), {.shape = {2}, .strides = {n}, .offset = 1}); })
        .error<ShapeError>([] { as_strided_scatter(sized({8}), sized({3}), spread()); },
                           "as_strided_scatter: needs a source [2] for this layout, got float32 [3]")
        .error<DTypeError>([] { as_strided_scatter(sized({8}), sized({2}, float64), spread()); },
                           "as_strided_scatter: dtypes differ: float32 [8] and float64 [2]; convert one with to()")
        .check();

}  // namespace
}  // namespace minima::scatter_views_test
