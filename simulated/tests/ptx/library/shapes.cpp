#include "tests/support/compare.h"
#include "tests/support/device.h"
#include "tests/support/draw.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Shapes for which the tables' are too small: many classes, long and odd lines, windows that overlap, blocks of keys
// that are not full. Results and gradients are those of the CPU.

namespace minima::test::shapes {
namespace {

using Tensors = std::vector<Tensor>;

class KernelEntriesOfShapes : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
  void TearDown() override { EXPECT_NO_THROW(synchronize(Device::cuda())); }

  static Tensor numbers(const Shape& shape, Form form = Form::row_major, std::uint64_t seed = 1) {
    return lay_out(draw(normal(shape), GetParam(), seed), GetParam(), form);
  }

  static void expect_as_on_cpu(const std::string& what, const Tensors& inputs,
                               const std::function<Tensors(const Tensors&)>& f, double tolerance = 8) {
    const auto run = [&](Device device) {
      Tensors leaves;
      for (const Tensor& x : inputs) leaves.push_back(x.detach().to(device).requires_grad(is_floating(x.dtype())));
      Tensors results = f(leaves);
      Tensor loss = zeros({}, {.dtype = float64, .device = device});
      for (const Tensor& y : results)
        if (y.requires_grad()) loss = loss + sum(square(y)).to(float64);
      loss.backward();
      for (const Tensor& x : leaves)
        if (x.grad().defined()) results.push_back(x.grad());
      return results;
    };
    const Tensors got = run(test_device()), expected = run(Device::cpu());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      Tolerance near = Tolerance::of(expected[i].dtype()).scaled(tolerance);
      // A result that is rounded the other way is another gradient of its square.
      if (is_half(GetParam()) && is_floating(expected[i].dtype())) near.absolute = 1e-2;
      const Comparison same = compare(got[i].detach().to(Device::cpu()), expected[i].detach(), near);
      EXPECT_TRUE(same) << what << ", " << i << ": " << same.message;
    }
  }
};

TEST_P(KernelEntriesOfShapes, OfManyClasses) {
  for (const Shape& shape : {Shape{300, 10}, Shape{7, 1000}, Shape{3, 5003}, Shape{2, 20011}, Shape{2, 37, 5, 3}}) {
    Shape samples = shape;
    samples.erase(1);
    const std::int64_t classes = shape[1];
    const Tensor target =
        lay_out(draw(whole(samples, 0, static_cast<double>(classes)), int64, 1), int64, Form::row_major);
    const Tensor weight = abs(numbers({classes}));
    const auto expect = [&](const CrossEntropyOptions& options, const Tensor& given) {
      expect_as_on_cpu(str("cross entropy of ", shape), {numbers(shape), weight, given}, [&](const Tensors& in) {
        CrossEntropyOptions there = options;
        if (options.weight.defined()) there.weight = in[1].detach();
        return Tensors{cross_entropy(in[0], in[2].detach(), there)};
      });
    };
    expect({}, target);
    expect({.weight = weight, .ignore_index = 2, .reduction = Reduction::sum, .label_smoothing = 0.1}, target);
    expect({.reduction = Reduction::none, .label_smoothing = 0.1}, target);
    expect({.weight = weight, .reduction = Reduction::none}, target);
    expect({.label_smoothing = 0.1}, softmax(numbers(shape, Form::row_major, 2), 1));
  }
}

TEST_P(KernelEntriesOfShapes, OfLongLines) {
  for (const std::int64_t n : {1000, 1024, 4096, 5001}) {
    expect_as_on_cpu(str("rows of ", n), {numbers({3, n}), numbers({n}), numbers({n}, Form::row_major, 2)},
                     [&](const Tensors& in) {
                       return Tensors{softmax(in[0], 1), log_softmax(in[0], 1), layer_norm(in[0], {n}, in[1], in[2]),
                                      rms_norm(in[0], {n}, in[1])};
                     });
    // The gradients are small differences of sums over a column.
    expect_as_on_cpu(
        str("columns of ", n), {numbers({n, 3})},
        [](const Tensors& in) { return Tensors{softmax(in[0], 0), log_softmax(in[0], 0)}; }, 16);
  }
}

