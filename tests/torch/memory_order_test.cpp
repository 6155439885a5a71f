#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <vector>

// minima's convolutions return channels_last memory on the CPU. These tests check that a program cannot tell: what it
// sees is row-major, and whatever aliases whatever still does.

namespace minima::memory_order_test {

using torch::Tensor;

// An output of a convolution, [2, 4, 3, 3], whose values are those of `expected()`.
Tensor hidden() {
  return torch::conv2d(torch::arange(2 * 4 * 9, torch::kFloat).view({2, 4, 3, 3}), torch::eye(4).view({4, 4, 1, 1}));
}
Tensor expected() { return torch::arange(2 * 4 * 9, torch::kFloat).view({2, 4, 3, 3}); }
float* pointer(const Tensor& x) { return x.data_ptr<float>(); }

TEST(MemoryOrder, ConvolutionsUseTheHiddenOrder) {
  // otherwise the tests below would test nothing
  EXPECT_TRUE(at::has_hidden_order(hidden()));
  EXPECT_TRUE(at::has_hidden_order(torch::relu(hidden())));
}

TEST(MemoryOrder, StridesAndPointersAreRowMajor) {
  const Tensor x = hidden();
  EXPECT_EQ(x.strides(), (std::vector<std::int64_t>{36, 9, 3, 1}));
  EXPECT_TRUE(x.is_contiguous());
  for (int i = 0; i < x.numel(); ++i) ASSERT_EQ(pointer(x)[i], i);
  EXPECT_EQ(torch::relu(hidden()).stride(1), 9);
  EXPECT_EQ(pointer(torch::relu(hidden()))[10], 10);
  const Tensor y = hidden();
  const auto a = y.accessor<float, 4>();
  EXPECT_EQ(a[1][2][0][1], 36 + 18 + 1);
}

TEST(MemoryOrder, EveryHandleSeesTheMove) {
  const Tensor x = hidden();
  const Tensor copy = x;
  float* const data = pointer(copy);
  EXPECT_EQ(pointer(x), data);
  EXPECT_EQ(x.view({-1}).data_ptr<float>(), data);
  EXPECT_EQ(x.contiguous().data_ptr<float>(), data);
}

TEST(MemoryOrder, ViewsAliasBothWays) {
  Tensor x = hidden();
  Tensor flat = x.view({2, -1});
  flat[1][7] = -5;
  EXPECT_EQ((x[1][0][2][1].item<float>()), -5);
  x.mul_(2);
  EXPECT_EQ(flat[1][7].item<float>(), -10);
  pointer(x)[0] = 42;
  EXPECT_EQ(flat[0][0].item<float>(), 42);

  const auto aliases = [](const std::function<Tensor(const Tensor&)>& make) {
    Tensor y = hidden();
    const Tensor view = make(y);
    const float before = view.sum().item<float>();
    y.add_(1);
    EXPECT_FLOAT_EQ(view.sum().item<float>(), before + static_cast<float>(view.numel()));
    view.zero_();
    EXPECT_FLOAT_EQ(y.sum().item<float>() + before + static_cast<float>(view.numel()),
                    expected().sum().item<float>() + 72);
  };
  aliases([](const Tensor& y) { return y.flatten(1); });
  aliases([](const Tensor& y) { return y.reshape({8, 9}); });
  aliases([](const Tensor& y) { return y.permute({0, 2, 3, 1}); });
  aliases([](const Tensor& y) { return y.transpose(1, 2); });
  aliases([](const Tensor& y) { return y.select(1, 2); });
  aliases([](const Tensor& y) { return y.narrow(1, 1, 2); });
  aliases([](const Tensor& y) { return y.slice(2, 0, 3, 2); });
  aliases([](const Tensor& y) { return y.index({torch::indexing::Slice(), 1}); });
  aliases([](const Tensor& y) { return y.detach(); });
  aliases([](const Tensor& y) { return y.data(); });
  aliases([](const Tensor& y) { return y.unsqueeze(0); });
  aliases([](const Tensor& y) { return y.chunk(2, 1)[1]; });
  aliases([](const Tensor& y) { return y.split(1, 1)[3]; });
  aliases([](const Tensor& y) { return y.unbind(1)[0]; });
  aliases([](const Tensor& y) { return y.squeeze(); });
  aliases([](const Tensor& y) { return y.expand({2, 4, 3, 3}); });
  aliases([](const Tensor& y) { return y.as_strided({4}, {9}); });
  aliases([](const Tensor& y) { return y[1]; });
}

TEST(MemoryOrder, AliasesMadeBeforeStay) {
  // the first alias moves the elements, later ones and pointers agree with it
  Tensor x = hidden();
  const Tensor first = x[0];
  float* const data = pointer(x);
  x.view({-1})[0] = 7;
  EXPECT_EQ(pointer(x), data);
  EXPECT_EQ((first[0][0][0].item<float>()), 7);
  EXPECT_EQ(first.data_ptr<float>(), data);
}

TEST(MemoryOrder, GradientsFlowThroughViewsAndMoves) {
  const auto gradient = [](bool look) {
    const Tensor w = torch::linspace(-1, 1, 4 * 3 * 4).view({4, 3, 2, 2}).detach().requires_grad_();
    const Tensor x = torch::linspace(-2, 2, 2 * 3 * 16).view({2, 3, 4, 4}).detach().requires_grad_();
    Tensor y = torch::relu(torch::conv2d(x, w));  // relu has saved its output before it moves
    if (look) {
      y.data_ptr<float>();
      y = y.view({2, -1}).view({2, 4, 3, 3});
    }
    Tensor z = torch::max_pool2d(y * y, 2, 1);
    if (look) z.strides();
    (z.flatten(1) * torch::linspace(0, 1, 16)).sum().backward();
    return std::pair(w.grad(), x.grad());
  };
  const auto plain = gradient(false), looked = gradient(true);
  EXPECT_TRUE(torch::allclose(plain.first, looked.first));
  EXPECT_TRUE(torch::allclose(plain.second, looked.second));
  EXPECT_GT(plain.first.abs().sum().item<float>(), 0);
}

TEST(MemoryOrder, InPlaceAfterTheMoveIsDifferentiated) {
  const Tensor w = torch::ones({1, 1, 1, 1}, torch::requires_grad());
  const Tensor x = torch::arange(8, torch::kFloat).view({1, 1, 2, 4}).expand({1, 4, 2, 4}).contiguous();
  Tensor y = torch::conv2d(x, w.expand({4, 1, 1, 1}), {}, 1, torch::IntArrayRef{0, 0}, 1, 4);
  y.data_ptr<float>();
  y.view({-1}).mul_(3);  // through a view
  y.select(1, 0).add_(y[0][1][0][0]);
  y.sum().backward();
  // Σ 3 w x over four channels, and 8 times 3 w x[0] = 0
  EXPECT_FLOAT_EQ(w.grad().item<float>(), 3 * 4 * 28);
}

TEST(MemoryOrder, VersionsGoOn) {
  Tensor x = hidden();
  x.add_(1);
  const auto version = x._version();
  x.data_ptr<float>();
  EXPECT_EQ(x._version(), version);
}

TEST(MemoryOrder, TheUsersOrderIsKept) {
  const Tensor x = torch::rand({2, 4, 3, 3}).to(torch::MemoryFormat::ChannelsLast);
  EXPECT_EQ(x.strides(), (std::vector<std::int64_t>{36, 1, 12, 4}));
  EXPECT_FALSE(x.is_contiguous());
  EXPECT_TRUE(x.is_contiguous(torch::MemoryFormat::ChannelsLast));
  EXPECT_EQ(x.suggest_memory_format(), torch::MemoryFormat::ChannelsLast);
  EXPECT_THROW(x.view({2, -1}), c10::Error);
  EXPECT_EQ(hidden().contiguous(torch::MemoryFormat::ChannelsLast).stride(1), 1);
  EXPECT_TRUE(x.contiguous().is_contiguous());
  // elementwise functions follow it
  EXPECT_EQ((x + 1).stride(1), 1);
}

TEST(MemoryOrder, PermutedViewsStayViews) {
  std::vector<float> image(2 * 3 * 3);
  const Tensor x = torch::from_blob(image.data(), {1, 2, 3, 3}).permute({0, 3, 1, 2});
  EXPECT_EQ(x.strides(), (std::vector<std::int64_t>{18, 1, 9, 3}));
  EXPECT_EQ(pointer(x), image.data());
  x[0][2][1][0] = 9;
  EXPECT_EQ(image[9 + 2], 9);
  EXPECT_THROW(x.view({-1}), c10::Error);
  EXPECT_EQ(x.detach().stride(1), 1);
  EXPECT_EQ(pointer(x.detach()), image.data());

  const Tensor t = torch::rand({3, 5}).t();
  EXPECT_FALSE(t.is_contiguous());
  EXPECT_EQ(t.relu().stride(0), 1);
  EXPECT_THROW(t.view({-1}), c10::Error);
}

TEST(MemoryOrder, OperatorsThatEndInAViewAreRowMajor) {
  const Tensor x = torch::conv1d(torch::rand({2, 3, 8}), torch::rand({4, 3, 3}));
  EXPECT_EQ(x.strides(), (std::vector<std::int64_t>{24, 6, 1}));
  EXPECT_TRUE(x.is_contiguous());
  Tensor flat = x.view({2, -1});
  flat.zero_();
  EXPECT_EQ(x.sum().item<float>(), 0);

  const Tensor w = torch::ones({4, 3, 3}, torch::requires_grad());
  Tensor y = torch::conv1d(torch::ones({2, 3, 8}), w);
  y.view({-1}).mul_(2);
  y.sum().backward();
  EXPECT_TRUE(torch::equal(w.grad(), torch::full({4, 3, 3}, 24.0)));
}

TEST(MemoryOrder, ModulesInARow) {
  torch::nn::Sequential net(torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3)), torch::nn::BatchNorm2d(4),
                            torch::nn::ReLU(), torch::nn::MaxPool2d(2));
  const Tensor y = net->forward(torch::rand({2, 1, 8, 8}));
  const Tensor flat = y.view({-1, 4 * 3 * 3});
  EXPECT_EQ(pointer(flat), pointer(y));
  for (int i = 0; i < y.numel(); ++i) ASSERT_EQ(pointer(y)[i], (y[i / 36][i % 36 / 9][i % 9 / 3][i % 3].item<float>()));
}

}  // namespace minima::memory_order_test
