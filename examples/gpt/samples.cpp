#include "samples.h"

#include <minima/data/tokenizers/text_generation.h>
#include <minima/tensor/base/format.h>

#include <cstdio>
#include <iostream>
#include <string>

using namespace minima;

namespace {

models::GenerateOptions sampling(const Options& options, const data::Tokenizer& tokenizer, std::int64_t new_tokens) {
  return {.new_tokens = new_tokens,
          .temperature = options.temperature,
          .top_p = options.top_p,
          .end = tokenizer.find("<|endoftext|>").value_or(-1),
          .seeds = {options.seed}};
}

std::string print(data::TextGeneration& text) {
  std::string all;
  while (text.next()) {
    std::fputs(text.piece().c_str(), stdout);
    std::fflush(stdout);
    all += text.piece();
  }
  std::printf("\n");
  return all;
}

}  // namespace

std::vector<std::int64_t> encode_prompt(const data::Tokenizer& tokenizer, const Options& options) {
  std::vector<std::int64_t> prompt = tokenizer.encode(options.prompt);
  if (prompt.empty()) prompt.push_back(0);  // <|endoftext|>
  if (std::ssize(prompt) > options.dial.length)
    throw ValueError(str("--prompt has ", prompt.size(), " tokens, more than a row of --length ", options.dial.length));
  return prompt;
}

std::string print_sample(Network& net, const data::Tokenizer& tokenizer, const Options& options) {
  net.module().eval();
  const std::vector<std::int64_t> prompt = encode_prompt(tokenizer, options);
  const auto room = net.length() - std::ssize(prompt) + 1;
  data::TextGeneration text(net.causal(), tokenizer, prompt,
                            sampling(options, tokenizer, std::min(options.sample, room)));
  std::printf("%s", options.prompt.c_str());
  return options.prompt + print(text);
}

void chat(const Options& options, Device device) {
  Network net = Network::load(options.chat);
  net.module().to(device);
  net.module().eval();
  const auto tokenizer = data::Tokenizer::load(options.chat);
  std::printf("the model continues each line; end with Ctrl-D\n");
  std::optional<data::TextGeneration> text;
  for (std::string line; std::printf("> "), std::fflush(stdout), std::getline(std::cin, line);) {
    const std::vector<std::int64_t> tokens = tokenizer.encode(line);
    if (tokens.empty()) continue;
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (count >= net.length()) {
      std::printf("(the line has %lld tokens; the model reads %lld)\n", static_cast<long long>(count),
                  static_cast<long long>(net.length()));
      continue;
    }
    // The conversation begins anew where line and answer do not fit behind what was said.
    models::GenerateOptions how = sampling(options, tokenizer, std::min(options.sample, net.length() - count));
    how.capacity = net.length();
    how.stop = {"\n"};
    if (text && text->generation().length() + 1 + count + how.new_tokens > net.length()) text.reset();
    if (text) text->generation().append(tokens);
    else text.emplace(net.causal(), tokenizer, tokens, how);
    print(*text);
  }
  std::printf("\n");
}
