#include "simulated/tests/library/library.h"

#include "simulated/census/census.h"

#include <minima/autograd/backward.h>
#include <minima/ops/linalg/linalg.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

// minima's linear algebra on the simulated cuSOLVER and cuBLAS: which functions it calls, how accurate the results are,
// singular matrices, failures, streams.

namespace minima::cusolver_test {
namespace {

class SimulatedLibraryCusolver : public LibraryOnSimulatedGpus {};

Tensor turned(const Tensor& x) { return transpose(x, -2, -1); }
Tensor wide(const Tensor& x) { return x.to(Device::cpu()).to(float64); }
Tensor unit(std::int64_t n, DType dtype = float64) { return eye(n, {.dtype = dtype}); }

/// ‖residual‖₁ / (‖scale‖₁·n·ε) is below LAPACK's threshold.
void expect_small(const Tensor& residual, const Tensor& scale, std::int64_t n, DType dtype, const std::string& what) {
  const double epsilon = dtype == float64 ? std::numeric_limits<double>::epsilon()
                                          : static_cast<double>(std::numeric_limits<float>::epsilon());
  const Tensor ratios = linalg::matrix_norm(residual, 1) / linalg::matrix_norm(scale, 1);
  EXPECT_LT(amax(ratios).item<double>() / (static_cast<double>(n) * epsilon), 30) << what;
}

/// Calls f with matrices of this shape on the GPU: in both dtypes, contiguous and not.
void for_matrices(const Shape& shape, const std::function<void(const Tensor&, const std::string&)>& f) {
  RandomGenerator generator(5);
  for (const DType dtype : {float32, float64}) {
    const Tensor x = randn(shape, {.dtype = float64}, &generator).to(dtype).to(first_gpu);
    const std::string what = str(x);
    f(x, what);
    f(turned(contiguous(turned(x))), what + ", transposed memory");
    f(narrow(cat({x, x}, -1), -1, 0, x.size(-1)), what + ", a part of wider rows");
  }
}

std::int64_t calls_of(const std::string& function) { return simulated::calls(function); }

TEST_F(SimulatedLibraryCusolver, Cholesky) {
  for (const Shape& shape : {Shape{1, 1}, Shape{17, 17}, Shape{2, 3, 9, 9}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const std::int64_t n = x.size(-1);
      const Tensor a = matmul(x, turned(x)) + unit(n, x.dtype()).to(first_gpu);
      const Tensor l = wide(linalg::cholesky(a)), u = wide(linalg::cholesky(a, true));
      expect_small(matmul(l, turned(l)) - wide(a), wide(a), n, x.dtype(), what);
      expect_small(matmul(turned(u), u) - wide(a), wide(a), n, x.dtype(), what + ", upper");
      EXPECT_EQ(amax(abs(triu(l, 1))).item<double>() + amax(abs(tril(u, -1))).item<double>(), 0) << what;
    });
}

TEST_F(SimulatedLibraryCusolver, LuSolveInverseAndDeterminant) {
  for (const Shape& shape : {Shape{1, 1}, Shape{17, 17}, Shape{2, 3, 9, 9}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const std::int64_t n = x.size(-1);
      const Tensor b = randn({n, 4}, {.dtype = x.dtype(), .device = first_gpu});
      const auto residual = [&](const Tensor& a, const Tensor& y, const Tensor& right, const std::string& op) {
        expect_small(matmul(wide(a), wide(y)) - wide(right), matmul(abs(wide(a)), abs(wide(y))), n, x.dtype(),
                     op + " of " + what);
      };
      residual(x, linalg::solve(x, b), b, "solve");
      residual(turned(x), turned(linalg::solve(x, turned(b), false)), b, "solve from the right");
      residual(x, linalg::inv(x), unit(n), "inv");
      residual(x, linalg::lu_solve(linalg::lu_factor(x), b), b, "lu_solve");
      const auto [p, l, u] = linalg::lu(x);
      expect_small(matmul(wide(p), matmul(wide(l), wide(u))) - wide(x), wide(x), n, x.dtype(), what);
      const Tensor exact = linalg::det(wide(x));
      EXPECT_TRUE(allclose(wide(linalg::det(x)), exact, {.rtol = 2e-3, .atol = 1e-5})) << what;
      const auto [sign, logarithm] = linalg::slogdet(x);
      EXPECT_TRUE(allclose(wide(sign) * exp(wide(logarithm)), exact, {.rtol = 2e-3, .atol = 1e-5})) << what;
    });
}

TEST_F(SimulatedLibraryCusolver, LuOfTallAndWideMatrices) {
  for (const Shape& shape : {Shape{11, 4}, Shape{4, 11}, Shape{3, 5, 2}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const auto [p, l, u] = linalg::lu(x);
      expect_small(matmul(wide(p), matmul(wide(l), wide(u))) - wide(x), wide(x), 11, x.dtype(), what);
    });
}

TEST_F(SimulatedLibraryCusolver, SolveTriangular) {
  for (const Shape& shape : {Shape{9, 9}, Shape{2, 3, 5, 5}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const std::int64_t n = x.size(-1);
      const Tensor a = x / static_cast<double>(n) + unit(n, x.dtype()).to(first_gpu);
      const Tensor b = randn({n, 3}, {.dtype = x.dtype(), .device = first_gpu});
      for (const bool upper : {false, true})
        for (const bool unitriangular : {false, true}) {
          const Tensor y = linalg::solve_triangular(a, b, {.upper = upper, .unitriangular = unitriangular});
          const Tensor expected =
              linalg::solve_triangular(wide(a), wide(b), {.upper = upper, .unitriangular = unitriangular});
          EXPECT_TRUE(allclose(wide(y), expected, {.rtol = 1e-4, .atol = 1e-4})) << what;
          const Tensor right =
              linalg::solve_triangular(a, turned(b), {.upper = upper, .left = false, .unitriangular = unitriangular});
          EXPECT_TRUE(
              allclose(wide(right),
                       linalg::solve_triangular(wide(a), wide(turned(b)),
                                                {.upper = upper, .left = false, .unitriangular = unitriangular}),
                       {.rtol = 1e-4, .atol = 1e-4}))
              << what;
        }
    });
  const Tensor singular = tensor<float>({{0, 0}, {1, 1}}).to(first_gpu);
  EXPECT_TRUE(std::isinf(linalg::solve_triangular(singular, ones({2, 1}).to(first_gpu), {})[0].item<float>()));
}

TEST_F(SimulatedLibraryCusolver, Qr) {
  for (const Shape& shape : {Shape{1, 1}, Shape{17, 17}, Shape{12, 5}, Shape{5, 12}, Shape{2, 3, 6, 4}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const std::int64_t most = std::max(x.size(-1), x.size(-2));
      for (const auto mode : {linalg::QRMode::reduced, linalg::QRMode::complete}) {
        const auto [q, r] = linalg::qr(x, mode);
        expect_small(matmul(wide(q), wide(r)) - wide(x), wide(x), most, x.dtype(), what);
        expect_small(matmul(turned(wide(q)), wide(q)) - unit(q.size(-1)), unit(q.size(-1)), most, x.dtype(), what);
        EXPECT_EQ(amax(abs(tril(wide(r), -1))).item<double>(), 0) << what;
      }
      EXPECT_TRUE(allclose(wide(linalg::qr(x, linalg::QRMode::r).r), wide(linalg::qr(x).r))) << what;
    });
}

TEST_F(SimulatedLibraryCusolver, Eigh) {
  for (const Shape& shape : {Shape{1, 1}, Shape{17, 17}, Shape{2, 3, 6, 6}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const std::int64_t n = x.size(-1);
      const Tensor a = x + turned(x);
      const auto [w, v] = linalg::eigh(a);
      expect_small(matmul(wide(a), wide(v)) - wide(v) * unsqueeze(wide(w), -2), wide(a), n, x.dtype(), what);
      expect_small(matmul(turned(wide(v)), wide(v)) - unit(n), unit(n), n, x.dtype(), what);
      EXPECT_TRUE(allclose(wide(linalg::eigvalsh(a)), wide(w), {.rtol = 1e-4, .atol = 1e-4})) << what;
      EXPECT_TRUE(allclose(wide(linalg::eigvalsh(triu(a), true)), wide(w), {.rtol = 1e-4, .atol = 1e-4})) << what;
      EXPECT_TRUE(allclose(wide(linalg::eigvalsh(tril(a))), wide(w), {.rtol = 1e-4, .atol = 1e-4})) << what;
    });
}

TEST_F(SimulatedLibraryCusolver, Svd) {
  for (const Shape& shape : {Shape{1, 1}, Shape{17, 17}, Shape{12, 5}, Shape{5, 12}, Shape{2, 3, 6, 4}})
    for_matrices(shape, [](const Tensor& x, const std::string& what) {
      const std::int64_t most = std::max(x.size(-1), x.size(-2));
      for (const bool full : {false, true}) {
        const auto [u, s, vt] = linalg::svd(x, full);
        const std::int64_t k = s.size(-1);
        const Tensor product = matmul(narrow(wide(u), -1, 0, k) * unsqueeze(wide(s), -2), narrow(wide(vt), -2, 0, k));
        expect_small(product - wide(x), wide(x), most, x.dtype(), what);
        expect_small(matmul(turned(wide(u)), wide(u)) - unit(u.size(-1)), unit(u.size(-1)), most, x.dtype(), what);
        expect_small(matmul(wide(vt), turned(wide(vt))) - unit(vt.size(-2)), unit(vt.size(-2)), most, x.dtype(), what);
      }
      EXPECT_TRUE(allclose(wide(linalg::svdvals(x)), wide(linalg::svd(x).s), {.rtol = 1e-4, .atol = 1e-4})) << what;
    });
}

TEST_F(SimulatedLibraryCusolver, RankDeficientMatricesAndLeastSquares) {
  for (const Shape& shape : {Shape{12, 5}, Shape{5, 12}, Shape{2, 6, 6}}) {
    const Tensor full = randn(shape, {.dtype = float64, .device = first_gpu});
    const Tensor b = randn({shape[shape.rank() - 2], 2}, {.dtype = float64, .device = first_gpu});
    const Tensor rank_two = matmul(narrow(full, -1, 0, 2), narrow(full, -2, 0, 2));
    for (const Tensor& a : {full, rank_two}) {
      const linalg::LeastSquares found = linalg::lstsq(a, b), expected = linalg::lstsq(wide(a), wide(b));
      EXPECT_TRUE(allclose(wide(found.solution), expected.solution, {.rtol = 1e-9, .atol = 1e-9})) << str(a);
      EXPECT_TRUE(allclose(wide(found.residuals), expected.residuals, {.rtol = 1e-9, .atol = 1e-9})) << str(a);
      EXPECT_EQ(found.rank.to_vector<std::int64_t>(), expected.rank.to_vector<std::int64_t>()) << str(a);
      EXPECT_TRUE(allclose(wide(linalg::pinv(a)), linalg::pinv(wide(a)), {.rtol = 1e-9, .atol = 1e-9})) << str(a);
    }
    const auto [u, s, vt] = linalg::svd(rank_two, true);
    expect_small(matmul(turned(wide(u)), wide(u)) - unit(u.size(-1)), unit(u.size(-1)), 12, float64, "U of rank 2");
  }
}

/// Every matrix of a batch is halved as often as its own norm asks for.
TEST_F(SimulatedLibraryCusolver, Exponentials) {
  const double infinity = std::numeric_limits<double>::infinity();
  RandomGenerator generator(5);
  for (const DType dtype : {float32, float64}) {
    const Tensor one = randn({5, 5}, {.dtype = float64}, &generator), zero = one * 0;
    const Tensor x = stack({one, one * 1e-9, one * 20, zero, one * infinity}).to(dtype);
    const Tensor found = wide(linalg::matrix_exp(x.to(first_gpu))), expected = wide(linalg::matrix_exp(x));
    for (int i = 0; i < 4; ++i)
      expect_small(found[i] - expected[i], expected[i], 5, dtype, "matrix " + std::to_string(i));
    EXPECT_TRUE(all(isnan(found[4])).item<bool>());
  }
}

/// The same errors as on the CPU.
void expect_error(const std::function<void(Device)>& f, const std::string& what) {
  for (const Device device : {Device::cpu(), first_gpu}) try {
      f(device);
      ADD_FAILURE() << what << ": no error on " << str(device);
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
}

TEST_F(SimulatedLibraryCusolver, ErrorsAreThoseOfTheCpu) {
  const Tensor good = unit(3), bad = tensor<double>({{1, 2, 0}, {2, 4, 0}, {0, 0, 1}});
  const Tensor batch = reshape(stack({good, bad, good, bad}), {2, 2, 3, 3});
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor infinite = stack({good, good * infinity});
  expect_error([&](Device d) { linalg::cholesky(bad.to(d)); }, "its leading minor of order 2 is not positive");
  expect_error([&](Device d) { linalg::cholesky(batch.to(d)); }, "cholesky: matrix [0, 1] of float64 [2, 2, 3, 3]");
  expect_error([&](Device d) { linalg::inv(batch.to(d)); }, "inv: matrix [0, 1] of float64 [2, 2, 3, 3]");
  expect_error([&](Device d) { linalg::solve(bad.to(d), ones({3, 1}, {.dtype = float64, .device = d})); },
               "is singular: pivot ");
  // The transpose's first pivot that is 0 would be another.
  expect_error([&](Device d) { linalg::inv(tensor<double>({{0, 0}, {1, 1}}).to(d)); }, "is singular: pivot 2 is 0");
  expect_error([&](Device d) { linalg::eigh(infinite.to(d)); }, "eigh: matrix [1] of float64 [2, 3, 3]");
  expect_error([&](Device d) { linalg::eigvalsh(infinite.to(d)); }, "eigvalsh: matrix [1]");
  expect_error([&](Device d) { linalg::svd(infinite.to(d)); }, "svd: matrix [1] of float64 [2, 3, 3]");
  expect_error([&](Device d) { linalg::svdvals(infinite.to(d)); }, "svdvals: matrix [1]");
  expect_error(
      [&](Device d) {
        linalg::LUFactors factors = linalg::lu_factor(good.to(d));
        linalg::lu_solve({factors.lu, factors.pivots + 3}, ones({3, 1}, {.dtype = float64, .device = d}));
      },
      "lu_solve: pivots must be between 1 and 3");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor one_triangle = tensor<double>({{4, nan}, {2, 3}}).to(first_gpu);
  EXPECT_NO_THROW(linalg::cholesky(one_triangle));
  EXPECT_NO_THROW(linalg::eigvalsh(one_triangle));
  EXPECT_TRUE(std::isinf(linalg::cond(bad.to(first_gpu), 1).item<double>()));
  EXPECT_EQ(linalg::det(bad.to(first_gpu)).item<double>(), 0);
}

TEST_F(SimulatedLibraryCusolver, EmptyMatricesAndBatchesCallNothing) {
  const std::int64_t created = calls_of("cusolverDnXgetrf"), sizes = calls_of("cusolverDnXgesvd_bufferSize");
  for (const Shape& shape : {Shape{0, 0}, Shape{3, 0, 0}, Shape{0, 4, 4}}) {
    const Tensor x = zeros(shape, {.device = first_gpu});
    EXPECT_EQ(linalg::inv(x).shape(), shape);
    EXPECT_EQ(linalg::svd(x).u.shape(), shape);
    EXPECT_EQ(linalg::det(x).to_vector<float>(), linalg::det(zeros(shape)).to_vector<float>());
  }
  EXPECT_EQ(linalg::solve(ones({1, 1}).to(first_gpu), zeros({1, 0}).to(first_gpu)).shape(), (Shape{1, 0}));
  EXPECT_EQ(calls_of("cusolverDnXgetrf"), created);
  EXPECT_EQ(calls_of("cusolverDnXgesvd_bufferSize"), sizes);
}

TEST_F(SimulatedLibraryCusolver, BatchesOfSmallMatricesAreOneCall) {
  const Tensor x = (unit(4) * 2).to(first_gpu), batch = expand(x, {7, 4, 4});
  const Tensor b = ones({4, 2}, {.dtype = float64, .device = first_gpu});
  const auto expect_calls = [&](const std::function<void(const Tensor&)>& f, const std::string& single,
                                const std::string& batched) {
    const std::int64_t before = calls_of(single), before_batch = calls_of(batched);
    f(x);
    EXPECT_EQ(calls_of(single) - before, 1) << single;
    f(batch);
    EXPECT_EQ(calls_of(single) - before, 1) << single;
    EXPECT_EQ(calls_of(batched) - before_batch, 1) << batched;
  };
  expect_calls([](const Tensor& a) { linalg::cholesky(a); }, "cusolverDnXpotrf", "cusolverDnDpotrfBatched");
  expect_calls([](const Tensor& a) { linalg::lu_factor(a); }, "cusolverDnXgetrf", "cublasDgetrfBatched");
  expect_calls([&](const Tensor& a) { linalg::solve(a, b); }, "cusolverDnXgetrs", "cublasDgetrsBatched");
  expect_calls([](const Tensor& a) { linalg::eigh(a); }, "cusolverDnXsyevd", "cusolverDnXsyevBatched");
  expect_calls([&](const Tensor& a) { linalg::solve_triangular(a, b, {}); }, "cublasDtrsm_v2", "cublasDtrsmBatched");
  const std::int64_t parts = calls_of("cusolverDnXsyevBatched");
  const Tensor many = linalg::eigvalsh(reshape(arange(1030), {1030, 1, 1}).to(float64).to(first_gpu));
  EXPECT_EQ(calls_of("cusolverDnXsyevBatched") - parts, 2) << "a large batch is done in parts";
  EXPECT_EQ(many[1029].item<double>(), 1029);
  const std::int64_t before = calls_of("cublasDtrsm_v2");
  linalg::solve_triangular(expand((unit(64) * 2).to(first_gpu), {3, 64, 64}),
                           ones({64, 1}, {.dtype = float64, .device = first_gpu}), {});
  EXPECT_EQ(calls_of("cublasDtrsm_v2") - before, 3) << "large ones";
}

TEST_F(SimulatedLibraryCusolver, GradientsRunOnTheGpuToo) {
  const Tensor a = (unit(5) * 3 + ones({5, 5}, {.dtype = float64})).to(first_gpu).requires_grad(true);
  const Tensor b = ones({5, 2}, {.dtype = float64, .device = first_gpu}).requires_grad(true);
  const Tensor host_a = a.detach().to(Device::cpu()).requires_grad(true);
  const Tensor host_b = b.detach().to(Device::cpu()).requires_grad(true);
  const auto loss = [](const Tensor& x, const Tensor& y) {
    return sum(linalg::solve(x, y)) + linalg::slogdet(x).logarithm + sum(square(linalg::cholesky(x)));
  };
  const std::int64_t before = calls_of("cusolverDnXgetrs") + calls_of("cublasDtrsm_v2");
  loss(a, b).backward();
  EXPECT_GE(calls_of("cusolverDnXgetrs") + calls_of("cublasDtrsm_v2") - before, 4);
  loss(host_a, host_b).backward();
  EXPECT_TRUE(allclose(wide(a.grad()), host_a.grad(), {.rtol = 1e-10, .atol = 1e-10}));
  EXPECT_TRUE(allclose(wide(b.grad()), host_b.grad(), {.rtol = 1e-10, .atol = 1e-10}));
}

TEST_F(SimulatedLibraryCusolver, FailuresNameTheCall) {
  const Tensor x = (unit(3) * 2).to(second_gpu);
  simulated::fail_call("cusolverDnCreate", 1, 2);
  EXPECT_NO_THROW(linalg::cholesky(x)) << "memory was free after all";
  for (const std::string call : {"cusolverDnXpotrf_bufferSize", "cusolverDnXpotrf"}) {
    simulated::fail_call(call, 1, 7);
    try {
      linalg::cholesky(x);
      ADD_FAILURE() << call;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("cuSOLVER: " + call + ": CUSOLVER_STATUS_INTERNAL_ERROR (7)"),
                std::string::npos)
          << error.what();
    }
  }
  simulated::fail_call("cublasDtrsm_v2", 1, 14);
  EXPECT_THROW(linalg::solve_triangular(x, x, {}), Error);
  EXPECT_NO_THROW(linalg::solve_triangular(x, x, {}));
}

TEST_F(SimulatedLibraryCusolver, StreamsAndThreadsDoNotShareHandles) {
  const Tensor x = randn({2, 6, 6}, {.dtype = float64}) + unit(6) * 3, expected = linalg::inv(x);
  EXPECT_EQ(failures([&] {
              std::vector<Tensor> results(3);
              std::vector<std::thread> threads;
              for (Tensor& result : results)
                threads.emplace_back([&] {
                  const StreamGuard guard(Stream::create(first_gpu));
                  const Tensor given = x.to(first_gpu);
                  result = (linalg::inv(given) + linalg::qr(given).r * 0).to(Device::cpu());
                });
              for (std::thread& thread : threads) thread.join();
              return std::all_of(results.begin(), results.end(), [&](const Tensor& result) {
                return static_cast<bool>(allclose(result, expected, {.rtol = 1e-9, .atol = 1e-9}));
              });
            }),
            0);
}

TEST_F(SimulatedLibraryCusolver, CensusTellsFlops) {
  const Tensor x = (unit(12, float32) * 2).to(first_gpu);
  synchronize(first_gpu);
  const simulated::Census census;
  linalg::cholesky(x);
  synchronize(first_gpu);
  int found = 0;
  for (const simulated::Piece& piece : census.pieces())
    if (piece.name == "cusolverDnXpotrf") {
      ++found;
      EXPECT_EQ(piece.cost.flops, 12.0 * 12 * 12 / 3);
    }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace minima::cusolver_test
