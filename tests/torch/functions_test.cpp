#include <gtest/gtest.h>
#include <torch/linalg.h>
#include <torch/torch.h>

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

}  // namespace minima::functions_test
