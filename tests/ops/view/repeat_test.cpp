#include <minima/ops/view/repeat.h>

#include "tests/ops/view/moving.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <vector>

namespace minima::repeat_test {
namespace {

using namespace test;

[[maybe_unused]] const bool repeat_cases =
    arranging(OpCases("repeat"))
        .on([](In in) { return repeat(in[0], {2, 1, 3}); },
            [](const std::vector<Doubles>& in) {
              const Shape& x = in[0].shape;
              return arranged(in[0], {2, x[0], 3 * x[1]}, [&](const Shape& at) { return Shape{at[1], at[2] % x[1]}; });
            },
            "2, 1, 3")
        .pytorch("lambda x: x.repeat(2, 1, 3)", "repeat")
        .inputs(normal({2, 3}))
        .inputs(normal({1, 1}))
        .inputs(normal({0, 3}))
        .inputs(normal({300, 200}))
        .huge([](auto v) { repeat(ones({2, 3, 4}), {v, 1, 1}); })
        .huge([](auto v) { repeat(ones({2, 3, 4}), {v, v, 1, 1}); })
        .huge([](auto v) { repeat(empty({0}, {.dtype = int64}), {v}); })
        .huge([](auto v) { repeat(empty({0}, {.dtype = int64}), {v, v, 1}); })
        .error<ShapeError>([] { repeat(empty({2, 3}), {2}); },
                           "repeat: needs a count for each dimension of x float32 [2, 3], got [2]")
        .error<ValueError>([] { repeat(empty({2}), {-1}); }, "repeat: counts must not be negative, got [-1]")
        .error<ValueError>([] { repeat(empty({2, 3}), {2, -1}); }, "repeat: counts must not be negative, got [2, -1]")
        .check();

[[maybe_unused]] const bool tile_cases =
    composing(OpCases("tile"))
        .on([](In in) { return tile(in[0], {3}); },
            arranged([](const Shape& x) { return Shape{x[0], x[1] * 3}; },
                     [](const Shape& x, const Shape& at) { return Shape{at[0], at[1] % x[1]}; }))
        .pytorch("lambda x: torch.tile(x, (3,))")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .huge([](auto n) { tile(ones({2, 3}), {n}); })
        .error<ValueError>([] { tile(sized({2}), {-1}); }, "tile: counts must not be negative, got [-1]")
        .check();

[[maybe_unused]] const bool repeat_interleave_cases =
    arranging(OpCases("repeat_interleave"))
        .on([](In in) { return repeat_interleave(in[0], 3, 1); },
            [](const std::vector<Doubles>& in) {
              return arranged(in[0], with(in[0].shape, 1, 3 * in[0].shape[1]),
                              [](const Shape& at) { return with(at, 1, at[1] / 3); });
            })
        .inputs(normal({2, 3}))
        .inputs(normal({2, 0}))
        .inputs(normal({300, 200}))
        .huge([](auto v) { repeat_interleave(ones({2, 3, 4}), v, 0); })
        .huge([](auto v) { repeat_interleave(ones({2, 3, 4}), 2, v); })
        .huge([](auto v) { repeat_interleave(ones({0, 2}), v, 1); })
        .recorded("repeat_interleave", "lambda x: x.repeat_interleave(2, 1)",
                  [](In in) { return repeat_interleave(in[0], 2, 1); })
        .error<ValueError>([] { repeat_interleave(empty({2}), -1, 0); },
                           "repeat_interleave: count must not be negative, got -1")
        .error<IndexError>([] { repeat_interleave(empty({2}), 2, 1); },
                           "repeat_interleave: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { repeat_interleave(empty(Shape{}), 2, 0); },
                           "repeat_interleave: x has no dimension to repeat along, got float32 []; reshape it to {1}")
        .check();

TEST(Arrange, RepeatingOnceIsACopy) {
  const Tensor x = ones({2, 2});
  EXPECT_NE(repeat(x, {1, 1}).raw_data(), x.raw_data());
  EXPECT_NE(repeat(ones({1, 3}), {2, 1}).strides()[0], 0) << "a copy";
}

}  // namespace
}  // namespace minima::repeat_test
