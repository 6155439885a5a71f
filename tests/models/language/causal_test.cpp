#include "tests/support/expect_error.h"

#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/nn/module/forward_wrapper.h>
#include <minima/nn/module/plain_call.h>
#include <minima/tensor/allclose.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// GPT2 and Llama share how blocks are called, the loss and hooks.

namespace minima::causal_test {
namespace {

using models::BlockCalls;
using test::message_of;

const Tensor tokens = tensor({{1, 5, 3, 9, 0, 2}, {7, 7, 1, 4, 2, 8}});
const Tensor targets = tensor({{5, 3, 9, 0, 2, -100}, {-100, 1, 4, 2, 8, -100}});

models::GPT2 gpt2(BlockCalls calls = BlockCalls::chained) {
  manual_seed(3);
  return models::GPT2(
      {.vocabulary = 10, .positions = 8, .width = 8, .layers = 3, .heads = 2, .dropout = 0, .calls = calls});
}
models::Llama llama(BlockCalls calls = BlockCalls::chained) {
  manual_seed(3);
  return models::Llama({.vocabulary = 10,
                        .width = 8,
                        .mlp = 12,
                        .layers = 3,
                        .heads = 2,
                        .key_heads = 1,
                        .positions = 8,
                        .qk_norm = true,
                        .window = 3,
                        .window_from = 1,
                        .calls = calls});
}

bool close(const Tensor& a, const Tensor& b) {
  return bool(allclose(a.detach(), b.detach(), {.rtol = 1e-5, .atol = 1e-6}));
}

/// The same loss and gradients however the blocks are called.
template <class Make>
void expect_same(const Make& make) {
  auto chained = make(BlockCalls::chained);
  const Tensor loss = chained.loss(tokens, targets).mean();
  loss.backward();
  for (const BlockCalls calls : {BlockCalls::separate, BlockCalls::checkpointed}) {
    auto other = make(calls);
    const Tensor same = other.loss(tokens, targets).mean();
    same.backward();
    EXPECT_TRUE(close(loss, same));
    const auto ours = chained.named_parameters(), theirs = other.named_parameters();
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(close(ours[i].tensor.grad(), theirs[i].tensor.grad())) << ours[i].name;
  }
}

TEST(CausalModels, BlocksGiveTheSameHoweverTheyAreCalled) {
  expect_same(gpt2);
  expect_same(llama);
}

/// The first two steps recompute every block, so their gradients are those of blocks that were called again.
template <class Make>
void expect_units_of_a_budget(const Make& make, const Tensor& segments) {
  auto plain = make(BlockCalls::chained), budgeted = make(BlockCalls::chained);
  const train::MemoryBudget budget(budgeted, std::int64_t{1} << 30);
  EXPECT_EQ(budget.report().blocks.size(), 3u);
  for (int step = 0; step < 4; ++step) {
    for (auto* net : {&plain, &budgeted}) {
      net->zero_grad();
      net->loss(tokens, targets, segments).mean().backward();
    }
    const auto ours = plain.named_parameters(), theirs = budgeted.named_parameters();
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(close(ours[i].tensor.grad(), theirs[i].tensor.grad())) << step << " " << ours[i].name;
  }
  EXPECT_TRUE(budget.report().is_planned());
  for (const train::BudgetReport::Block& block : budget.report().blocks) EXPECT_GT(block.saved, 0) << block.name;
}

TEST(CausalModels, BlocksAreNotCheckpointedUnderABudget) {
  models::Llama net = llama(BlockCalls::checkpointed);
  const train::MemoryBudget budget(net, std::int64_t{1} << 30);
  EXPECT_CONTAINS(message_of<ValueError>([&] { net.loss(tokens, targets); }),
                  "memory_budget: block model.layers.0 is called inside checkpoint()");
  const NoGrad guard;
  EXPECT_NO_THROW(net(tokens));
}

TEST(CausalModels, BlocksAreUnitsOfAMemoryBudget) {
  for (const Tensor& segments : {Tensor(), tensor({{0, 0, 0, 1, 1, 1}, {2, 2, 4, 4, 4, 7}})}) {
    expect_units_of_a_budget(gpt2, segments);
    expect_units_of_a_budget(llama, segments);
  }
}

/// Hooks of every module run, in whole calls and with caches, and change nothing.
template <class Net>
void expect_hooks(Net net) {
  const NoGrad guard;
  const Tensor y = net(tokens);
  std::size_t modules = 0, calls = 0, wrapped = 0;
  for (const nn::NamedModule& module : net.named_modules()) {
    if (module.name.empty() || module.module->template as<nn::ModuleList>()) continue;
    ++modules;
    module.module->add_forward_hook(
        [&](nn::ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>&) { ++calls; });
  }
  EXPECT_TRUE(close(net(tokens), y));
  EXPECT_EQ(calls, modules);
  calls = 0;
  models::KVCaches caches = net.caches(6);
  EXPECT_TRUE(close(net(tokens, &caches), y));
  EXPECT_EQ(calls, modules);
  for (const nn::NamedModule& module : net.named_modules())
    if (module.name.ends_with(".1"))
      nn::wrap_forward(*module.module, [&](nn::Module& block, const Tensor& x, const nn::ModuleForward& forward) {
        return ++wrapped, forward ? forward(x) : block.forward(x);
      });
  EXPECT_TRUE(close(net(tokens), y));
  EXPECT_EQ(wrapped, 1u);
  EXPECT_TRUE(close(net.logits(net.hidden(tokens, nullptr, zeros({2, 6}, {.dtype = int64}))), y));
  EXPECT_EQ(wrapped, 2u);
  caches = net.caches(6);
  EXPECT_TRUE(close(net(tokens, &caches), y));
  EXPECT_EQ(wrapped, 2u) << "a wrapper may compute again, which would fill the caches twice";
}

TEST(CausalModels, HooksRunInPlaceOfFusedCode) {
  expect_hooks(gpt2());
  expect_hooks(llama());
}

/// Watchers hear of the blocks and of what they call, although these stay fused.
template <class Net>
void expect_watchers(Net net, const std::string& block) {
  const NoGrad guard;
  const Tensor y = net(tokens);
  std::vector<std::string> running, heard;
  for (const nn::NamedModule& module : net.named_modules()) {
    module.module->add_forward_watcher([&, name = module.name] { running.push_back(name), heard.push_back(name); },
                                       [&, name = module.name] {
                                         EXPECT_EQ(running.back(), name);
                                         running.pop_back();
                                       });
    EXPECT_TRUE(nn::is_called_plainly(*module.module)) << module.name;
  }
  EXPECT_TRUE(identical(net(tokens), y));
  EXPECT_TRUE(running.empty());
  for (const std::string& name : {block + ".0", block + ".1", std::string()})
    EXPECT_EQ(std::count(heard.begin(), heard.end(), name), 1) << name;
  EXPECT_EQ(heard.front(), "");
}

TEST(CausalModels, WatchersLeaveFusedCodeFused) {
  expect_watchers(gpt2(), "transformer.h");
  expect_watchers(llama(), "model.layers");
}

TEST(CausalModels, LossIsTheMeanOfTheTargetsThatCount) {
  models::GPT2 net = gpt2();
  const Tensor expected = cross_entropy(reshape(net(tokens), {-1, 10}), reshape(targets, {-1}));
  EXPECT_TRUE(close(net.loss(tokens, targets).mean(), expected));
  const Tensor nothing = net.loss(tokens, full_like(targets, -100)).mean();
  nothing.backward();
  EXPECT_EQ(nothing.item<float>(), 0);
  EXPECT_EQ(sum(abs(net.lm_head.weight.grad())).item<float>(), 0);
  EXPECT_CONTAINS(message_of<ShapeError>([&] { net.loss(tokens, narrow(targets, 1, 0, 3)).mean(); }),
                  "loss needs tokens and targets");
}

/// Two documents of four and two tokens in a row give what they give in rows of their own, whatever the blocks do.
template <class Make>
void expect_packed(const Make& make) {
  const Tensor segments = tensor({{0, 0, 0, 0, 1, 1}, {3, 3, 3, 3, 7, 7}});
  for (const BlockCalls calls : {BlockCalls::chained, BlockCalls::separate, BlockCalls::checkpointed}) {
    auto packed = make(calls), apart = make(calls);
    const TokenLoss loss = packed.loss(tokens, targets, segments);
    loss.sum.backward();
    Tensor sum, count;
    for (const auto& [begin, length] : {std::pair{0, 4}, std::pair{4, 2}}) {
      const TokenLoss one = apart.loss(narrow(tokens, 1, begin, length), narrow(targets, 1, begin, length));
      one.sum.backward();
      sum = sum.defined() ? sum + one.sum.detach() : one.sum.detach();
      count = count.defined() ? count + one.count : one.count;
    }
    EXPECT_TRUE(close(loss.sum, sum));
    EXPECT_EQ(loss.count.item<double>(), count.item<double>());
    const auto ours = packed.named_parameters(), theirs = apart.named_parameters();
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(close(ours[i].tensor.grad(), theirs[i].tensor.grad())) << ours[i].name;
  }
}

TEST(CausalModels, PackedDocumentsAreLikeRowsOfTheirOwn) {
  expect_packed(gpt2);
  expect_packed(llama);
  models::GPT2 net = gpt2();
  EXPECT_CONTAINS(message_of<ShapeError>([&] { net.loss(tokens, targets, tensor({0, 0})); }),
                  "segments must be [B, T]");
  EXPECT_CONTAINS(message_of<ValueError>([&] { net.loss(tokens, targets, full_like(tokens, 1) - tokens); }),
                  "segments");
  models::KVCaches caches = net.caches(8);
  EXPECT_CONTAINS(message_of<ValueError>([&] { net.hidden(tokens, &caches, zeros_like(tokens)); }), "no caches");
}

/// The logits of the second document and the gradients of its embedded tokens keep their bits when the first changes.
template <class Net>
void expect_isolated(Net net, const Tensor& embedding) {
  const Tensor segments = tensor({{0, 0, 0, 0, 0, 1, 1, 1}});
  std::vector<Tensor> logits, gradients;
  for (const Tensor& row : {tensor({{1, 5, 3, 1, 0, 6, 7, 8}}), tensor({{4, 4, 2, 0, 9, 6, 7, 8}})}) {
    net.zero_grad();
    const Tensor h = net.hidden(row, nullptr, segments);
    logits.push_back(narrow(net.logits(h), 1, 5, 3).detach());
    net.loss(row, tensor({{5, 3, 1, 0, -100, 7, 8, 2}}), segments).sum.backward();
    gradients.push_back(clone(narrow(embedding.grad(), 0, 6, 3)));  // of tokens 6, 7 and 8
  }
  EXPECT_TRUE(identical(logits[0], logits[1]));
  EXPECT_TRUE(identical(gradients[0], gradients[1]));
  EXPECT_GT(max(abs(gradients[0])).item<float>(), 0);
}

// The output layer has weights of its own, since those of a tied one learn from all documents.
TEST(CausalModels, DocumentsKeepTheirBitsWhateverTheirNeighboursAre) {
  manual_seed(3);
  models::GPT2 gpt2(
      {.vocabulary = 10, .positions = 8, .width = 8, .layers = 3, .heads = 2, .dropout = 0, .tied = false});
  expect_isolated(gpt2, gpt2.transformer.wte.weight);
  models::Llama net = llama();
  expect_isolated(net, net.model.embed_tokens.weight);
}

TEST(CausalModels, LossTakesTheOptionsOfTokenLosses) {
  models::Llama net = llama();
  const Tensor logits = net(tokens), counts = where(targets != -100, ones({}), zeros({}));
  const Tensor square = sum(counts * pow(logsumexp(logits, {2}), 2));
  const TokenLoss plain = net.loss(tokens, targets), with = net.loss(tokens, targets, {}, {.z_loss = 0.25});
  EXPECT_TRUE(close(with.sum, plain.sum + 0.25 * square));
  EXPECT_EQ(with.count.item<double>(), plain.count.item<double>());
}

TEST(CausalModels, SoftCapBoundsLogitsAndCountsInTheLoss) {
  models::GPT2 net(
      {.vocabulary = 10, .positions = 8, .width = 8, .layers = 1, .heads = 2, .dropout = 0, .logit_soft_cap = 0.1});
  const Tensor y = net(tokens), plain = net.lm_head(net.hidden(tokens));
  EXPECT_TRUE(close(y, tanh(plain / 0.1) * 0.1));
  EXPECT_TRUE(close(net.loss(tokens, targets).mean(), cross_entropy(reshape(y, {-1, 10}), reshape(targets, {-1}))));
}

TEST(CausalModels, PositionsOfALlamaAreLimitedIfItHasThem) {
  models::Llama net = llama();
  EXPECT_CONTAINS(message_of<ShapeError>([&] { net(zeros({1, 9}, {.dtype = int64})); }), "at most 8 positions");
}

TEST(CausalModels, AreMadeInHalfTypes) {
  models::LlamaOptions options{
      .vocabulary = 10, .width = 8, .mlp = 12, .layers = 1, .heads = 2, .key_heads = 1, .dtype = bfloat16};
  for (const Tensor& parameter : models::Llama(options).parameters()) EXPECT_EQ(parameter.dtype(), bfloat16);
  for (const Tensor& parameter :
       models::GPT2(
           {.vocabulary = 10, .positions = 8, .width = 8, .layers = 1, .heads = 2, .tied = false, .dtype = bfloat16})
           .parameters())
    EXPECT_EQ(parameter.dtype(), bfloat16);
}

}  // namespace
}  // namespace minima::causal_test
