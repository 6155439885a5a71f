#include <minima/ops/linalg/linalg.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/linalg/kernels/lapack.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// LAPACK, or Eigen in its place, decomposes batches.

namespace minima::lapack_test {
namespace {

using Parts = std::vector<Tensor>;

struct Decomposition {
  const char* name;
  std::function<Parts(const Tensor&)> parts;
};

const std::vector<Decomposition>& iterations() {
  static const std::vector<Decomposition> all{{"eigh",
                                               [](const Tensor& x) {
                                                 const auto found = linalg::eigh(x);
                                                 return Parts{found.values, found.vectors};
                                               }},
                                              {"eigvalsh", [](const Tensor& x) { return Parts{linalg::eigvalsh(x)}; }},
                                              {"eig",
                                               [](const Tensor& x) {
                                                 const auto found = linalg::eig(x);
                                                 return Parts{found.values, found.vectors};
                                               }},
                                              {"eigvals", [](const Tensor& x) { return Parts{linalg::eigvals(x)}; }},
                                              {"svd",
                                               [](const Tensor& x) {
                                                 const auto found = linalg::svd(x);
                                                 return Parts{found.u, found.s, found.vt};
                                               }},
                                              {"svdvals", [](const Tensor& x) { return Parts{linalg::svdvals(x)}; }}};
  return all;
}

TEST(Decompositions, OfABatchOnSeveralThreadsAreThoseOfItsMatrices) {
  std::vector<Decomposition> all = iterations();
  all.push_back({"qr", [](const Tensor& x) {
                   const auto found = linalg::qr(x);
                   return Parts{found.q, found.r};
                 }});
  all.push_back({"geqrf", [](const Tensor& x) {
                   const auto found = linalg::geqrf(x);
                   return Parts{found.a, found.tau};
                 }});
  const int before = num_threads();
  for (const auto& [shape, dtype] : {std::pair(Shape{100, 6, 6}, float32),
                                     {{100, 6, 6}, float64},
                                     {{12, 65, 65}, float32},
                                     {{12, 65, 65}, float64}}) {
    const Tensor x = randn(shape, {.dtype = dtype});
    for (const auto& [name, parts] : all) {
      set_num_threads(4);
      const Parts together = parts(x);
      set_num_threads(before);
      std::vector<std::vector<Tensor>> alone(together.size());
      for (std::int64_t i = 0; i < x.size(0); ++i) {
        const Parts found = parts(select(x, 0, i));
        for (std::size_t k = 0; k < found.size(); ++k) alone[k].push_back(found[k]);
      }
      for (std::size_t k = 0; k < together.size(); ++k) {
        const Tensor joined = stack(alone[k]);
        ASSERT_EQ(together[k].shape(), joined.shape()) << name;
        EXPECT_EQ(std::memcmp(together[k].raw_data(), joined.raw_data(),
                              static_cast<std::size_t>(joined.numel()) * joined.itemsize()),
                  0)
            << name << ", part " << k << ", " << minima::name(dtype);
      }
    }
  }
}

TEST(Decompositions, NameTheMatrixThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()})
    for (const auto& [name, parts] : iterations()) {
      Tensor x = randn({2, 3, 4, 4});
      x[1][2][3][0] = bad;
      try {
        parts(x);
        ADD_FAILURE() << name;
      } catch (const ValueError& error) {
        EXPECT_EQ(std::string(error.what()).find(std::string(name) + ": matrix [1, 2] of float32 [2, 3, 4, 4] has no "),
                  0u)
            << error.what();
      }
    }
}

TEST(Decompositions, TakeViewsAndLeaveThemAlone) {
  const Tensor x = randn({5, 5}), kept = clone(x), turned = transpose(x, 0, 1);
  for (const auto& [name, parts] : iterations()) {
    parts(x);
    parts(turned);
    EXPECT_EQ(x.to_vector<float>(), kept.to_vector<float>()) << name;
  }
}

#ifdef MINIMA_HAVE_LAPACK

// The views' elements do not exist, so that nothing but the check may look at them.
TEST(Lapack, SizesThatItCannotCountAreAnError) {
  const auto expect_error = [](const std::string& op, const auto& call) {
    try {
      call();
      ADD_FAILURE() << op;
    } catch (const ValueError& error) {
      EXPECT_EQ(std::string(error.what()).find(op + ": float32 ["), 0u) << error.what();
      EXPECT_NE(std::string(error.what()).find("is too large for LAPACK, which counts in 32 bits"), std::string::npos);
    }
  };
  const Tensor square = expand(ones({1, 1}), {33000, 33000}), tall = expand(ones({1, 1}), {std::int64_t{1} << 32, 2});
  const Tensor wide = transpose(tall, 0, 1);
  Tensor none, y = ones({1}), z = ones({1, 1});
  expect_error("eigh", [&] { detail::eigh_kernel(square, false, y, z); });
  expect_error("eigvalsh", [&] { detail::eigh_kernel(square, false, y, none); });
  expect_error("svd", [&] { detail::svd_kernel(square, z, y, z); });
  for (const Tensor& x : {tall, wide}) {
    expect_error("svdvals", [&] { detail::svd_kernel(x, none, y, none); });
    expect_error("qr", [&] { detail::qr_kernel(x, z, z); });
    expect_error("geqrf", [&] { detail::geqrf_kernel(x, z, y); });
  }
  const Tensor large = expand(ones({1, 1}), {1 << 25, 1 << 25});
  expect_error("eig", [&] { detail::eig_kernel(large, y, z); });
  expect_error("eigvals", [&] { detail::eig_kernel(large, y, none); });
}

TEST(Lapack, OpenBlasComputesOnTheCallingThread) {
  const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  if (!threads) GTEST_SKIP() << "the BLAS is not OpenBLAS";
  const int before = threads();
  {
    const detail::OneBlasThread outer;
    EXPECT_EQ(threads(), 1);
    { const detail::OneBlasThread inner; }
    EXPECT_EQ(threads(), 1);
  }
  EXPECT_EQ(threads(), before);
}

#endif

}  // namespace
}  // namespace minima::lapack_test
