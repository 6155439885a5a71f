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

namespace minima::test {
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
    expect_as_on_cpu(str("columns of ", n), {numbers({n, 3})},
                     [](const Tensors& in) { return Tensors{softmax(in[0], 0), log_softmax(in[0], 0)}; });
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
}  // namespace minima::test
