#include <minima/ops/attention/attention.h>

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

// Gradients of attention where rounding could spoil them: in half types and next to masks of large numbers.

namespace minima::attention_gradients_test {
namespace {

Tensor attend(const std::vector<Tensor>& in, const AttentionOptions& options) {
  return scaled_dot_product_attention(in[0], in[1], in[2], options);
}

/// In half types results are rounded once, and so is the y of which the rows' sums of g · y are made.
TEST(Attention, GradientsInHalfTypesAreThoseOfDoublesButForRounding) {
  for (const auto& [dtype, unit] : {std::pair{bfloat16, 0x1p-8}, {float16, 0x1p-11}})
    for (const auto& [h, l, s, e, ev, causal] :
         {std::tuple{3, 150, 600, 32, 48, false}, {2, 300, 300, 16, 16, true}, {6, 100, 90, 8, 8, false}}) {
      std::vector<Tensor> x, wide, size;  // of q, k, v and the gradient of y
      for (RandomGenerator numbers(13); const Shape& shape : {Shape{h, l, e}, {h, s, e}, {h, s, ev}, {h, l, ev}}) {
        x.push_back(randn(shape, {}, &numbers).to(dtype).requires_grad(true));
        wide.push_back(x.back().detach().to(float64).requires_grad(true));
        size.push_back(abs(wide.back().detach()));
      }
      const AttentionOptions options{.causal = causal};
      const auto got = grad({attend(x, options)}, {x[0], x[1], x[2]}, {x[3]});
      const auto wanted = grad({attend(wide, options)}, {wide[0], wide[1], wide[2]}, {wide[3]});
      const Tensor p = attend({wide[0], wide[1], expand(eye(s, s, {.dtype = float64}), {h, s, s})}, options).detach();
      const Tensor row_sums = sum(size[3] * matmul(p, size[2]), {-1}, true);
      const Tensor slopes = p * (matmul(size[3], transpose(size[2], 1, 2)) + row_sums) / std::sqrt(e);
      const Tensor of_keys = matmul(transpose(slopes, 1, 2), size[0]), of_values = matmul(transpose(p, 1, 2), size[3]);
      const Tensor products[] = {matmul(slopes, size[1]), of_keys, of_values};
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LE(max(abs(got[i].to(float64) - wanted[i]) / (abs(wanted[i]) + products[i] + 1e-5)).item<double>(), unit)
            << name(dtype) << ", S " << s << ", gradient " << i;
    }
}

// A mask's gradient stores the weights: what a large mask is added to must keep its precision.
TEST(Attention, GradientsBesideALargeHalfMaskAreThoseOfDoubles) {
  for (const float level : {-65504.0f, 65504.0f, 0.0f})
    for (const double size : {1.0, 100.0})
      for (const DType dtype : {float16, bfloat16, float32}) {
        RandomGenerator numbers(7);
        const Tensor values[] = {randn({3, 4}, {}, &numbers) * size, randn({5, 4}, {}, &numbers) * size,
                                 randn({5, 4}, {}, &numbers)};
        const auto gradients = [&](DType wanted) {
          std::vector<Tensor> x;
          for (const Tensor& value : values) x.push_back(value.to(dtype).to(wanted).requires_grad(true));
          x.push_back(full({1, 5}, level, {.dtype = wanted == float64 ? float64 : float16}).requires_grad(true));
          const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], {.mask = x[3]});
          return grad({y}, x, {ones(y.shape(), {.dtype = wanted})});
        };
        const std::vector<Tensor> got = gradients(dtype), expected = gradients(float64);
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_TRUE(allclose(got[i].to(float64), expected[i], {.rtol = 0.02, .atol = 0.02}))
              << name(dtype) << " mask " << level << " size " << size << " gradient " << i;
      }
}

// Added to such a mask, the logarithm of the row's sum would be rounded away.
TEST(Attention, ARowHiddenByTheLowestNumberSharesItsWeightEqually) {
  for (const double level : {-3.4028234663852886e38, -1e30, -1e4})
    for (const DType dtype : {float32, float64, bfloat16}) {
      RandomGenerator numbers(9);
      const auto input = [&](std::int64_t rows) {
        return randn({2, rows, 8}, {}, &numbers).to(dtype).requires_grad(true);
      };
      const Tensor q = input(40), k = input(90), v = input(90), g = randn({2, 40, 8}, {}, &numbers).to(dtype);
      const Tensor hidden = reshape(arange(40) < 20, {40, 1});
      const Tensor mask = where(hidden, full({40, 90}, level), 0.0).to(dtype);
      const Tensor y = scaled_dot_product_attention(q, k, v, {.mask = mask});
      const auto got = grad({y}, {q, k, v}, {g}, {.retain_graph = true});
      const auto stored = grad({y}, {q, k, v}, {g}, {.create_graph = true});
      for (std::size_t i = 0; i < 3; ++i) {
        const Closeness close =
            allclose(got[i], stored[i].detach(),
                     {.rtol = dtype == bfloat16 ? 0.05 : 1e-4, .atol = dtype == bfloat16 ? 0.05 : 1e-5});
        EXPECT_TRUE(close) << name(dtype) << " mask " << level << " gradient " << i << ": " << close.message;
      }
    }
}

}  // namespace
}  // namespace minima::attention_gradients_test
