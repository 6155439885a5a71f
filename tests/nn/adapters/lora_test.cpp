#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/mode.h>
#include <minima/nn/adapters/lora.h>
#include <minima/nn/clone.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/plain_call.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace minima::nn::lora_test {
namespace {

using test::message_of;

struct Net : ModuleOf<Net> {
  Embedding words = child("words", Embedding({.count = 7, .dim = 6}));
  Linear up = child("up", Linear({.in = 6, .out = 8, .activation = Activation::relu}));
  Linear down = child("down", Linear({.in = 8, .out = 5}));
  LayerNorm norm = child("norm", LayerNorm({.shape = {5}}));
  Tensor forward(const Tensor& x) { return norm(down(up(words(x)))); }
};

const Tensor tokens = tensor({{1, 2, 3}, {3, 0, 6}});

void randomise(const std::vector<Tensor>& parameters) {
  const NoGrad guard;
  for (const Tensor& parameter : parameters) copy_(parameter, randn_like(parameter));
}

/// The weight with an adapter's update, computed apart from the library.
Tensor updated(const Tensor& weight, const Tensor& a, const Tensor& b, double scale, bool is_table = false) {
  const Tensor product = matmul(b.detach(), a.detach()) * scale;
  return weight.detach() + (is_table ? transpose(product, 0, 1) : product);
}

TEST(Lora, AddsTheUpdateOfLinearAndEmbedding) {
  manual_seed(1);
  Net net;
  const Tensor before = net(tokens).detach();
  const std::vector<Tensor> trained = add_lora(net, {.rank = 2, .alpha = 6, .targets = {"words", "up", "down"}});
  EXPECT_TRUE(allclose(net(tokens).detach(), before)) << "a new adapter changes nothing";
  ASSERT_EQ(trained.size(), 6u);
  randomise(trained);
  Net merged = clone(net);
  remove_lora(merged);
  EXPECT_TRUE(is_called_plainly(net.norm) && !is_called_plainly(net.up));
  const NoGrad guard;
  copy_(merged.words.weight, updated(net.words.weight, trained[0], trained[1], 3, true));
  copy_(merged.up.weight, updated(net.up.weight, trained[2], trained[3], 3));
  copy_(merged.down.weight, updated(net.down.weight, trained[4], trained[5], 3));
  const Tensor expected = merged(tokens);
  EXPECT_FALSE(allclose(expected, before, {.rtol = 1e-2, .atol = 1e-2}));
  EXPECT_TRUE(allclose(net(tokens), expected, {.rtol = 1e-4, .atol = 1e-4}));
  EXPECT_TRUE(allclose(clone(net)(tokens), expected, {.rtol = 1e-4, .atol = 1e-4})) << "a clone has its adapters";
  merge_lora(net);
  EXPECT_TRUE(allclose(net(tokens), expected, {.rtol = 1e-4, .atol = 1e-4}));
  unmerge_lora(net);
  use_lora(net, {});
  EXPECT_TRUE(allclose(net(tokens), before, {.rtol = 1e-4, .atol = 1e-4}));
}

TEST(Lora, FreezesTheRest) {
  Net net;
  sum(net(tokens)).backward();
  const std::vector<Tensor> trained = add_lora(net, {.targets = {"up"}});
  optim::AdamW optimizer(net.parameters(), {});
  sum(net(tokens) * randn({2, 3, 5})).backward();
  optimizer.step();
  for (const auto& [name, parameter] : net.named_parameters()) {
    const bool is_adapter = name.starts_with("up.lora.default.");
    EXPECT_EQ(parameter.requires_grad(), is_adapter) << name;
    EXPECT_EQ(parameter.grad().defined(), is_adapter) << name;
  }
  int with_state = 0;
  for (const auto& slot : optimizer.slots()) with_state += slot.state.empty() ? 0 : 1;
  EXPECT_EQ(with_state, 2);
}

TEST(Lora, SeveralAdaptersAreChosenByName) {
  manual_seed(2);
  Net net;
  const Tensor base = net(tokens).detach();
  randomise(add_lora(net, {.rank = 2, .targets = {"down"}, .name = "a"}));
  const Tensor a = net(tokens).detach();
  randomise(add_lora(net, {.rank = 3, .targets = {"down", "words"}, .rank_stabilized = true, .name = "b"}));
  EXPECT_EQ(lora_names(net), (std::vector<std::string>{"b", "a"})) << "in the order of layers";
  EXPECT_EQ(lora_names_in_use(net), std::vector<std::string>{"b"});
  const Tensor b = net(tokens).detach();
  use_lora(net, {"a"});
  EXPECT_TRUE(identical(net(tokens).detach(), a));
  for (const Tensor& parameter : lora_parameters(net, "b")) EXPECT_FALSE(parameter.requires_grad());
  for (const Tensor& parameter : lora_parameters(net, "a")) EXPECT_TRUE(parameter.requires_grad());
  use_lora(net, {"a", "b"});
  EXPECT_FALSE(allclose(net(tokens).detach(), a) || allclose(net(tokens).detach(), b));
  remove_lora(net, "a");
  EXPECT_TRUE(identical(net(tokens).detach(), b));
  remove_lora(net);
  EXPECT_TRUE(identical(net(tokens).detach(), base));
  EXPECT_TRUE(is_called_plainly(net.down));
}

TEST(Lora, DropsOutWhileTraining) {
  manual_seed(3);
  Net net;
  randomise(add_lora(net, {.targets = {"up"}, .dropout = 0.5}));
  EXPECT_FALSE(identical(net(tokens).detach(), net(tokens).detach()));
  net.eval();
  EXPECT_TRUE(identical(net(tokens).detach(), net(tokens).detach()));
}

TEST(Lora, GradientsAreThoseOfTheProduct) {
  manual_seed(4);
  struct One : ModuleOf<One> {
    Linear fc = child("fc", Linear({.in = 6, .out = 5, .activation = Activation::gelu}));
    Tensor forward(const Tensor& x) { return fc(x); }
  } net;
  const std::vector<Tensor> trained = add_lora(net, {.rank = 2, .alpha = 3, .targets = {"fc"}});
  randomise(trained);
  const Tensor x = randn({4, 6}), factors = randn({4, 5});
  sum(net(x) * factors).backward();
  Tensor a = clone(trained[0].detach()), b = clone(trained[1].detach());
  a.requires_grad(true), b.requires_grad(true);
  const Tensor weight = net.fc.weight.detach() + matmul(b, a) * 1.5;
  sum(linear(x, weight, net.fc.bias.detach(), Activation::gelu) * factors).backward();
  EXPECT_TRUE(allclose(trained[0].grad(), a.grad(), {.rtol = 1e-4, .atol = 1e-4}));
  EXPECT_TRUE(allclose(trained[1].grad(), b.grad(), {.rtol = 1e-4, .atol = 1e-4}));
}

TEST(Lora, FilesComeBackBitwise) {
  manual_seed(5);
  const test::TemporaryFolder folder;
  Net net;
  randomise(add_lora(net, {.rank = 2, .alpha = 5, .targets = {"words", "down"}, .rank_stabilized = true}));
  Net other = clone(net);
  remove_lora(other);
  save_lora(folder / "adapter", net);
  load_lora(folder / "adapter", other, "again");
  EXPECT_TRUE(identical(net(tokens).detach(), other(tokens).detach()));
  const auto mine = lora_parameters(net), theirs = lora_parameters(other, "again");
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_TRUE(identical(mine[i].detach(), theirs[i].detach()));
}

TEST(Lora, MistakesAreNamedAndChangeNothing) {
  const test::TemporaryFolder folder;
  Net net;
  const auto refused = [&](const LoraOptions& options) {
    std::string text = message_of<ValueError>([&] { add_lora(net, options); });
    EXPECT_TRUE(net.up.weight.requires_grad()) << text;
    return text;
  };
  EXPECT_CONTAINS(refused({}), "name the layers in `targets`");
  EXPECT_CONTAINS(refused({.targets = {"up", "q_proj"}}),
                  "no layer of the Net is called \"q_proj\"; it has words, up, down");
  EXPECT_CONTAINS(refused({.targets = {"norm"}}), "is the LayerNorm norm; adapters go on Linear and Embedding");
  EXPECT_CONTAINS(refused({.rank = 0, .targets = {"up"}}), "rank");
  EXPECT_CONTAINS(refused({.targets = {"up"}, .name = "a.b"}), "a dot");
  EXPECT_CONTAINS(message_of<ValueError>([&] { merge_lora(net); }), "has no adapters");
  EXPECT_CONTAINS(message_of<ValueError>([&] { save_lora(folder / "x", net); }), "no adapter \"default\"");

  add_lora(net, {.rank = 2, .targets = {"up"}});
  EXPECT_CONTAINS(message_of<ValueError>([&] { add_lora(net, {.targets = {"up"}}); }),
                  "there is an adapter \"default\"");
  EXPECT_CONTAINS(message_of<ValueError>([&] { use_lora(net, {"x"}); }), "no adapter \"x\"; it has default");
  EXPECT_CONTAINS(message_of<ValueError>([&] { unmerge_lora(net); }), "no adapters of the Net are merged");
  merge_lora(net);
  EXPECT_CONTAINS(message_of<ValueError>([&] { add_lora(net, {.targets = {"up"}, .name = "b"}); }), "unmerge_lora");
  EXPECT_CONTAINS(message_of<ValueError>([&] { use_lora(net, {}); }), "unmerge_lora");
  unmerge_lora(net);

  save_lora(folder / "adapter", net);
  struct Small : ModuleOf<Small> {
    Linear up = child("up", Linear({.in = 6, .out = 4}));
  } small;
  struct Other : ModuleOf<Other> {
    Linear first = child("first", Linear({.in = 6, .out = 8}));
  } other;
  const auto from = [&](ModuleBase& into) {
    return message_of<ValueError>([&] { load_lora(folder / "adapter", into); });
  };
  EXPECT_CONTAINS(
      from(small),
      "up.lora_B.weight is [8, 2], but the model's up and \"r\" make it [4, 2]; the adapter belongs to another model");
  EXPECT_CONTAINS(from(other), "the Other has no Linear or Embedding called up; the adapter belongs to another model");
  EXPECT_TRUE(small.up.weight.requires_grad() && lora_names(small).empty());
  const std::string config = test::content_of(folder / "adapter/adapter_config.json");
  const auto with = [&](const std::string& line) {
    folder.file("adapter/adapter_config.json", config.substr(0, config.rfind('}') - 1) + ", " + line + "}");
    Net fresh;
    return message_of<ValueError>([&] { load_lora(folder / "adapter", fresh); });
  };
  EXPECT_CONTAINS(with("\"use_dora\": true"), "\"use_dora\" is an option that minima does not compute");
  EXPECT_CONTAINS(with("\"rank_pattern\": {\"up\": 4}"), "\"rank_pattern\"");
  folder.file("adapter/adapter_config.json", R"({"peft_type": "IA3"})");
  EXPECT_CONTAINS(from(small), "must be \"LORA\", not \"IA3\"");
  EXPECT_THROW(load_lora(folder / "none", net, "b"), FileError);
}

TEST(Lora, TiedWeightsAreNotMergedUnnoticed) {
  struct Tied : ModuleOf<Tied> {
    Embedding words = child("words", Embedding({.count = 7, .dim = 6}));
    Linear head = child("head", Linear({.in = 6, .out = 7, .bias = false}));
  } net;
  net.head.weight = net.words.weight;
  add_lora(net, {.targets = {"words"}});
  EXPECT_CONTAINS(message_of<ValueError>([&] { merge_lora(net); }), "the weight of words is head.weight, too");
}

}  // namespace
}  // namespace minima::nn::lora_test
