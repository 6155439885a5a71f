#include <minima/ops/view/slice.h>

#include "tests/ops/view/moving.h"
#include "tests/ops/view/viewing.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::slice_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

using Index = const Shape&;

Tensor x() { return empty({2, 3, 4}); }

[[maybe_unused]] const bool cases[] = {
    viewing(
        OpCases("slice"), {7, 3}, [](const Tensor& t) { return slice(t, 0, 1, -1, 2); }, {3, 3},
        [](Index i) { return Shape{1 + 2 * i[0], i[1]}; })
        .on([](In in) { return slice(in[0], 1, 5, 2); }, reshaped({4, 0}), "nothing left")
        .inputs(given({4, 0}, {}))
        .huge([](auto v) { slice(ones({2, 3, 4}), v, 0); })
        .huge([](auto v) { slice(ones({2, 3, 4}), 0, v); })
        .huge([](auto v) { slice(ones({2, 3, 4}), 0, 0, v); })
        .huge([](auto v) { slice(ones({2, 3, 4}), 0, 0, 2, v); })
        .huge([](auto v) { unsqueeze(slice(expand(empty({0}, {.dtype = int64}), {3, 0}), 0, 0, 3, v), 0); })
        .huge([](auto v) { slice(endless(), 0, v, v < 0 ? -(v + 1) : -v, 3); })
        .error<ValueError>([] { slice(x(), 0, 0, 2, 0); }, "slice: step must be at least 1, got 0")
        .error<ShapeError>([] { slice(empty(Shape{}), 0, 0); }, "slice: a tensor of rank 0 has no dimension to slice")
        .error<IndexError>([] { slice(empty({3}), 1, 0); },
                           "slice: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { slice(empty({3}), 0, 0, 3, -1); }, "slice: step must be at least 1, got -1")
        .check(),
    viewing(
        OpCases("narrow"), {5, 2}, [](const Tensor& t) { return narrow(t, 0, -4, 3); }, {3, 2},
        [](Index i) { return Shape{i[0] + 1, i[1]}; })
        .huge([](auto v) { narrow(ones({2, 3, 4}), v, 0, 1); })
        .huge([](auto v) { narrow(ones({2, 3, 4}), 0, v, 1); })
        .huge([](auto v) { narrow(ones({2, 3, 4}), 0, 0, v); })
        .huge([](auto v) { narrow(endless(), 0, v, v); })
        .error<IndexError>([] { narrow(x(), 1, 2, 2); },
                           "narrow: start 2 with length 2 is out of range for dimension 1 of [2, 3, 4]")
        .error<IndexError>([] { narrow(empty({3}), 0, 2, 2); },
                           "narrow: start 2 with length 2 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 1, 0, 1); },
                           "narrow: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { narrow(empty(Shape{}), 0, 0, 1); },
                           "narrow: x must have at least one dimension, got float32 []")
        .error<IndexError>([] { narrow(empty({3}), 0, -4, 1); },
                           "narrow: start -1 with length 1 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 0, 1, -1); },
                           "narrow: start 1 with length -1 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 0, 1, INT64_MAX); },
                           "narrow: start 1 with length 9223372036854775807 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { narrow(empty({3}), 0, 0, INT64_MIN); },
                           "narrow: start 0 with length -9223372036854775808 is out of range for dimension 0 of [3]")
        .check(),
    viewing(
        OpCases("select"), {2, 3, 4}, [](const Tensor& t) { return select(t, 1, -1); }, {2, 4},
        [](Index i) { return Shape{i[0], 2, i[1]}; })
        .huge([](auto v) { select(ones({2, 3, 4}), v, 0); })
        .huge([](auto v) { select(ones({2, 3, 4}), 0, v); })
        .huge([](auto v) { select(endless(), 0, v); })
        .error<IndexError>([] { x()[2]; }, "select: index 2 is out of range for dimension 0 of [2, 3, 4]")
        .error<IndexError>([] { select(empty({3}), 1, 0); },
                           "select: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { select(empty({3}), 0, 3); }, "select: index 3 is out of range for dimension 0 of [3]")
        .error<IndexError>([] { select(empty({3}), 0, -4); }, "select: index -4 is out of range for dimension 0 of [3]")
        .error<ShapeError>([] { select(empty(Shape{}), 0, 0); }, "select: a tensor of rank 0 has no dimension to index")
        .check(),
};

[[maybe_unused]] const bool unfold_cases =
    composing(OpCases("unfold").declared_in("ops/view/slice.h"))
        .on([](In in) { return unfold(in[0], 1, 3, 2); },
            arranged([](const Shape& x) { return Shape{x[0], (x[1] - 3) / 2 + 1, 3}; },
                     [](const Shape&, const Shape& at) { return Shape{at[0], at[1] * 2 + at[2]}; }))
        .pytorch("lambda x: x.unfold(1, 3, 2)")
        .inputs(normal({2, 7}))
        .inputs(normal({3, 3}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { unfold(ones({2, 3}), n, 1, 1); })
        .huge([](auto n) { unfold(ones({2, 3}), 0, n, 1); })
        .huge([](auto n) { unfold(ones({2, 3}), 0, 1, n); })
        .error<IndexError>([] { unfold(sized({2, 3}), 2, 1, 1); },
                           "unfold: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { unfold(sized({2, 3}), 1, 4, 1); },
                           "unfold: size must be between 0 and that of dimension 1, got 4 for float32 [2, 3]")
        .error<ValueError>([] { unfold(sized({2, 3}), 1, 2, 0); }, "unfold: step must be positive, got 0")
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

[[maybe_unused]] const bool select_scatter_cases =
    composing(OpCases("select_scatter"))
        .also_calls("select")
        .on([](In in) { return select_scatter(in[0], in[1], 1, -1); },
            [](Lists in) {
              const std::int64_t last = in[0].shape[1] - 1;
              return written([=](const Shape& at) { return Shape{at[0], last}; })(in);
            })
        .pytorch("lambda x, y: torch.select_scatter(x, y, 1, -1)")
        .inputs(normal({3, 4}), normal({3}))
        .inputs(normal({0, 4}), normal({0}))
        .huge([](auto n) { select_scatter(ones({3, 3}), ones({3}), n, 0); })
        .huge([](auto n) { select_scatter(ones({3, 3}), ones({3}), 0, n); })
        .error<ShapeError>([] { select_scatter(sized({3, 3}), sized({2}), 0, 0); },
                           "select_scatter: the source must have shape [3] for x float32 [3, 3], got float32 [2]")
        .error<DTypeError>(
            [] { select_scatter(sized({3, 3}), sized({3}, float64), 0, 0); },
            "select_scatter: the source must have the dtype of x float32 [3, 3], got float64 [3]; convert it with to()")
        .error<IndexError>([] { select_scatter(sized({3, 3}), sized({3}), 2, 0); },
                           "select_scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { select_scatter(sized({3, 3}), sized({3}), 0, 3); },
                           "select: index 3 is out of range for dimension 0 of [3, 3]")
        .check();

[[maybe_unused]] const bool slice_scatter_cases =
    composing(OpCases("slice_scatter"))
        .also_calls("slice")
        .on([](In in) { return slice_scatter(in[0], in[1], 1, 1, 5, 2); },
            written([](const Shape& at) { return Shape{at[0], 1 + 2 * at[1]}; }))
        .pytorch("lambda x, y: torch.slice_scatter(x, y, 1, 1, 5, 2)")
        .inputs(normal({3, 6}), normal({3, 2}))
        .inputs(normal({0, 6}), normal({0, 2}))
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), n); })
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), 0, n); })
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), 0, 0, n); })
        .huge([](auto n) { slice_scatter(ones({3, 3}), ones({3, 3}), 0, 0, 3, n); })
        .error<ShapeError>([] { slice_scatter(sized({3, 3}), sized({3, 2})); },
                           "slice_scatter: the source must have shape [3, 3] for x float32 [3, 3], got float32 [3, 2]")
        .error<DTypeError>([] { slice_scatter(sized({3, 3}), sized({3, 3}, float64)); },
                           "slice_scatter: the source must have the dtype of x float32 [3, 3], got float64 [3, 3]; "
                           "convert it with to()")
        .error<IndexError>([] { slice_scatter(sized({3, 3}), sized({3, 3}), 2); },
                           "slice_scatter: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .check();

/// Every third element of 8, from the second on.
Layout spread() { return {.shape = {2}, .strides = {3}, .offset = 1}; }

[[maybe_unused]] const bool as_strided_scatter_cases =
    OpCases("as_strided_scatter")
        .without("large", "is made of put")
        .without("hidden", "is made of put")
        .without("random", "is made of put")
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
}  // namespace minima::slice_test
