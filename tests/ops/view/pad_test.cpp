#include <minima/ops/view/pad.h>

#include "tests/ops/view/moving.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::pad_test {
namespace {

using namespace test;

std::int64_t place(PadMode mode, std::int64_t i, std::int64_t n) {
  if (mode == PadMode::reflect) return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
  if (mode == PadMode::replicate) return std::min(std::max<std::int64_t>(i, 0), n - 1);
  return (i + n) % n;
}

[[maybe_unused]] const bool pad_cases = [] {
  OpCases cases = arranging(OpCases("pad"));
  const std::pair<PadMode, const char*> modes[] = {
      {PadMode::reflect, "reflect"}, {PadMode::replicate, "replicate"}, {PadMode::circular, "circular"}};
  for (const auto& named : modes) {
    const PadMode mode = named.first;
    cases
        .on([=](In in) { return pad(in[0], {1, 2, 2, 0}, mode); },
            [=](const std::vector<Doubles>& in) {
              const Shape& x = in[0].shape;
              const int row = x.rank() - 2, column = x.rank() - 1;
              return arranged(in[0], with(with(x, row, x[row] + 2), column, x[column] + 3), [&](const Shape& at) {
                return with(with(at, row, place(mode, at[row] - 2, x[row])), column,
                            place(mode, at[column] - 1, x[column]));
              });
            },
            named.second)
        .inputs(normal({3, 4}))
        .inputs(normal({2, 3, 3}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({300, 170}));
  }
  cases
      .on([](In in) { return pad(in[0], {1, -1, 2, 0}, PadMode::constant, 7); },
          [](const std::vector<Doubles>& in) {
            const Shape& x = in[0].shape;
            return arranged(
                in[0], {x[0] + 2, x[1]},
                [&](const Shape& at) { return at[0] < 2 || at[1] < 1 ? Shape() : Shape{at[0] - 2, at[1] - 1}; }, 7);
          },
          "constant, one column less")
      .inputs(normal({3, 4}))
      .inputs(normal({0, 2}))
      .inputs(normal({300, 170}));
  cases
      .on([](In in) { return pad(in[0], {0, 0, 2, -1, -1, 1, 0, 1}, PadMode::constant, 2); },
          [](const std::vector<Doubles>& in) {
            const Shape& x = in[0].shape;
            return arranged(
                in[0], {x[0] + 1, x[1], x[2] + 1, x[3]},
                [&](const Shape& at) {
                  const Shape from{at[0], at[1] + 1, at[2] - 2, at[3]};
                  return from[0] < x[0] && from[1] < x[1] && from[2] >= 0 ? from : Shape();
                },
                2);
          },
          "constant, images")
      .inputs(normal({1, 2, 3, 2}))
      .inputs(normal({2, 3, 1, 2}));
  return cases
      .with([](OpCases& cases) {
        for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate, PadMode::circular})
          cases.huge([mode](auto v) { pad(ones({2, 3, 4}), {v, 0}, mode); })
              .huge([mode](auto v) { pad(ones({2, 3, 4}), {0, v}, mode); })
              .huge([mode](auto v) { pad(ones({2, 3, 4}), {v, v}, mode); })
              .huge([mode](auto v) { pad(ones({2, 3, 4}), {0, 0, v, 1}, mode); })
              .huge([mode](auto v) { pad(ones({0, 3}), {v, v}, mode); })
              .huge([mode](auto v) { pad(endless(), {v, 1}, mode); });
      })
      .with([](OpCases& cases) {
        const std::pair<const char*, PadMode> modes[] = {{"constant", PadMode::constant},
                                                         {"reflect", PadMode::reflect},
                                                         {"replicate", PadMode::replicate},
                                                         {"circular", PadMode::circular}};
        for (const auto& [name, mode] : modes)
          cases.recorded(std::string("pad.") + name,
                         std::string("lambda x: F.pad(x, (1, 2, 2, 1), mode='") + name + "')",
                         [m = mode](In in) { return pad(in[0], {1, 2, 2, 1}, m); });
      })
      .error<ShapeError>([] { pad(empty({2, 3}), {1}); },
                         "pad: amounts must be pairs for at most the 2 dimensions of x float32 [2, 3], got [1]")
      .error<ShapeError>(
          [] { pad(empty({2, 3}), {3, 0}, PadMode::reflect); },
          "pad: dimension 1 of x float32 [2, 3] has too few elements to pad by 3 and 0 in this mode; at most 2")
      .error<ValueError>([] { pad(empty({2, 3}), {-1, 0}, PadMode::replicate); },
                         "pad: only mode constant accepts negative amounts, got {-1, 0}")
      .error<ShapeError>([] { pad(empty({2}), {-2, -1}); },
                         "pad: {-2, -1} removes more than dimension 0 of x float32 [2] has")
      .error<ShapeError>([] { pad(empty({2, 3}), {0, 4}, PadMode::circular); },
                         "pad: dimension 1 of x float32 [2, 3] has too few elements to pad by 0 and 4 in this mode; at "
                         "most 3")
      .error<ShapeError>([] { pad(empty({2, 0}), {1, 1}, PadMode::replicate); },
                         "pad: dimension 1 of x float32 [2, 0] has too few elements to pad by 1 and 1 in this mode; at "
                         "most 0")
      .error<ShapeError>([] { pad(empty({3}), {1, 1, 1, 1}); },
                         "pad: amounts must be pairs for at most the 1 dimensions of x float32 [3], got [1, 1, 1, 1]")
      .check();
}();

TEST(Arrange, PaddingTakesAnyNumberOfDimensions) {
  const Tensor x = reshape(arange(128), {2, 2, 2, 2, 2, 2, 2});
  Tensor expected = x;
  Shape amounts;
  for (int dim = 6; dim >= 0; --dim) {  // each by itself
    Shape one = Shape::filled(2 * (7 - dim), 0);
    one[2 * (6 - dim)] = dim % 2, one[2 * (6 - dim) + 1] = 1;
    expected = pad(expected, one, PadMode::constant, 5);
    amounts.push_back(dim % 2), amounts.push_back(1);
  }
  EXPECT_EQ(pad(x, amounts, PadMode::constant, 5).to_vector<std::int64_t>(), expected.to_vector<std::int64_t>());
}

TEST(Arrange, PaddingByNothingIsTheSameTensor) {
  const Tensor x = ones({2, 3});
  EXPECT_EQ(pad(x, {0, 0, 0, 0}).raw_data(), x.raw_data());
}

}  // namespace
}  // namespace minima::pad_test
