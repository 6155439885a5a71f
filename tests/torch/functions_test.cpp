#include <c10/util/tempfile.h>
#include <gtest/gtest.h>
#include <torch/linalg.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

// Functions of the table in torch_api/table whose meaning is not one call of minima's. Values are PyTorch's.

namespace minima::functions_test {

using torch::Tensor;

template <class T>
std::vector<T> values(const Tensor& x) {
  const Tensor line = x.contiguous();
  return {line.data_ptr<T>(), line.data_ptr<T>() + line.numel()};
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const c10::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TorchFunctions, InPlaceResultsMustFitTheDtype) {
  Tensor x = torch::tensor({1, 2, 3});
  EXPECT_NE(error_of([&] {
              x.pow_(torch::tensor(0.5));
            }).find("result type Float can't be cast to the desired output type Long"),
            std::string::npos);
  x.eq_(2);
  EXPECT_EQ(values<std::int64_t>(x), (std::vector<std::int64_t>{0, 1, 0}));
}

TEST(TorchFunctions, InPlaceFormsWriteThroughViews) {
  Tensor x = torch::zeros({2, 3});
  Tensor row = x.select(0, 1);
  row.scatter_(0, torch::tensor({2}), 5.0);
  x.t().index_fill_(0, torch::tensor({0}), 7);
  EXPECT_EQ(values<float>(x), (std::vector<float>{7, 0, 0, 7, 0, 5}));
}

TEST(TorchFunctions, InPlaceFormsOfFunctionsThatSaveTheirInputHaveGradients) {
  const Tensor leaf = torch::tensor({1.0, 2.0, 3.0}, torch::requires_grad());
  Tensor x = leaf * 1;
  x.pow_(3);
  x.sum().backward();
  EXPECT_EQ(values<float>(leaf.grad()), (std::vector<float>{3, 12, 27}));
}

TEST(TorchFunctions, OutTakesTheShapeAndKeepsItsDtype) {
  Tensor out = torch::empty({0}, torch::kDouble);
  const Tensor same = out;
  Tensor& returned = torch::add_out(out, torch::ones({2, 2}), torch::ones({2, 2}), 2);
  EXPECT_EQ(&returned, &out);
  EXPECT_EQ(values<double>(same), (std::vector<double>{3, 3, 3, 3}));
  EXPECT_EQ(same.sizes(), (std::vector<std::int64_t>{2, 2}));

  Tensor largest = torch::empty({0}), places = torch::empty({0}, torch::kLong);
  torch::max_out(largest, places, torch::tensor({{1.F, 5.F}, {3.F, 2.F}}), 1);
  EXPECT_EQ(values<std::int64_t>(places), (std::vector<std::int64_t>{1, 0}));

  Tensor whole = torch::empty({0}, torch::kLong);
  EXPECT_NE(error_of([&] { torch::sqrt_out(whole, torch::ones(2)); }).find("can't be cast"), std::string::npos);
}

TEST(TorchFunctions, AnInPlaceTransposeIsSeenByOtherHandles) {
  Tensor x = torch::arange(6).view({2, 3});
  const Tensor same = x;
  x.t_();
  EXPECT_EQ(same.sizes(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(same[2][1].item<std::int64_t>(), 5);
}

TEST(TorchFunctions, RoundingModesDifferForNegativeIntegers) {
  const Tensor x = torch::tensor({-7, -4, 7});
  EXPECT_EQ(values<std::int64_t>(x.div(4, "trunc")), (std::vector<std::int64_t>{-1, -1, 1}));
  EXPECT_EQ(values<std::int64_t>(x.div(4, "floor")), (std::vector<std::int64_t>{-2, -1, 1}));
  EXPECT_EQ(values<float>(x.div(4)), (std::vector<float>{-1.75F, -1, 1.75F}));
}

TEST(TorchFunctions, FactoriesInferDtypes) {
  EXPECT_EQ(torch::arange(3).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::arange(0, 1, 0.5).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::range(1, 3).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::full({1}, true).scalar_type(), torch::kBool);
  EXPECT_EQ(torch::full({1}, 3).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::scalar_tensor(3).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::randint(9, {2}).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::randint(9, {2}, torch::kCPU).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::ones({2}, torch::kInt).new_zeros({3}).scalar_type(), torch::kInt);
}

TEST(TorchFunctions, ReductionsHaveLibTorchsForms) {
  const Tensor x = torch::tensor({{1.F, 4.F}, {3.F, 2.F}});
  EXPECT_EQ(values<float>(std::get<0>(x.max(1))), (std::vector<float>{4, 3}));
  EXPECT_EQ(values<float>(x.max(torch::full({2}, 2.5F))), (std::vector<float>{2.5F, 4, 3, 2.5F}));
  EXPECT_EQ(x.std(1).dim(), 1);
  EXPECT_EQ(x.std(true).dim(), 0);
  EXPECT_EQ(x.argmax(c10::nullopt, true).sizes(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ((x > 1).sum().item<std::int64_t>(), 3);
  EXPECT_FLOAT_EQ(torch::linalg::norm(x, "nuc").item<float>(), 7.0710678F);
  EXPECT_FLOAT_EQ(torch::linalg::norm(x, 1).item<float>(), 6);
}

TEST(TorchFunctions, UniqueReturnsEmptyTensorsForWhatWasNotAskedFor) {
  const auto [found, inverse, counts] = torch::_unique2(torch::tensor({3, 1, 3}), true, false, true);
  EXPECT_EQ(values<std::int64_t>(found), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(inverse.numel(), 0);
  EXPECT_EQ(values<std::int64_t>(counts), (std::vector<std::int64_t>{1, 2}));
}

TEST(TorchFunctions, ScatterReducesAsNamed) {
  const Tensor index = torch::tensor({0, 0, 1});
  EXPECT_EQ(values<float>(torch::ones(2).scatter(0, index, torch::full({3}, 3.F), "multiply")),
            (std::vector<float>{9, 3}));
  EXPECT_EQ(values<float>(torch::ones(2).scatter_reduce(0, index, torch::full({3}, 3.F), "mean", false)),
            (std::vector<float>{3, 3}));
  EXPECT_EQ(values<float>(torch::ones(2).index_add(0, index, torch::ones(3), 2)), (std::vector<float>{5, 3}));
}

TEST(TorchFunctions, ProductsOfIntegersAreIntegers) {
  const Tensor x = torch::tensor({{1, 2}, {3, 4}});
  EXPECT_EQ(values<std::int64_t>(x.mm(x)), (std::vector<std::int64_t>{7, 10, 15, 22}));
  EXPECT_EQ(values<std::int64_t>(torch::addmm(x, x, x, 2, 1)), (std::vector<std::int64_t>{9, 14, 21, 30}));
}

TEST(TorchFunctions, PaddingSameIsUnevenForEvenKernels) {
  const Tensor y = torch::conv1d(torch::ones({1, 1, 4}), torch::ones({1, 1, 2}), {}, 1, "same");
  EXPECT_EQ(values<float>(y), (std::vector<float>{2, 2, 2, 1}));
}

TEST(TorchFunctions, OldCastsChangeTheDtype) {
  const Tensor x = torch::tensor({-1.5F, 2.5F});
  EXPECT_EQ(values<std::int64_t>(torch::_cast_Long(x)), (std::vector<std::int64_t>{-1, 2}));
  EXPECT_EQ(torch::_cast_Half(x).scalar_type(), torch::kHalf);
  EXPECT_TRUE(torch::_cast_Float(x).is_same(x));
}

TEST(TorchFunctions, SegmentsAreReducedByLengthsOrOffsets) {
  const Tensor data = torch::arange(1.0, 7.0, torch::requires_grad()), lengths = torch::tensor({2, 0, 3, 1});
  const auto reduced = [&](const char* reduce, std::optional<torch::Scalar> initial = {}) {
    return torch::segment_reduce(data, reduce, lengths, {}, {}, 0, false, initial);
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(values<float>(reduced("sum")), (std::vector<float>{3, 0, 12, 6}));
  EXPECT_EQ(values<float>(reduced("sum", 2.5)), (std::vector<float>{5.5, 2.5, 14.5, 8.5}));
  EXPECT_EQ(values<float>(reduced("max")), (std::vector<float>{2, -infinity, 5, 6}));
  EXPECT_EQ(values<float>(reduced("min", 2.5)), (std::vector<float>{1, 2.5, 2.5, 2.5}));
  EXPECT_EQ(values<float>(reduced("mean", 3)), (std::vector<float>{3, 3, 5, 9}));
  EXPECT_TRUE(std::isnan(reduced("mean")[1].item<float>()));
  const Tensor product = reduced("prod");
  EXPECT_EQ(values<float>(product), (std::vector<float>{2, 1, 60, 6}));
  product.sum().backward();
  EXPECT_EQ(values<float>(data.grad()), (std::vector<float>{2, 1, 20, 15, 12, 1}));

  const Tensor rows = torch::arange(12.0).view({2, 3, 2});
  const Tensor sums = torch::segment_reduce(rows, "sum", {}, {}, torch::tensor({{0, 1, 3}, {0, 3, 3}}), 1);
  EXPECT_EQ(sums.sizes(), (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_EQ(values<float>(sums), (std::vector<float>{0, 1, 6, 8, 24, 27, 0, 0}));

  EXPECT_NE(error_of([&] { torch::segment_reduce(data, "sum", torch::tensor({2, 1})); }).find("to sum to data.size"),
            std::string::npos);
  EXPECT_NE(error_of([&] { torch::segment_reduce(data, "sum", torch::tensor({-2, 8})); }).find("negative value"),
            std::string::npos);
}

TEST(TorchFunctions, OnlyNamedRowsThatAreTooLongAreScaled) {
  Tensor weight = torch::tensor({{3.F, 4.F}, {0.3F, 0.4F}, {6.F, 8.F}, {30.F, 40.F}});
  const Tensor scaled = torch::embedding_renorm(weight, torch::tensor({3}), 5, 2);
  EXPECT_FLOAT_EQ(scaled[3][0].item<float>(), 3);
  EXPECT_EQ(weight[3][0].item<float>(), 30);
  torch::embedding_renorm_(weight, torch::tensor({{0, 1}, {0, 2}}, torch::kInt), 1, 2);
  EXPECT_TRUE(torch::allclose(weight, torch::tensor({{0.6F, 0.8F}, {0.3F, 0.4F}, {0.6F, 0.8F}, {30.F, 40.F}})));
}

TEST(TorchFunctions, PointsAreCountedInCells) {
  const Tensor points = torch::tensor({{0., 0.}, {1., 1.}, {1., 2.}, {2., 2.}, {3., 1.}, {0.5, -1.}}, torch::kDouble);
  const auto [counts, edges] = torch::histogramdd(points, 2);
  EXPECT_EQ(values<double>(counts), (std::vector<double>{2, 2, 0, 2}));
  EXPECT_EQ(values<double>(edges[1]), (std::vector<double>{-1, 0.5, 2}));
  const std::vector<double> range{0, 2, 0, 2};
  EXPECT_EQ(values<double>(std::get<0>(torch::histogramdd(points, {2, 1}, range))), (std::vector<double>{1, 3}));
  const std::vector<Tensor> between{torch::tensor({0., 1., 2.}, torch::kDouble),
                                    torch::tensor({0., 0.5, 2.}, torch::kDouble)};
  const Tensor weight = torch::arange(6, torch::kDouble);
  EXPECT_EQ(values<double>(std::get<0>(torch::histogramdd(points, between))), (std::vector<double>{1, 0, 0, 3}));
  EXPECT_EQ(values<double>(std::get<0>(torch::histogramdd(points, between, {}, weight))),
            (std::vector<double>{0, 0, 0, 6}));
  EXPECT_EQ(values<double>(std::get<0>(torch::histogramdd(points, between, {}, {}, true))),
            (std::vector<double>{0.5, 0, 0, 0.5}));
}

TEST(TorchFunctions, MemoryOrderIsThatOfEmptyPermuted) {
  EXPECT_EQ(torch::empty_permuted({2, 3, 4}, {1, 2, 0}).strides(), (std::vector<std::int64_t>{1, 8, 2}));
  EXPECT_EQ(torch::empty_permuted({2, 3, 4, 5}, {0, 2, 3, 1}).strides(), (std::vector<std::int64_t>{60, 1, 15, 3}));
  EXPECT_NE(error_of([] { torch::empty_permuted({2, 3}, {1, 1}); }).find("Duplicate dim"), std::string::npos);
  EXPECT_NE(error_of([] { torch::empty_permuted({2, 3}, {0, 2}); }).find("got 2 at index 1"), std::string::npos);
}

TEST(TorchFunctions, SharedMappingsOfAFileAreWrittenIntoIt) {
  const c10::TempFile file = c10::make_tempfile();
  const auto read = [&](std::int64_t count) { return torch::from_file(file.name, false, count); };
  const Tensor shared = torch::from_file(file.name, true, 4);
  shared.copy_(torch::arange(4.0));
  Tensor own = read(3);
  EXPECT_EQ(values<float>(own), (std::vector<float>{0, 1, 2}));
  own.fill_(9);
  EXPECT_EQ(values<float>(read(4)), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(values<float>(torch::from_file(file.name, true, 5)), (std::vector<float>{0, 1, 2, 3, 0}));
  EXPECT_EQ(torch::from_file(file.name).numel(), 0);
  EXPECT_NE(error_of([&] { read(6); }).find("size <20> is smaller than the required mapping size <24>"),
            std::string::npos);
}

}  // namespace minima::functions_test
