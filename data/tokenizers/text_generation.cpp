#include <minima/data/tokenizers/text_generation.h>

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/models/language/generate.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

models::GenerateOptions with_text(models::GenerateOptions options, const Tokenizer& tokenizer) {
  options.text = [tokenizer](std::int64_t token) {
    return tokenizer.is_special(token) ? std::string() : tokenizer.token(token);
  };
  return options;
}

}  // namespace

TextGeneration::TextGeneration(models::CausalModel model, const Tokenizer& tokenizer, std::string_view prompt,
                               const models::GenerateOptions& options)
    : TextGeneration(std::move(model), tokenizer, tokenizer.encode(prompt), options) {}

TextGeneration::TextGeneration(models::CausalModel model, const Tokenizer& tokenizer, std::vector<std::int64_t> prompt,
                               const models::GenerateOptions& options)
    : generation_(std::move(model), {std::move(prompt)}, with_text(options, tokenizer)) {}

bool TextGeneration::next() {
  while (generation_.step())
    if (!piece().empty()) return true;
  return false;
}

}  // namespace minima::data
