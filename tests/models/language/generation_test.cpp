#include "tests/support/expect_error.h"

#include <minima/minima.h>
#include <minima/models/language/generation.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

// Texts of several lengths, in chunks and with caches, against the model that reads each whole text by itself.

namespace minima::generation_test {
namespace {

using models::CausalModel;
using models::GenerateOptions;
using models::Generation;
using models::TextEnd;
using test::expect_error;
using Tokens = std::vector<std::int64_t>;

constexpr std::int64_t vocabulary = 31;

/// Weights large enough for logits that differ by much more than rounding.
template <class Net>
Net lively(Net net) {
  manual_seed(4);
  const NoGrad guard;
  for (const Tensor& p : net.parameters())
    if (p.rank() == 2) nn::init::normal_(p, 0, 0.3);
  net.eval();
  return net;
}
models::GPT2 gpt2(std::int64_t positions = 64) {
  return lively(models::GPT2({.vocabulary = vocabulary, .positions = positions, .width = 16, .layers = 2, .heads = 2}));
}
models::Llama llama() {
  return lively(models::Llama(
      {.vocabulary = vocabulary, .width = 16, .mlp = 24, .layers = 2, .heads = 4, .key_heads = 2, .rope_theta = 100}));
}

Tensor as_row(const Tokens& tokens) { return from_vector(tokens, {1, static_cast<std::int64_t>(tokens.size())}); }

/// The largest difference between the logits that generation sees and those of each text alone, without a cache.
template <class Net>
double largest_difference(Net net, const std::vector<Tokens>& prompts, GenerateOptions options) {
  CausalModel model = net.causal();
  std::vector<Tensor> seen;
  std::size_t chunks = 0;
  model.next = [&, next = model.next](const Tensor& tokens, models::KVCaches& caches) {
    const Tensor logits = next(tokens, caches);
    chunks += tokens.size(1) > 1;
    seen.push_back(logits);
    return logits;
  };
  Generation texts(model, prompts, options);
  double difference = 0;
  const NoGrad guard;
  while (true) {
    std::vector<Tokens> before;
    for (std::int64_t row = 0; row < texts.rows(); ++row) before.push_back(texts.tokens(row));
    if (!texts.step()) break;
    for (std::size_t row = 0; row < before.size(); ++row) {
      const Tensor alone = net(as_row(before[row]))[0][-1];
      difference = std::max(difference, max(abs(alone - seen.back()[static_cast<std::int64_t>(row)])).item<double>());
    }
  }
  return difference;
}

const std::vector<Tokens> ragged{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {30}, {17, 4, 9, 2, 6}};

TEST(Generation, RaggedAndChunkedLogitsAreThoseOfEachText) {
  for (const std::int64_t chunk : {1, 4, 512}) {
    EXPECT_LT(largest_difference(gpt2(), ragged, {.new_tokens = 12, .chunk = chunk}), 1e-5) << chunk;
    EXPECT_LT(largest_difference(llama(), ragged, {.new_tokens = 12, .chunk = chunk}), 1e-5) << chunk;
  }
  const std::vector<Tokens> equal{{1, 2, 3, 4, 5, 6, 7}, {9, 8, 7, 6, 5, 4, 3}};
  EXPECT_LT(largest_difference(llama(), equal, {.new_tokens = 9, .chunk = 3}), 1e-5);
}

TEST(Generation, CachesInBfloat16AreHalfAsLarge) {
  const double difference = largest_difference(llama(), ragged, {.new_tokens = 12, .cache_dtype = bfloat16});
  EXPECT_LT(difference, 0.2);  // logits reach 3
  EXPECT_GT(difference, 1e-5);
  models::Llama net = llama();
  Generation whole(net.causal(), ragged, {.new_tokens = 5}),
      half(net.causal(), ragged, {.new_tokens = 5, .cache_dtype = bfloat16});
  EXPECT_EQ(whole.cache_bytes(), 3 * 15 * 2 * 16 * 4);
  EXPECT_EQ(whole.cache_text(), "3 rows x 15 positions x 2 layers x 16 numbers x 4 bytes");
  EXPECT_EQ(half.cache_bytes() * 2, whole.cache_bytes());
  models::KVCaches caches = net.causal().caches(15, bfloat16);
  const NoGrad guard;
  net(zeros({3, 4}, {.dtype = int64}), &caches);
  EXPECT_EQ(caches[0].bytes() + caches[1].bytes(), half.cache_bytes());
}

TEST(Generation, FiveHundredGreedyTokensAreThoseOfTheWholeText) {
  models::GPT2 net = gpt2(512);
  for (const std::int64_t chunk : {3, 512}) {
    const Tensor text = net.generate(as_row({3, 1, 4, 1, 5, 9, 2, 6}), {.new_tokens = 500, .chunk = chunk});
    ASSERT_EQ(text.size(1), 508);
    const NoGrad guard;
    const Tensor likeliest = argmax(net(text), -1);
    EXPECT_EQ(narrow(likeliest, 1, 7, 500).to_vector<std::int64_t>(),
              narrow(text, 1, 8, 500).to_vector<std::int64_t>());
    EXPECT_GT(max(text).item<std::int64_t>(), min(narrow(text, 1, 8, 500)).item<std::int64_t>());
  }
}

TEST(Generation, DrawsAreTheSameBesideOthers) {
  models::Llama net = llama();
  const GenerateOptions options{.new_tokens = 20, .temperature = 1, .top_p = 0.95};
  GenerateOptions three = options, one = options;
  three.seeds = {5, 6, 7};
  one.seeds = {6};
  Generation together(net.causal(), ragged, three), alone(net.causal(), {ragged[1]}, one);
  while (together.step()) {}
  while (alone.step()) {}
  EXPECT_EQ(together.tokens(1), alone.tokens(0));
}

/// Token t is followed by t + 1.
CausalModel counting(std::int64_t count = vocabulary) {
  return {.next = [count](const Tensor& tokens, models::KVCaches&) {
    Tensor logits = zeros({tokens.size(0), count});
    for (std::int64_t row = 0; row < tokens.size(0); ++row)
      logits.data<float>()[row * count + (tokens[row][-1].item<std::int64_t>() + 1) % count] = 1;
    return logits;
  }};
}
std::string letter(std::int64_t token) { return std::string(1, static_cast<char>('a' + token)); }

TEST(Generation, StopsAtStringsAcrossTokens) {
  Generation texts(counting(), {{0}, {3}},
                   {.new_tokens = 6, .stop_tokens = {8}, .stop = {"def", "zz"}, .text = letter});
  std::string first, second;
  while (texts.step()) {
    first += texts.piece(0);
    second += texts.piece(1);
  }
  EXPECT_EQ(first, "bc");
  EXPECT_EQ(texts.end(0), TextEnd::stop);
  EXPECT_EQ(texts.tokens(0), (Tokens{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(second, "efgh");
  EXPECT_EQ(texts.end(1), TextEnd::token);
  EXPECT_EQ(texts.tokens(1).back(), 8);
  EXPECT_EQ(texts.last(0), -1);
}

TEST(Generation, EndsRowsByThemselves) {
  Generation texts(counting(), {{0}, {3}}, {.new_tokens = 4, .end = 5});
  int steps = 0;
  while (texts.step()) ++steps;
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(texts.end(0), TextEnd::count);
  EXPECT_EQ(texts.end(1), TextEnd::token);
  EXPECT_EQ(texts.tokens(1), (Tokens{3, 4, 5}));
  const Tensor filled =
      models::generate(counting(), tensor({{0}, {3}}).to(int64), {.new_tokens = 4, .stop_tokens = {5}});
  EXPECT_EQ(filled.to_vector<std::int64_t>(), (Tokens{0, 1, 2, 3, 4, 3, 4, 5, 5, 5}));
  EXPECT_FALSE(Generation(counting(), {{0}}, {.new_tokens = 0}).step());
}

TEST(Generation, ContinuesAConversation) {
  models::Llama net = llama();
  Generation chat(net.causal(), {{1, 2, 3}}, {.new_tokens = 5, .capacity = 40});
  while (chat.step()) {}
  chat.append(Tokens{7, 8});
  EXPECT_EQ(chat.end(0), TextEnd::none);
  const Tokens so_far = chat.tokens(0);
  while (chat.step()) {}
  Generation whole(net.causal(), {so_far}, {.new_tokens = 5});
  while (whole.step()) {}
  EXPECT_EQ(chat.tokens(0), whole.tokens(0));
  EXPECT_EQ(chat.length(), 3 + 5 + 2 + 4);
  const std::int64_t length = chat.length();
  expect_error<ValueError>([&] { chat.append(Tokens(30, 1)); },
                           "Llama: the message of 31 tokens does not fit into the cache: 14 of 40 positions are taken; "
                           "set a larger capacity");
  EXPECT_EQ(chat.length(), length);
}

TEST(Generation, FullCacheIsAnErrorBeforeTheStep) {
  models::Llama net = llama();
  Generation texts(net.causal(), {{1, 2, 3}}, {.new_tokens = 9, .capacity = 4});
  EXPECT_TRUE(texts.step() && texts.step());
  const Tokens before = texts.tokens(0);
  for (int again = 0; again < 2; ++again)
    expect_error<ValueError>(
        [&] { texts.step(); },
        "Llama: the step of 1 token does not fit into the cache: 4 of 4 positions are taken; set a "
        "larger capacity");
  EXPECT_EQ(texts.tokens(0), before);

  models::KVCaches caches = net.caches(4);
  const NoGrad guard;
  net(as_row({1, 2, 3}), &caches);
  expect_error<ValueError>(
      [&] { net(as_row({1, 2}), &caches); },
      "model: Llama: 2 more positions do not fit into the caches: 3 of 4 are taken; make them larger, or "
      "call truncate()");
  EXPECT_EQ(caches[0].length() + caches[1].length(), 6);
}

TEST(Generation, StepThatFailsChangesNothing) {
  models::GPT2 net = gpt2();
  CausalModel model = net.causal();
  bool fails = false;
  model.next = [&fails, next = model.next](const Tensor& tokens, models::KVCaches& caches) {
    const Tensor logits = next(tokens, caches);
    return fails ? logits * NAN : logits;
  };
  Generation texts(model, ragged, {.new_tokens = 8, .chunk = 4}), sound(net.causal(), ragged, {.new_tokens = 8});
  for (int i = 0; i < 8; ++i) {
    fails = true;
    EXPECT_THROW(texts.step(), ValueError);
    fails = false;
    EXPECT_TRUE(texts.step());
  }
  while (sound.step()) {}
  for (std::int64_t row = 0; row < 3; ++row) EXPECT_EQ(texts.tokens(row), sound.tokens(row));
}

TEST(Generation, RefusesPromptsBeforeComputing) {
  models::GPT2 net = gpt2(10);
  const auto begin = [&](std::vector<Tokens> prompts, const GenerateOptions& options) {
    return [&net, prompts, options] { Generation(net.causal(), prompts, options); };
  };
  expect_error<ShapeError>(begin({Tokens(5, 1)}, {.new_tokens = 7}),
                           "GPT2: a prompt of 5 tokens and 7 new ones exceed the model's 10 positions; shorten the "
                           "prompt or ask for 6 new tokens");
  EXPECT_NO_THROW(begin({Tokens(5, 1)}, {.new_tokens = 6})());
  expect_error<ValueError>(
      begin({{1}, {1, 2, 3, 4}}, {.capacity = 3}),
      "GPT2: the prompt of 4 tokens does not fit into the cache: 0 of 3 positions are taken; set a "
      "larger capacity");
  expect_error<ValueError>(begin({{1}}, {.capacity = 11}), "GPT2: a cache of 11 positions exceeds the model's 10");
  expect_error<IndexError>(begin({{1}, {2, 31}}, {.new_tokens = 1}),
                           "GPT2: token 31 at position 1 of row 1 is outside the vocabulary of 31");
  expect_error<ShapeError>(begin({{1}, {}}, {.new_tokens = 1}),
                           "GPT2: the prompt of row 1 is empty; begin with a token such as the end of text");
  expect_error<ShapeError>(begin({}, {}), "GPT2: generation needs at least one prompt");
  expect_error<ValueError>(begin({{1, 2}}, {.new_tokens = 3, .max_cache_bytes = 1023}),
                           "GPT2: the cache would take 1 rows x 4 positions x 2 layers x 32 numbers x 4 bytes = 1024 "
                           "bytes, more than max_cache_bytes = 1023; take fewer rows or positions, or cache_dtype = "
                           "bfloat16");
  models::CausalModel endless = net.causal();
  endless.positions = 0;
  EXPECT_CONTAINS(test::message_of<ValueError>(
                      [&] { Generation(endless, {{1, 2}}, {.new_tokens = INT64_MAX, .max_cache_bytes = 1 << 30}); }),
                  "more than max_cache_bytes = 1073741824");
  expect_error<ValueError>(begin({{1}}, {.new_tokens = 3, .stop = {"x"}}),
                           "generate: stop strings need `text`, the bytes of a token");
  EXPECT_THROW(begin({{1}}, {.new_tokens = 3, .stop = {""}, .text = letter})(), ValueError);
  EXPECT_THROW(begin({{1}, {2, 3}}, {.new_tokens = 3, .seeds = {1}})(), ValueError);
  EXPECT_THROW(Generation(counting(), {{1}, {1, 2}}), ShapeError);
  Generation two(net.causal(), {{1}, {2}}, {.new_tokens = 2});
  EXPECT_THROW(two.append(Tokens{1}), ValueError);
  EXPECT_THROW(two.tokens(2), IndexError);
}

TEST(TextStream, HoldsBackHalvesOfCharactersAndOfStops) {
  models::TextStream stream({"stop", "op!"});
  EXPECT_EQ(stream.add("a\xE2"), "a");
  EXPECT_EQ(stream.add("\x82"), "");
  EXPECT_EQ(stream.add("\xAC sto"), "\xE2\x82\xAC ");
  EXPECT_EQ(stream.add("o"), "sto");
  EXPECT_EQ(stream.finish(), "o");
  models::TextStream stopped({"stop"});
  EXPECT_EQ(stopped.add("x stop y"), "x ");
  EXPECT_EQ(stopped.add("more"), "");
  EXPECT_EQ(stopped.finish(), "");
  EXPECT_TRUE(stopped.has_stopped());
  models::TextStream broken;
  EXPECT_EQ(broken.add("\xFF\x80\x80\x80\x80"), "\xFF\x80\x80\x80\x80");  // never becomes a character
  EXPECT_EQ(broken.add("\xF0\x9F"), "");
  EXPECT_EQ(broken.finish(), "\xF0\x9F");
}

}  // namespace
}  // namespace minima::generation_test
