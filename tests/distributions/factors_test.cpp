#include <minima/distributions/multivariate/factors.h>

#include <minima/autograd/gradcheck.h>
#include <minima/distributions/distributions.h>
#include <minima/ops/linalg/linalg.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions::factors_test {
namespace {

constexpr TensorOptions doubles{.dtype = float64};

Tensor positive_definite(const Shape& batch, std::int64_t size) {
  const Tensor x = randn(detail::joined(batch, {size, size}), doubles);
  return matmul(x, transpose(x, -2, -1)) + eye(size, size, doubles);
}

/// The quadratic form by the inverse.
Tensor by_inverse(const Tensor& matrix, const Tensor& x) {
  return sum(squeeze(matmul(linalg::inv(matrix), unsqueeze(x, -1)), -1) * x, -1);
}

TEST(SquaredDistance, BroadcastsMatricesAndVectors) {
  manual_seed(4);
  const std::vector<std::pair<Shape, Shape>> batches{{{}, {}},
                                                     {{}, {5}},
                                                     {{}, {2, 5}},
                                                     {{4}, {}},
                                                     {{4}, {4}},
                                                     {{4}, {2, 4}},
                                                     {{1}, {4}},
                                                     {{4}, {1}},
                                                     {{3, 1}, {4}},
                                                     {{1, 4}, {3, 1}},
                                                     {{3, 4}, {2, 3, 4}},
                                                     {{0}, {0}},
                                                     {{}, {0}},
                                                     {{1, 2, 1}, {5, 3, 2, 4}}};
  for (const auto& [of_matrices, of_vectors] : batches) {
    const Tensor matrix = positive_definite(of_matrices, 3), x = randn(detail::joined(of_vectors, {3}), doubles);
    const Tensor found = detail::squared_distance(detail::cholesky_factor(matrix), x);
    const Closeness close = allclose(found, by_inverse(matrix, x), {.rtol = 1e-9, .atol = 1e-9});
    EXPECT_TRUE(close) << str(of_matrices, " and ", of_vectors, ": ", close.message);
  }
}

TEST(SquaredDistance, IsDifferentiableTwice) {
  manual_seed(5);
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{detail::squared_distance(tril(in[0]), in[1])};
  };
  const Tensor lower = (tril(randn({2, 1, 3, 3}, doubles)) + 3 * eye(3, 3, doubles)).requires_grad(true);
  const Tensor x = randn({4, 1, 2, 3}, doubles).requires_grad(true);
  const GradcheckReport first = gradcheck(f, {lower, x}), second = gradgradcheck(f, {lower, x});
  EXPECT_TRUE(first) << first.message;
  EXPECT_TRUE(second) << second.message;
}

TEST(MultivariateNormal, HasTheDensityOfManyDimensions) {
  manual_seed(6);
  const std::int64_t size = 300;
  const Tensor matrix = positive_definite({}, size), loc = randn({size}, doubles), x = randn({7, 2, size}, doubles);
  const MultivariateNormal law(loc, {.matrix = matrix});
  const Tensor expected = (by_inverse(matrix, x - loc) + linalg::slogdet(matrix).logarithm +
                           static_cast<double>(size) * std::log(2 * std::numbers::pi)) *
                          -0.5;
  const Closeness close = allclose(law.log_prob(x), expected, {.rtol = 1e-9, .atol = 1e-9});
  EXPECT_TRUE(close) << close.message;
}

TEST(MultivariateNormal, OfOneMatrixAndSeveralMeansIsTheLawOfEach) {
  manual_seed(7);
  const Tensor matrix = positive_definite({}, 4), loc = randn({3, 4}, doubles), x = randn({5, 3, 4}, doubles);
  const MultivariateNormal law(loc, {.matrix = matrix});
  EXPECT_EQ(law.batch_shape(), Shape({3}));
  EXPECT_EQ(law.scale_tril.shape(), Shape({3, 4, 4}));
  for (std::int64_t i = 0; i < 3; ++i) {
    const MultivariateNormal alone(loc[i], {.matrix = matrix});
    EXPECT_TRUE(allclose(select(law.log_prob(x), 1, i), alone.log_prob(select(x, 1, i))));
    EXPECT_TRUE(allclose(law.entropy()[i], alone.entropy()));
    const MultivariateNormal other(zeros({4}, doubles), {.matrix = eye(4, 4, doubles)});
    EXPECT_TRUE(allclose(kl_divergence(law, other)[i], kl_divergence(alone, other)));
    EXPECT_TRUE(allclose(kl_divergence(other, law)[i], kl_divergence(other, alone)));
  }
}

TEST(MultivariateNormal, ComputesHalfTypesInFloat32) {
  manual_seed(8);
  const Tensor matrix = positive_definite({}, 6), x = randn({10, 6}, doubles);
  const MultivariateNormal law(zeros({6}, doubles), {.matrix = matrix});
  for (const DType dtype : {float16, bfloat16}) {
    const MultivariateNormal half(zeros({6}, {.dtype = dtype}), {.matrix = matrix.to(dtype)});
    const Tensor found = half.log_prob(x.to(dtype));
    EXPECT_EQ(found.dtype(), dtype);
    const Closeness close = allclose(found.to(float64), law.log_prob(x), {.rtol = 0.1, .atol = 0.1});
    EXPECT_TRUE(close) << close.message;
  }
}

TEST(Wishart, IsMinusInfinityWhereAMatrixOfTheBatchIsNotDefinite) {
  const Wishart law(full({}, 4.0, doubles), {.matrix = eye(2, 2, doubles)});
  const Tensor x = tensor({{{1, 2}, {2, 1}}, {{2, 1}, {1, 2}}}, doubles);
  const Tensor found = law.log_prob(x);
  EXPECT_EQ(found[0].item<double>(), -HUGE_VAL);
  EXPECT_TRUE(std::isfinite(found[1].item<double>()));
}

TEST(CholeskyFactor, IsNaNOnlyWhereThereIsNone) {
  const Tensor x = tensor({{{1, 2}, {2, 1}}, {{4, 2}, {2, 5}}}, doubles), factor = detail::cholesky_factor(x);
  EXPECT_TRUE(all(isnan(factor[0])).item<bool>());
  EXPECT_TRUE(allclose(factor[1], tensor({{2, 0}, {1, 2}}, doubles)));
}

}  // namespace
}  // namespace minima::distributions::factors_test
