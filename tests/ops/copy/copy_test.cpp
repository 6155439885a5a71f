#include "tests/ops/checks/op_cases.h"

#include "tests/support/compare.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

namespace minima::copy_test {
namespace {

using namespace test;

const Reference same = elementwise([](double x) { return x; });

OpCases copying(OpCases table, Tensor (*op)(const Tensor&)) {
  return table.dtypes(all_dtypes()).on([op](In in) { return op(in[0]); }, same).pointwise_inputs(1);
}

[[maybe_unused]] const bool cases[] = {
    copying(OpCases("clone"), clone)
        .result_layout(ResultLayout::like_input)
        .error<ValueError>([] { clone(Tensor()); }, "clone: argument 0 is undefined")
        .check(),
    copying(OpCases("contiguous"), contiguous)
        .result_layout(ResultLayout::row_major)
        .error<ValueError>([] { contiguous(Tensor()); }, "contiguous: argument 0 is undefined")
        .check(),
    OpCases("channels_last")
        .dtypes(all_dtypes())
        .on([](In in) { return channels_last(in[0]); }, same)
        .inputs(normal({2, 3, 2, 3}))
        .inputs(normal({2, 3, 2, 2, 2}))
        .inputs(normal({0, 3, 2, 2}))
        .inputs(normal({4, 3, 60, 60}))
        .error<ShapeError>([] { channels_last(empty({2, 3})); },
                           "channels_last: needs a shape of rank 4 or 5, got [2, 3]")
        .error<ShapeError>([] { channels_last(empty({1, 2, 3})); },
                           "channels_last: needs a shape of rank 4 or 5, got [1, 2, 3]")
        .check(),
    OpCases("cast")
        .without("DTypeError", "float64 itself is no conversion to float64")
        .without("errors", "takes every tensor")
        .dtypes({float64, boolean, uint8, int8, int32, int64, float16, bfloat16, float32})
        .result_dtype(always<float64>)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return cast(in[0], float64); }, same, "to float64")
        .pointwise_inputs(1)
        .check(),
    OpCases("copy_")
        .also_calls("clone")
        .dtypes(all_dtypes())
        .on(
            [](In in) {
              const Tensor target = clone(in[0]);
              copy_(target, in[1]);
              return target;
            },
            [](const std::vector<Doubles>& in) { return broadcast_to(in[1], in[0].shape); })
        .inputs(normal({3, 4}), normal({3, 4}))
        .inputs(normal({3, 4}), normal({4}))
        .inputs(normal({2, 3, 4}), normal({3, 1}))
        .inputs(normal({2, 2, 2, 3}), normal({2, 2, 2, 3}))
        .inputs(normal({}), normal({}))
        .inputs(normal({0, 4}), normal({4}))
        .inputs(normal({200, 300}), normal({200, 300}))
        .inputs(specials(), specials())
        .in_place([](In in) { copy_(in[0], in[1]); })
        .error<ShapeError>([] { copy_(empty({2}), empty({3})); },
                           "copy_: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<ShapeError>([] { copy_(empty({2}), empty({2, 2})); },
                           "copy_: source float32 [2, 2] does not broadcast to the shape of target float32 [2]")
        .error<ValueError>([] { copy_(expand(empty({1}), {2}), empty({2})); },
                           "copy_: several elements of float32 [2] share memory (it was expanded?); clone it first")
        .check(),
};

TEST(Cast, ConvertsBetweenAllDtypes) {
  const std::vector<double> values{0, 1, 2, 100, 0.75, -3.5};
  for (const DType from : all_dtypes())
    for (const DType to : all_dtypes()) {
      std::vector<double> given, expected;
      for (const double value : values) {
        // What a negative number becomes without a sign, or a fraction in bool, was rounded before.
        if (value < 0 && (from == uint8 || to == uint8)) continue;
        given.push_back(rounded(value, from));
        expected.push_back(rounded(given.back(), to));
      }
      const Shape shape{static_cast<std::int64_t>(given.size())};
      const Comparison c =
          compare(cast(lay_out({shape, given}, from, Form::gaps), to), Doubles(shape, expected), test::Tolerance{});
      EXPECT_TRUE(c) << name(from) << " to " << name(to) << ": " << c.message;
    }
}

TEST(Cast, ReturnsTheTensorItselfWhereNothingChanges) {
  const Tensor x = tensor<float>({1, 2});
  EXPECT_TRUE(cast(x, float32).is_same(x));
  EXPECT_TRUE(contiguous(x).is_same(x));
  EXPECT_FALSE(clone(x).is_same(x));
}

[[maybe_unused]] const bool copy_as_calls =
    FunctionCases("copy_as")
        .huge([](auto v) { copy_as(ones({2, 3, 4}), Layout{{2, 3, 4}, {v, 4, 1}, 0}); })
        .huge([](auto v) { copy_as(ones({2, 3, 4}), Layout{{2, 3, 4}, {12, 4, 1}, v}); })
        .huge([](auto v) { copy_as(ones({2, 3, 4}), Layout{{v}, {1}, 0}); })
        .undefined([](const Tensor& none) { copy_as(none, ones({2, 2}).layout()); })
        .check();

}  // namespace
}  // namespace minima::copy_test
