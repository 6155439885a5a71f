#include <minima/autograd/backward.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/print.h>

#include <gtest/gtest.h>

// Lines are transformed in groups, and planes in parts.

namespace minima::groups_test {
namespace {

/// So many planes that they are transformed part by part.
TEST(Fft, OfManyPlanesIsThatOfTheirLines) {
  const Tensor x = randn({601, 40, 2, 33}, {.dtype = float64}).requires_grad(true);
  const Tensor z = fft::fft(fft::rfft(x), {.dim = 1});
  const Tensor planes = fft::rfftn(x, {.dims = Shape{1, -1}});
  EXPECT_TRUE(allclose(planes.detach(), z.detach(), {0, 1e-11}));
  const Tensor slope = complex(randn(z.shape(), {.dtype = float64}), randn(z.shape(), {.dtype = float64}));
  EXPECT_TRUE(allclose(grad({real(sum(planes * slope))}, {x})[0], grad({real(sum(z * slope))}, {x})[0], {0, 1e-10}));

  const Tensor half = z.detach().requires_grad(true);
  const Tensor back = fft::irfftn(half, {.s = Shape{40, 33}, .dims = Shape{1, -1}});
  EXPECT_TRUE(allclose(back.detach(), x.detach(), {0, 1e-12}));
  const Tensor by_lines = fft::irfft(fft::ifft(half, {.dim = 1}), {.n = 33});
  const Tensor weights = randn(x.shape(), {.dtype = float64});
  EXPECT_TRUE(allclose(grad({sum(back * weights)}, {half})[0], grad({sum(by_lines * weights)}, {half})[0], {0, 1e-10}));

  EXPECT_TRUE(allclose(fft::fftn(half.detach(), {.dims = Shape{3, 1}}), fft::fft(fft::fft(half.detach()), {.dim = 1}),
                       {0, 1e-10}));
  const Tensor turned = transpose(x.detach(), 0, 1);  // not row-major
  EXPECT_TRUE(allclose(
      fft::hfftn(conj(fft::ihfftn(turned, {.dims = Shape{2, 3}})), {.s = Shape{2, 33}, .dims = Shape{2, 3}}),
      fft::hfft(fft::fft(conj(fft::ifft(fft::ihfft(turned), {.dim = 2})), {.dim = 2}), {.n = 33}), {0, 1e-10}));
}

/// Sixteen lines are moved by tiles, a line alone by elements.
TEST(Fft, ManyLinesAreTransformedAsEachAlone) {
  for (const DType dtype : {float32, float64})
    for (const std::int64_t length : {1, 7, 8, 16, 37, 40, 64, 100}) {
      const std::int64_t lines = 75;
      const Tensor x = randn({lines, length}, {.dtype = dtype}),
                   z = complex(x, randn({lines, length}, {.dtype = dtype}));
      const Tensor results[] = {fft::fft(z), fft::ifft(z), fft::rfft(x), fft::irfft(z, {.n = length})};
      for (const std::int64_t i : {0, 1, 17, 31, 32, 63, 74}) {
        const Tensor real = select(x, 0, i), line = select(z, 0, i);
        const Tensor alone[] = {fft::fft(line), fft::ifft(line), fft::rfft(real), fft::irfft(line, {.n = length})};
        for (int f = 0; f < 4; ++f) {
          const Closeness close = allclose(select(results[f], 0, i), alone[f], {.rtol = 1e-5, .atol = 1e-5});
          EXPECT_TRUE(close) << "function " << f << ", line " << i << " of " << length << ": " << close.message;
        }
      }
      // Lines along the first dimension are side by side.
      const Tensor turned = fft::fft(contiguous(transpose(z, 0, 1)), {.dim = 0});
      EXPECT_TRUE(allclose(transpose(turned, 0, 1), results[0], {.rtol = 1e-5, .atol = 1e-5})) << length;
    }
}

/// Columns are grouped within a row of them, or over several if they are few; long ones in smaller groups.
TEST(Fft, ColumnsAreTransformedAsRows) {
  const auto expect_equal = [](const Shape& shape, DType dtype) {
    const Tensor z = complex(randn(shape, {.dtype = float64}), randn(shape, {.dtype = float64})).to(dtype),
                 rows = contiguous(transpose(z, 1, 2));
    const Tolerance tolerance{.rtol = 0, .atol = (dtype == complex64 ? 1e-6 : 1e-14) * static_cast<double>(shape[1])};
    const Closeness close = allclose(transpose(fft::fft(z, {.dim = 1}), 1, 2), fft::fft(rows), tolerance);
    EXPECT_TRUE(close) << shape << ": " << close.message;
  };
  for (const DType dtype : {complex64, complex128}) {
    for (const std::int64_t columns : {0, 1, 2, 7, 15, 16, 17, 33, 47, 48, 63, 64, 100})
      expect_equal({5, 24, columns}, dtype);
    expect_equal({1, 8192, 21}, dtype);
    expect_equal({1, 40'000, 16}, dtype);
  }
}

}  // namespace
}  // namespace minima::groups_test
