#include <minima/ops/view/flip.h>

#include "tests/ops/view/moving.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::flip_test {
namespace {

using namespace test;

[[maybe_unused]] const bool flip_cases =
    arranging(OpCases("flip"))
        .on([](In in) { return flip(in[0], {0, -1}); },
            [](const std::vector<Doubles>& in) {
              const Shape& shape = in[0].shape;
              const int last = shape.rank() - 1;
              return arranged(in[0], shape, [&](const Shape& at) {
                const Shape first = with(at, 0, shape[0] - 1 - at[0]);
                return last == 0 ? first : with(first, last, shape[last] - 1 - at[last]);
              });
            },
            "first and last")
        .inputs(normal({3, 4}))
        .inputs(normal({2, 3, 2}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 200}))
        .huge([](auto v) { flip(ones({2, 3, 4}), {v}); })
        .huge([](auto) { flip(endless(), {0}); })
        .recorded("flip", "lambda x: torch.flip(x, [0, 2])", [](In in) { return flip(in[0], {0, 2}); })
        .error<IndexError>([] { flip(empty({2, 3}), {2}); },
                           "flip: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { flip(empty({2, 3}), {0, 0}); }, "flip: a dimension appears twice in [0, 0]")
        .error<ValueError>([] { flip(empty({2, 3}), {0, -2}); }, "flip: a dimension appears twice in [0, -2]")
        .check();

Shape swapped(const Shape& x) { return {x[1], x[0]}; }

[[maybe_unused]] const bool rot90_cases =
    composing(OpCases("rot90"))
        .on([](In in) { return rot90(in[0]); },
            arranged(swapped, [](const Shape& x, const Shape& at) { return Shape{at[1], x[1] - 1 - at[0]}; }), "once")
        .pytorch("torch.rot90")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .on([](In in) { return rot90(in[0], -2, {1, 0}); },
            arranged([](const Shape& x) { return x; },
                     [](const Shape& x, const Shape& at) { return Shape{x[0] - 1 - at[0], x[1] - 1 - at[1]}; }),
            "twice")
        .pytorch("lambda x: torch.rot90(x, -2, [1, 0])")
        .inputs(normal({2, 3}))
        .on([](In in) { return rot90(in[0], -1); },
            arranged(swapped, [](const Shape& x, const Shape& at) { return Shape{x[0] - 1 - at[1], at[0]}; }), "back")
        .pytorch("lambda x: torch.rot90(x, -1)")
        .inputs(normal({2, 3}))
        .huge([](auto n) { rot90(ones({2, 3}), n); })
        .huge([](auto n) { rot90(ones({2, 3}), 1, {n, 0}); })
        .error<IndexError>([] { rot90(sized({2, 3}), 1, {0, 2}); },
                           "rot90: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { rot90(sized({2, 3}), 1, {0, 0}); }, "rot90: the dimensions must differ, got [0, 0]")
        .error<ValueError>([] { rot90(sized({2, 3}), 1, {0}); }, "rot90: needs two dimensions, got [0]")
        .check();

[[maybe_unused]] const bool fliplr_cases =
    composing(OpCases("fliplr"))
        .on([](In in) { return fliplr(in[0]); },
            arranged([](const Shape& x) { return x; },
                     [](const Shape& x, const Shape& at) { return Shape{at[0], x[1] - 1 - at[1]}; }))
        .pytorch("torch.fliplr")
        .inputs(normal({2, 3}))
        .inputs(normal({0, 3}))
        .error<ShapeError>([] { fliplr(sized({2})); }, "fliplr: x needs at least two dimensions, got float32 [2]")
        .check();

[[maybe_unused]] const bool flipud_cases =
    composing(OpCases("flipud"))
        .on([](In in) { return flipud(in[0]); },
            arranged([](const Shape& x) { return x; },
                     [](const Shape& x, const Shape& at) { return Shape{x[0] - 1 - at[0], at[1]}; }))
        .pytorch("torch.flipud")
        .inputs(normal({3, 2}))
        .inputs(normal({0, 3}))
        .error<ShapeError>([] { flipud(sized({})); }, "flipud: x needs at least one dimension, got float32 []")
        .check();

[[maybe_unused]] const bool roll_cases = [] {
  OpCases cases = moving(OpCases("roll"));
  cases.result_layout(ResultLayout::like_input);
  for (const std::int64_t shift : {1, -2, 7}) {
    cases
        .on([=](In in) { return roll(in[0], shift, 0); },
            [=](const std::vector<Doubles>& in) {
              const std::int64_t n = in[0].shape[0];
              return arranged(in[0], in[0].shape,
                              [&](const Shape& at) { return with(at, 0, (((at[0] - shift) % n) + n) % n); });
            },
            "by " + std::to_string(shift))
        .inputs(normal({5, 2}))
        .inputs(normal({3}))
        .inputs(normal({0, 2}));
    if (shift == 7) cases.inputs(normal({300, 200}));
  }
  cases
      .on([](In in) { return roll(in[0], -4, 2); },
          [](const std::vector<Doubles>& in) {
            const std::int64_t n = in[0].shape[2];
            return arranged(in[0], in[0].shape, [&](const Shape& at) { return with(at, 2, (at[2] + 4) % n); });
          },
          "third dimension")
      .inputs(normal({2, 3, 3, 2}))
      .inputs(normal({2, 3, 1, 2}));
  return cases.huge([](auto v) { roll(ones({2, 3, 4}), v, 0); })
      .huge([](auto v) { roll(ones({2, 3, 4}), 1, v); })
      .huge([](auto v) { roll(ones({2, 3, 4}).requires_grad(true), v, 0).backward(ones({2, 3, 4})); })
      .recorded("roll", "lambda x: torch.roll(x, 2, 1)", [](In in) { return roll(in[0], 2, 1); })
      .error<IndexError>([] { roll(empty({2, 3}), 1, 2); },
                         "roll: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
      .error<ShapeError>([] { roll(empty(Shape{}), 1, 0); }, "roll: x has no dimension to roll, got float32 []")
      .check();
}();

}  // namespace
}  // namespace minima::flip_test
