// Tokens a second of language models on the CPU. torch_language.py does the same with PyTorch and transformers, and
// compare.sh alternates between them.
//
//   language_models save PRESET FOLDER
//   language_models train FOLDER BATCH LENGTH STEPS
//   language_models decode FOLDER ROWS DTYPE PROMPT TOKENS
//
// `save` writes a model with weights drawn from seed 1 and its config.json, `train` runs AdamW with clipping in
// float32, and `decode` is greedy, with a cache, after a prompt of PROMPT tokens.
//
// A line has the median, the spread and the peak of resident memory. One step or three tokens before are not counted.

#include "benchmarks/timed_calls.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/models/language/load.h>
#include <minima/models/language/presets.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/random/generator.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

namespace {

using namespace minima;

/// Times `count` calls of f after `warmup` others.
template <class F>
void report(const std::string& what, std::int64_t tokens, int warmup, int count, const F& f) {
  const bench::CallTimes times = bench::time_calls(warmup, count, f);
  std::printf("minima | %s | %.1f tokens/s | median %.1f ms, %.1f to %.1f | peak %lld MiB\n", what.c_str(),
              1e3 * static_cast<double>(tokens) / times.median(), times.median(), times.least(), times.most(),
              static_cast<long long>(bench::peak_mib()));
}

int train(models::CausalLM& net, std::int64_t batch, std::int64_t length, int steps) {
  const std::int64_t vocabulary = net.causal().vocabulary;
  const Tensor tokens = randint(0, vocabulary, {batch, length}), targets = randint(0, vocabulary, {batch, length});
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-4});
  report("train batch " + std::to_string(batch) + " x " + std::to_string(length), batch * length, 1, steps, [&] {
    optimizer.zero_grad();
    net.loss(tokens, targets).mean().backward();
    optim::clip_grad_norm_(net.parameters(), 1.0);
    optimizer.step();
  });
  return 0;
}

int decode(models::CausalLM& net, std::int64_t rows, const char* dtype, std::int64_t prompt, int tokens) {
  const NoGrad off;
  constexpr int warmup = 3;
  net.eval();
  auto caches = net.caches(prompt + warmup + tokens);
  Tensor last = randint(0, net.causal().vocabulary, {rows, prompt});
  const auto step = [&] { last = argmax(net.next(last, caches), -1, true); };
  step();
  report("decode " + std::to_string(rows) + (rows == 1 ? " row " : " rows ") + dtype, rows, warmup - 1, tokens, step);
  return 0;
}

int usage() {
  std::fprintf(stderr,
               "usage: language_models save PRESET FOLDER\n"
               "       language_models train FOLDER BATCH LENGTH STEPS\n"
               "       language_models decode FOLDER ROWS float32|bfloat16 PROMPT TOKENS\n");
  return 2;
}

int run(int count, char** words) {
  const auto is = [&](const char* mode, int arguments) {
    return count == arguments + 1 && std::strcmp(words[1], mode) == 0;
  };
  manual_seed(1);
  if (is("save", 3)) {
    auto options = models::gpt2_preset(words[2]);
    options.dropout = 0;
    models::GPT2(options).save_pretrained(words[3]);
    return 0;
  }
  if (is("train", 5)) {
    nn::AnyModule any = models::load(words[2]);
    return train(any.as<models::CausalLM>(), std::atoll(words[3]), std::atoll(words[4]), std::atoi(words[5]));
  }
  if (is("decode", 6)) {
    const bool half = std::strcmp(words[4], "bfloat16") == 0;
    if (!half && std::strcmp(words[4], "float32") != 0) return usage();
    nn::AnyModule any = models::load(words[2], {.dtype = half ? DType::bfloat16 : DType::float32});
    return decode(any.as<models::CausalLM>(), std::atoll(words[3]), words[4], std::atoll(words[5]),
                  std::atoi(words[6]));
  }
  return usage();
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "language_models: %s\n", error.what());
    return 1;
  }
}
