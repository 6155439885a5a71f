#include <minima/ops/pointwise/arithmetic.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::multiply_add_test {
namespace {

using namespace test;

[[maybe_unused]] const bool weighted_lerp_cases =
    composed(OpCases("lerp weight"))
        .on([](In in) { return lerp(in[0], in[1], in[2]); }, elementwise([](double a, double b, double w) {
              return w < 0.5 && w > -0.5 ? a + w * (b - a) : b - (b - a) * (1 - w);
            }))
        .pytorch("torch.lerp")
        .inputs(normal({3, 4}), normal({3, 4}), uniform({3, 4}, 0, 1))
        .inputs(normal({3, 4}), normal({4}), uniform({3, 1}, 0, 1))
        .inputs(normal({0, 4}), normal({4}), uniform({}, 0, 1))
        .error<ShapeError>([] { lerp(sized({2}), sized({2}), sized({3})); },
                           "lerp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { lerp(sized({2}, int64), sized({2}, int64), sized({2}, int64)); },
                           "lerp: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool addcmul_cases =
    composed(OpCases("addcmul"))
        .dtypes(numeric_dtypes())
        .tolerance(4)
        .on([](In in) { return addcmul(in[0], in[1], in[2], 2); },
            elementwise([](double x, double a, double b) { return x + 2 * a * b; }))
        .pytorch("lambda x, a, b: torch.addcmul(x, a, b, value=2)")
        .inputs(whole({3, 4}, -4, 5), whole({3, 4}, -4, 5), whole({3, 4}, -4, 5))
        .inputs(whole({3, 1}, -4, 5), whole({4}, -4, 5), whole({}, -4, 5))
        .inputs(normal({0, 4}), normal({4}), normal({}))
        .error<ShapeError>([] { addcmul(sized({2}), sized({2}), sized({3})); },
                           "addcmul: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { addcmul(sized({2}, boolean), sized({2}), sized({2})); },
                           "addcmul: needs tensors of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool addcdiv_cases =
    composed(OpCases("addcdiv"))
        .tolerance(4)
        .on([](In in) { return addcdiv(in[0], in[1], in[2], 2); },
            elementwise([](double x, double a, double b) { return x + 2 * (a / b); }))
        .pytorch("lambda x, a, b: torch.addcdiv(x, a, b, value=2)")
        .inputs(uniform({3, 4}, 1, 4), uniform({3, 4}, 1, 4), uniform({3, 4}, 1, 4))
        .inputs(uniform({3, 1}, 1, 4), uniform({4}, 1, 4), uniform({}, 1, 4))
        .inputs(uniform({0, 4}, 1, 4), uniform({4}, 1, 4), uniform({}, 1, 4))
        .error<ShapeError>([] { addcdiv(sized({2}), sized({2}), sized({3})); },
                           "addcdiv: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { addcdiv(sized({2}, int64), sized({2}, int64), sized({2}, int64)); },
                           "addcdiv: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool addcmul_in_place_calls =
    FunctionCases("addcmul_")
        .undefined([](const Tensor& none) { addcmul_(none, ones({2, 2}), ones({2, 2})); })
        .undefined([](const Tensor& none) { addcmul_(ones({2, 2}), none, ones({2, 2})); })
        .undefined([](const Tensor& none) { addcmul_(ones({2, 2}), ones({2, 2}), none); })
        .check();

[[maybe_unused]] const bool lerp_in_place_calls =
    FunctionCases("lerp_")
        .undefined([](const Tensor& none) { lerp_(none, ones({2, 2}), 0.5); })
        .undefined([](const Tensor& none) { lerp_(ones({2, 2}), none, 0.5); })
        .check();

}  // namespace
}  // namespace minima::multiply_add_test