/// A half type added to float32.
TEST_P(KernelEntriesOfShapes, OfLongResidualLines) {
  if (!is_half(GetParam())) GTEST_SKIP() << "has no larger type";
  for (const std::int64_t n : {1000, 1001, 4096, 5001}) {
    const Tensor residual = lay_out(draw(normal({3, n}), float32, 5), float32, Form::row_major);
    expect_as_on_cpu(str("sums of ", n), {numbers({3, n}), residual, numbers({n}), numbers({n}, Form::row_major, 2)},
                     [&](const Tensors& in) {
                       const auto [sum, normed] = add_layer_norm(in[0], in[1], {n}, in[2], in[3]);
                       return Tensors{sum, normed};
                     });
  }
}

TEST_P(KernelEntriesOfShapes, OfLinesInTheMiddle) {
  for (const Shape& shape : {Shape{3, 700, 5}, Shape{2, 70, 40}, Shape{2, 9, 3, 33}})
    expect_as_on_cpu(
        str("along 1 of ", shape), {numbers(shape)},
        [](const Tensors& in) { return Tensors{softmax(in[0], 1), log_softmax(in[0], 1), cumsum(in[0], 1)}; }, 64);
}

TEST_P(KernelEntriesOfShapes, OfPaddingInManyDimensions) {
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate, PadMode::circular})
    expect_as_on_cpu("padding", {numbers({3, 4, 5, 6})}, [&](const Tensors& in) {
      return Tensors{pad(in[0], {1, 2, 2, 0, 1, 3}, mode), pad(transpose(in[0], 1, 3), {2, 1, 0, 3}, mode)};
    });
}

TEST_P(KernelEntriesOfShapes, OfPlacesInManyDimensions) {
  const Shape shape{2, 3, 2, 3, 2, 7};
  for (const int dim : {0, 2, 5}) {
    const Tensor index =
        lay_out(draw(whole(shape, 0, static_cast<double>(shape[dim])), int64, 3), int64, Form::row_major);
    expect_as_on_cpu(
        str("places along ", dim), {numbers(shape), numbers(shape, Form::reversed, 2), index},
        [&](const Tensors& in) { return Tensors{scatter_add(in[0], dim, in[2], in[1]), gather(in[1], dim, in[2])}; });
  }
}

/// Around the sizes of packs, warps, tiles and blocks.
TEST_P(KernelEntriesOfShapes, OfEverySizeOfTile) {
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 129, 1023, 1025, 2049, 4097}) {
    expect_as_on_cpu(
        str("lines of ", n), {numbers({2, n}), numbers({n, 3}, Form::row_major, 2)},
        [&](const Tensors& in) {
          Tensors results{cumsum(in[0], 1), cumsum(in[1], 0), contiguous(transpose(in[0], 0, 1)),
                          contiguous(transpose(in[1], 0, 1))};
          for (const std::int64_t k : {std::int64_t{1}, (n + 1) / 2, n}) {
            if (k > 1024) continue;
            const auto [values, indices] = topk(in[0], k, 1, k % 2 == 0);
            results.push_back(values), results.push_back(indices);
          }
          const auto [sorted, places] = sort(in[1], 0);
          results.push_back(sorted), results.push_back(places);
          const Tensor line = sort(in[0], 1).values;
          results.push_back(searchsorted(reshape(narrow(line, 0, 0, 1), {n}), in[1]));
          results.push_back(nonzero(in[0].detach() > 0.5));
          return results;
        },
        1024);
    if (n > 200) continue;
    for (const std::int64_t m : {1, 31, 32, 33, 64})
      expect_as_on_cpu(str("tiles of ", n, " x ", m), {numbers({2, n, m})},
                       [](const Tensors& in) { return Tensors{contiguous(transpose(in[0], 1, 2))}; });
  }
}

/// Words that are frequent and words that are rare.
TEST_P(KernelEntriesOfShapes, OfRunsOfAllLengths) {
  for (const std::int64_t count : {1, 40, 3000})
    for (const std::int64_t width : {1, 5, 16}) {
      Doubles words = draw(whole({count}, 0, 40), int64, 4);
      for (std::size_t i = 0; i < words.values.size(); ++i)
        if (i % 3 != 0) words.values[i] = static_cast<double>(i % 7 / 5);
      const Tensor index = lay_out(words, int64, Form::row_major);
      expect_as_on_cpu(
          str(count, " words, ", width, " wide"), {numbers({40, width}), index},
          [&](const Tensors& in) { return Tensors{embedding(in[0], in[1]), index_select(in[0], 0, in[1])}; }, 64);
    }
}

