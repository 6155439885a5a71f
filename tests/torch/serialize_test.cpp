#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>
#include <string>
#include <vector>

namespace minima::serialize_test {

using torch::Tensor;

template <class T>
void round_trip(const T& from, T& to) {
  std::stringstream stream;
  torch::save(from, stream);
  torch::load(to, stream);
}

struct NetImpl : torch::nn::Module {
  explicit NetImpl(double value) {
    weight = register_parameter("weight", torch::full({2, 3}, value));
    count = register_buffer("count", torch::full({1}, 7, torch::kLong));
    inner = register_module("inner", torch::nn::Linear(3, 1));
  }
  Tensor forward(const Tensor& x) { return inner(torch::matmul(x, weight)); }

  Tensor weight, count;
  torch::nn::Linear inner{nullptr};
};
TORCH_MODULE(Net);

TEST(Archives, LoadedModulesKeepTheirTensors) {
  Net a(1.5), b(0);
  const Tensor weight = b->weight;
  torch::optim::SGD optimizer(b->parameters(), 0.1);
  round_trip(a, b);
  EXPECT_TRUE(b->weight.is_same(weight));
  EXPECT_TRUE(torch::equal(weight, a->weight));
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_TRUE(torch::equal(b->inner->weight, a->inner->weight));
  EXPECT_EQ(b->count.item<int64_t>(), 7);
}

TEST(Archives, KeepDtypesAndViews) {
  const Tensor all = torch::arange(12).view({3, 4});
  for (const auto dtype : {torch::kUInt8, torch::kInt32, torch::kInt64, torch::kFloat16, torch::kBFloat16,
                           torch::kFloat32, torch::kFloat64, torch::kComplexFloat, torch::kBool}) {
    const Tensor column = all.to(dtype).t()[1];
    Tensor loaded;
    round_trip(column, loaded);
    EXPECT_EQ(loaded.dtype(), column.dtype());
    EXPECT_TRUE(torch::equal(loaded, column)) << dtype;
  }
}

TEST(Archives, ErrorsNameThePath) {
  Net net(1);
  torch::nn::Sequential outer(net);
  std::stringstream stream;
  torch::save(outer, stream);
  torch::serialize::InputArchive archive, inner;
  archive.load_from(stream);
  archive.read("0", inner);
  Tensor value;
  EXPECT_FALSE(inner.try_read("bias", value));
  try {
    inner.read("bias", value);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("No such serialized tensor '0.bias'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(archive.load_from("no archive", 10), c10::Error);
}

TEST(Archives, OptimizersResumeWithTheirStatesAndOptions) {
  const auto train = [](torch::optim::Optimizer& optimizer, const Tensor& p) {
    optimizer.step([&] {
      optimizer.zero_grad();
      Tensor loss = (p - torch::arange(3)).pow(4).sum();
      loss.backward();
      return loss;
    });
  };
  const auto resumes = [&]<class Optimizer>(auto options, Optimizer*) {
    Tensor p = torch::ones({3}).requires_grad_();
    Optimizer first({p}, options.lr(0.03));
    train(first, p);
    train(first, p);
    Tensor q = p.detach().clone().requires_grad_();
    Optimizer second({q}, options.lr(1));
    round_trip(first, second);
    train(first, p);
    train(second, q);
    EXPECT_TRUE(torch::equal(p, q)) << typeid(Optimizer).name();
  };
  using namespace torch::optim;
  resumes(SGDOptions(1).momentum(0.9), static_cast<SGD*>(nullptr));
  resumes(AdamWOptions().amsgrad(true), static_cast<AdamW*>(nullptr));
  resumes(RMSpropOptions().centered(true), static_cast<RMSprop*>(nullptr));
  resumes(AdagradOptions(), static_cast<Adagrad*>(nullptr));
  resumes(LBFGSOptions().max_iter(3), static_cast<LBFGS*>(nullptr));
}

TEST(Archives, PicklesHoldDictsOfValues) {
  c10::impl::GenericDict dict;
  dict.insert("epoch", 3);
  dict.insert("x", torch::ones({2}));
  const c10::IValue loaded = torch::pickle_load(torch::pickle_save(dict));
  EXPECT_EQ(loaded.toGenericDict().at("epoch").toInt(), 3);
  EXPECT_TRUE(torch::equal(loaded.toGenericDict().at("x").toTensor(), torch::ones({2})));
}

}  // namespace minima::serialize_test
