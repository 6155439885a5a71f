#include <minima/ops/product/gemm/blas_epilogue.h>

#include <gtest/gtest.h>

// The epilogues that are requested from cuBLASLt.

namespace minima::detail::blas_epilogue_test {
namespace {

alignas(16) float sums[4];

BlasProduct with_sums() {
  BlasProduct p{};
  p.m = 4, p.n = 4, p.k = 8, p.batch = 1;
  p.dtype = bfloat16, p.c_dtype = float32;
  p.sums_of = BlasSums::b;
  p.sums = sums;
  return p;
}

alignas(16) float kept[8];

BlasProduct with_gelu() {
  BlasProduct p{};
  p.m = 8, p.n = 4, p.k = 8, p.ldc = 8, p.batch = 1;
  p.dtype = p.c_dtype = bfloat16;
  p.activation = BlasActivation::gelu;
  p.before = kept;
  return p;
}

template <class Change>
BlasProduct changed(BlasProduct p, const Change& change) {
  change(p);
  return p;
}

TEST(BlasEpilogue, FollowsWhatIsWanted) {
  const float bias = 0;
  float before = 0;
  const auto plain = [](BlasActivation activation, const void* b, void* kept = nullptr) {
    return epilogue_of(changed(with_sums(), [&](BlasProduct& p) {
      p.sums_of = BlasSums::none, p.activation = activation, p.bias = b, p.before = kept;
    }));
  };
  EXPECT_EQ(plain(BlasActivation::none, nullptr), BlasEpilogue::none);
  EXPECT_EQ(plain(BlasActivation::none, &bias), BlasEpilogue::bias);
  EXPECT_EQ(plain(BlasActivation::relu, nullptr), BlasEpilogue::relu);
  EXPECT_EQ(plain(BlasActivation::relu, &bias), BlasEpilogue::relu_bias);
  EXPECT_EQ(plain(BlasActivation::gelu, nullptr), BlasEpilogue::gelu);
  EXPECT_EQ(plain(BlasActivation::gelu, &bias), BlasEpilogue::gelu_bias);
  EXPECT_EQ(plain(BlasActivation::gelu, nullptr, &before), BlasEpilogue::gelu_aux);
  EXPECT_EQ(plain(BlasActivation::gelu, &bias, &before), BlasEpilogue::gelu_aux_bias);
  EXPECT_EQ(plain(BlasActivation::gelu_gradient, nullptr, &before), BlasEpilogue::gelu_gradient);
  EXPECT_EQ(
      epilogue_of(changed(
          with_sums(), [](BlasProduct& p) { p.activation = BlasActivation::gelu_gradient, p.sums_of = BlasSums::c; })),
      BlasEpilogue::gelu_gradient_sums);
  EXPECT_EQ(epilogue_of(with_sums()), BlasEpilogue::sums_of_b);
  EXPECT_EQ(epilogue_of(changed(with_sums(), [](BlasProduct& p) { p.sums_of = BlasSums::a; })),
            BlasEpilogue::sums_of_a);
}

TEST(BlasEpilogue, SumsAreAskedForOnlyWhereTheyMayBe) {
  EXPECT_TRUE(may_take_sums(with_sums()));
  EXPECT_TRUE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.accumulate = true; }))) << "only C is added to";
  EXPECT_TRUE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.dtype = float32; })));
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.sums_of = BlasSums::none; })));
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.dtype = p.c_dtype = float64; })));
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.bias = sums; }))) << "one epilogue at a time";
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.activation = BlasActivation::relu; })));
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.batch = 2; })));
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.k = 0; }))) << "no rows: the sums are 0";
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.m = 0; }))) << "no product to compute them";
  EXPECT_FALSE(may_take_sums(changed(with_sums(), [](BlasProduct& p) { p.sums = sums + 1; })));
}

TEST(BlasEpilogue, GeluIsAskedForOnlyWhereItMayBe) {
  EXPECT_TRUE(may_apply_gelu(with_gelu()));
  EXPECT_TRUE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.bias = kept; })));
  EXPECT_TRUE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.before = nullptr, p.ldc = 9; })))
      << "nothing is kept";
  EXPECT_FALSE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.ldc = 9; })));
  EXPECT_FALSE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.before = kept + 1; })));
  EXPECT_FALSE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.dtype = p.c_dtype = float64; })));
  EXPECT_FALSE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.accumulate = true; })));
  EXPECT_FALSE(may_apply_gelu(changed(with_gelu(), [](BlasProduct& p) { p.k = 0; })));
}

TEST(BlasEpilogue, GelusGradientIsAskedForOnlyWhereItMayBe) {
  const auto allowed = [](const auto& change) {
    return may_apply_gelu_gradient(changed(with_gelu(), [&](BlasProduct& p) {
      p.activation = BlasActivation::gelu_gradient, p.sums_of = BlasSums::c, p.sums = sums;
      change(p);
    }));
  };
  EXPECT_TRUE(allowed([](BlasProduct&) {}));
  EXPECT_TRUE(allowed([](BlasProduct& p) { p.sums_of = BlasSums::none, p.sums = nullptr; })) << "no bias";
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.sums = sums + 1; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.sums_of = BlasSums::a; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.before = nullptr; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.before = kept + 1; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.ldc = 9; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.bias = kept; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.accumulate = true; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.batch = 2; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.dtype = p.c_dtype = float64; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.k = 0; }));
  EXPECT_FALSE(allowed([](BlasProduct& p) { p.n = 0; })) << "no rows: the sums are 0";
}

TEST(BlasEpilogue, SumsPayWhereTilesFillTheMultiprocessorsOrTermsAreFew) {
  constexpr int multiprocessors = 132;
  const auto pay = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return may_pay(changed(with_sums(), [&](BlasProduct& p) { p.m = m, p.n = n, p.k = k; }), multiprocessors);
  };
  EXPECT_TRUE(pay(768, 768, 1024));
  EXPECT_FALSE(pay(768, 768, 65536)) << "36 tiles";
  EXPECT_TRUE(pay(768, 2304, 65536)) << "108 tiles";
  EXPECT_FALSE(pay(768, 3072, 65536)) << "144 tiles: 12 in a second wave";
  EXPECT_TRUE(pay(2048, 2048, 65536)) << "256 tiles";
}

TEST(BlasEpilogue, EveryOneMayBeRefused) {
  const auto optional = [](const auto& change) {
    return is_optional(changed(with_gelu(), [&](BlasProduct& p) {
      p.activation = BlasActivation::none, p.before = nullptr;
      change(p);
    }));
  };
  EXPECT_TRUE(is_optional(with_gelu()));
  EXPECT_TRUE(is_optional(with_sums()));
  EXPECT_TRUE(optional([](BlasProduct& p) { p.activation = BlasActivation::relu; }));
  EXPECT_TRUE(optional([](BlasProduct& p) { p.bias = sums; }));
  EXPECT_FALSE(optional([](BlasProduct&) {}));
}

}  // namespace
}  // namespace minima::detail::blas_epilogue_test
