#include <minima/autograd/backward.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

namespace minima {
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

}  // namespace
}  // namespace minima
