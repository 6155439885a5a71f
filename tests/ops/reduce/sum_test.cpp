#include "tests/ops/checks/op_cases.h"

#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::sum_test {
namespace {

using namespace test;

double plus(double a, double b) { return a + b; }

/// All choices of dimensions; the reference sums over `resolved`.
OpCases& over(OpCases& table, bool mean_of, const Shape& given, const Shape& resolved, bool keep_dim,
              const std::vector<Shape>& shapes) {
  table.on([=](In in) { return mean_of ? mean(in[0], given, keep_dim) : sum(in[0], given, keep_dim); },
           [=](const std::vector<Doubles>& in) {
             Doubles result = fold(in[0], resolved, keep_dim, 0, plus);
             double count = 1;
             for (const std::int64_t dim : resolved) count *= static_cast<double>(in[0].shape[static_cast<int>(dim)]);
             for (double& value : result.values) value /= mean_of ? count : 1;
             return result;
           },
           str("dims ", given, keep_dim ? " kept" : ""));
  std::int64_t terms = 1;
  for (const Shape& shape : shapes) {
    table.inputs(normal(shape));
    terms = std::max(terms, numel(shape));
  }
  return table.contraction(static_cast<double>(terms));
}

OpCases reduction(OpCases table, bool mean_of) {
  table.result_layout(ResultLayout::row_major);
  over(table, mean_of, {}, {}, false, {{}});
  over(table, mean_of, {}, {0, 1}, false, {{3, 4}, {0, 3}, {150, 300}});
  over(table, mean_of, {0}, {0}, false, {{3, 4}, {5}, {3, 0}, {600, 80}});
  over(table, mean_of, {-1}, {1}, true, {{3, 4}, {80, 600}});
  over(table, mean_of, {0, 2, 3}, {0, 2, 3}, false, {{2, 2, 2, 3}, {4, 16, 30, 30}});
  over(table, mean_of, {1, -1}, {1, 2}, true, {{2, 3, 4}});
  return table;
}

[[maybe_unused]] const bool cases[] = {
    reduction(OpCases("sum").autocast("float32"), false)
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .error<IndexError>([] { sum(empty({2, 3}), {2}); },
                           "sum: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { sum(empty({2, 3}), {1, -1}); }, "sum: a dimension appears twice in [1, -1]")
        .error<IndexError>([] { sum(empty({2}), {1}); },
                           "sum: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { sum(empty({2}), {0, 0}); }, "sum: a dimension appears twice in [0, 0]")
        .check(),
    reduction(OpCases("mean"), true)
        .error<DTypeError>([] { mean(empty({2}, {.dtype = int64})); },
                           "mean: needs a floating tensor, got int64 [2]; convert it with to()")
        .error<IndexError>([] { mean(empty({2}), {1}); },
                           "mean: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check(),
    OpCases("sum_to")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .on([](In in) { return sum_to(in[0], {3, 1}); },
            [](const std::vector<Doubles>& in) {
              Doubles result = fold(in[0], {0, 2}, true, 0, plus);
              result.shape = {3, 1};
              return result;
            },
            "[3, 1]")
        .inputs(normal({2, 3, 4}))
        .inputs(normal({0, 3, 4}))
        .inputs(normal({90, 3, 200}))
        .contraction(90 * 200)
        .on([](In in) { return sum_to(in[0], {3, 1}); },
            [](const std::vector<Doubles>& in) { return Doubles({3, 1}, in[0].values); }, "nothing to sum")
        .inputs(normal({3, 1}))
        .inputs(normal({1, 3, 1}))
        .error<ShapeError>([] { sum_to(empty({2, 3}), {2}); },
                           "sum_to: [2] does not broadcast to the shape of x float32 [2, 3]")
        .error<ShapeError>([] { sum_to(empty({2, 3}), {1, 2, 3}); },
                           "sum_to: [1, 2, 3] does not broadcast to the shape of x float32 [2, 3]")
        .error<ShapeError>([] { sum_to(empty({2, 3}), {3, 2}); },
                           "sum_to: [3, 2] does not broadcast to the shape of x float32 [2, 3]")
        .error<ShapeError>([] { sum_to(empty({2, 3}), {6}); },
                           "sum_to: [6] does not broadcast to the shape of x float32 [2, 3]")
        .check(),
};

}  // namespace
}  // namespace minima::sum_test
