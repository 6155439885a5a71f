#include <minima/ops/index/masked.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::masked_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

const Tensor x34 = zeros({3, 4});

OpCases indexing(OpCases cases) {
  cases.dtypes(all_dtypes()).without("hidden", "it is made of other operators");
  return cases;
}

[[maybe_unused]] const bool masked_select_cases =
    indexing(OpCases("masked_select"))
        .on([](In in) { return masked_select(in[0], in[1]); },
            [](const std::vector<Doubles>& in) {
              const Doubles mask = broadcast_to(in[1], in[0].shape);
              std::vector<double> found;
              each_index(in[0].shape, [&](const Shape& at) {
                if (mask[at] != 0) found.push_back(in[0][at]);
              });
              return Doubles({static_cast<std::int64_t>(found.size())}, found);
            })
        .pytorch("torch.masked_select")
        .inputs(normal({3, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
        .inputs(normal({2, 3, 2}), whole({2, 3, 2}, 0, 2).as(DType::boolean))
        .inputs(normal({0, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
        .without("large", "index has one, and the sums of its gradient take the kernels' simulation minutes")
        .error<DTypeError>([] { masked_select(x34, x34); },
                           "masked_select: mask must be bool, got float32 [3, 4]; use a comparison, such as x > 0")
        .error<ShapeError>(
            [] { masked_select(empty({3, 4}), zeros({3}, {.dtype = DType::boolean})); },
            "masked_select: shapes [3] and [3, 4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .error<ValueError>([] { masked_select(empty({3, 4}), Tensor()); }, "masked_select: argument 1 is undefined")
        .check();

[[maybe_unused]] const bool masked_fill_cases =
    indexing(OpCases("masked_fill"))
        .on([](In in) { return masked_fill(in[0], in[1], 3); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              each_index(y.shape, [&](const Shape& at) {
                if (in[1][{at[1]}] != 0) y[at] = 3;
              });
              return y;
            })
        .inputs(normal({3, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
        .inputs(normal({0, 4}), given({4}, {1, 0, 0, 1}).as(DType::boolean))
        .inputs(normal({300, 200}), whole({200}, 0, 2).as(DType::boolean))
        .result_dtype([](DType dtype) { return dtype; })
        .recorded("masked_fill", "lambda x, m: x.masked_fill(m, 2.5)",
                  [](In in) { return masked_fill(in[0], in[1], 2.5); })
        .error<DTypeError>([] { masked_fill(empty({2}), empty({2}), 0); },
                           "masked_fill: mask must be bool, got float32 [2]; use a comparison, such as x > 0")
        .error<ShapeError>([] { masked_fill(empty({2}), zeros({3}, {.dtype = DType::boolean}), 0); },
                           "masked_fill: shapes [3] and [2] do not broadcast: sizes 3 and 2 differ and neither is 1")
        .error<ShapeError>([] { masked_fill_(empty({2}), zeros({3, 2}, {.dtype = DType::boolean}), 0); },
                           "masked_fill_: the result has shape [3, 2], but the tensor changed in place is float32 [2]")
        .error<DTypeError>([] { masked_fill_(empty({2}), empty({2}), 0); },
                           "masked_fill: mask must be bool, got float32 [2]; use a comparison, such as x > 0")
        .error<ValueError>(
            [] { masked_fill(zeros({2}, {.dtype = DType::uint8}), zeros({2}, {.dtype = DType::boolean}), 300); },
            "masked_fill: uint8 cannot hold 300; choose another value or dtype")
        .check();

[[maybe_unused]] const bool masked_scatter_cases =
    composed(OpCases("masked_scatter"))
        .dtypes(all_dtypes())
        .on([](In in) { return masked_scatter(in[0], in[1], in[2]); },
            [](Lists in) {
              Doubles y = in[0];
              const Doubles mask = broadcast_to(in[1], y.shape);
              std::size_t next = 0;
              for (std::size_t i = 0; i < y.values.size(); ++i)
                if (mask.values[i] != 0) y.values[i] = in[2].values[next++];
              return y;
            })
        .pytorch("torch.masked_scatter")
        .inputs(normal({3, 4}), given({4}, {1, 0, 0, 1}).as(boolean), normal({3, 4}))
        .inputs(normal({3, 4}), given({3, 1}, {1, 0, 1}).as(boolean), normal({12}))
        .inputs(normal({0, 4}), given({4}, {1, 0, 0, 1}).as(boolean), normal({0}))
        .error<DTypeError>([] { masked_scatter(sized({2}), sized({2}), sized({2})); },
                           "masked_scatter: mask must be bool, got float32 [2]; use a comparison, such as x > 0")
        .error<DTypeError>(
            [] { masked_scatter(sized({2}), zeros({2}, {.dtype = boolean}), sized({2}, float64)); },
            "masked_scatter: the source must have the dtype of x float32 [2], got float64 [2]; convert it with to()")
        .error<ShapeError>([] { masked_scatter(sized({2}), zeros({2, 2}, {.dtype = boolean}), sized({2})); },
                           "masked_scatter: the mask must broadcast to the shape of x float32 [2], got bool [2, 2]")
        .error<ShapeError>([] { masked_scatter(sized({2}), ones({2}, {.dtype = boolean}), sized({1})); },
                           "masked_scatter: the mask selects 2 elements, but the source has only 1")
        .check();

[[maybe_unused]] const bool masked_fill_in_place_calls =
    FunctionCases("masked_fill_")
        .undefined([](const Tensor& none) { masked_fill_(none, ones({2, 2}, {.dtype = boolean}), 1); })
        .undefined([](const Tensor& none) { masked_fill_(ones({2, 2}), none, 1); })
        .check();

}  // namespace
}  // namespace minima::masked_test