TEST_P(KernelEntriesOfShapes, OfImagesOfAllSizes) {
  for (const Shape& size : {Shape{1, 1}, Shape{3, 8}, Shape{10, 9}, Shape{21, 4}})
    for (const InterpolateMode mode : {InterpolateMode::nearest, InterpolateMode::linear, InterpolateMode::cubic})
      expect_as_on_cpu(
          str("images to ", size), {numbers({2, 3, 7, 5})},
          [&](const Tensors& in) {
            Tensors results{interpolate(in[0], {.size = size, .mode = mode})};
            if (mode == InterpolateMode::nearest) return results;
            results.push_back(interpolate(in[0], {.size = size, .mode = mode, .align_corners = true}));
            results.push_back(interpolate(in[0], {.size = size, .mode = mode, .antialias = true}));
            return results;
          },
          32);
}

TEST_P(KernelEntriesOfShapes, OfRotatedHeads) {
  for (const Shape& shape : {Shape{1, 1, 1, 2}, Shape{2, 3, 5, 16}, Shape{7, 34}, Shape{2, 2, 2, 3, 8}})
    for (const bool interleaved : {false, true}) {
      const std::int64_t length = shape[shape.rank() - 2], width = shape[shape.rank() - 1];
      const DType kept = GetParam() == float64 ? float64 : float32;
      expect_as_on_cpu(
          str("heads ", shape), {numbers(shape), numbers(shape, Form::reversed, 2)}, [&](const Tensors& in) {
            const RotaryTables tables = rotary_tables(length, width, {.dtype = kept, .device = in[0].device()});
            Tensors results;
            for (const Tensor& x : in)
              results.push_back(rotary_embedding(x, tables.cos, tables.sin, {.interleaved = interleaved}));
            return results;
          });
    }
}

TEST_P(KernelEntriesOfShapes, OfOverlappingWindows) {
  for (const Shape& shape : {Shape{2, 3, 13, 11}, Shape{1, 8, 9, 14}, Shape{2, 5, 7, 7}})
    for (const Form form : {Form::row_major, Form::channels_last})
      expect_as_on_cpu(str("windows in ", shape, " ", name(form)), {numbers(shape, form)}, [](const Tensors& in) {
        const Tensor& x = in[0];
        Tensors results{avg_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1}),
                        avg_pool2d(x, {.kernel = {2, 3}, .stride = 1, .padding = 1, .count_include_pad = false}),
                        avg_pool2d(x, {.kernel = {5, 6}, .stride = 1, .padding = 2}),
                        avg_pool2d(x, {.kernel = 3, .stride = 2, .ceil_mode = true})};
        for (const MaxPool2dOptions& options :
             {MaxPool2dOptions{.kernel = 3, .stride = 2, .padding = 1}, MaxPool2dOptions{.kernel = 2, .stride = 1},
              MaxPool2dOptions{.kernel = {3, 2}, .stride = 2, .padding = 1, .dilation = 2},
              MaxPool2dOptions{.kernel = 5, .stride = 1, .padding = 2},
              MaxPool2dOptions{.kernel = {4, 6}, .stride = 1, .padding = 2, .dilation = {2, 1}},
              MaxPool2dOptions{.kernel = 2, .stride = 2, .ceil_mode = true}}) {
          results.push_back(max_pool2d(x, options));
          const auto [values, indices] = max_pool2d_with_indices(x, options);
          results.push_back(values), results.push_back(indices);
        }
        return results;
      });
}

TEST_P(KernelEntriesOfShapes, OfBlocksThatAreNotFull) {
  const Tensor query = numbers({2, 3, 70, 12}), key = numbers({2, 3, 45, 12}, Form::row_major, 2),
               value = numbers({2, 3, 45, 12}, Form::row_major, 3), bias = numbers({70, 45}, Form::row_major, 4);
  for (const bool causal : {false, true})
    expect_as_on_cpu(
        causal ? "causal attention" : "attention", {query, key, value, bias},
        [&](const Tensors& in) {
          AttentionOptions options;
          if (causal) options.causal = true;
          else options.mask = in[3].detach();
          return Tensors{scaled_dot_product_attention(in[0], in[1], in[2], options)};
        },
        32);
}

INSTANTIATE_TEST_SUITE_P(Of, KernelEntriesOfShapes, testing::Values(float64, float32, float16, bfloat16),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace minima::test::shapes
