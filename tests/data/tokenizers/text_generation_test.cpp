#include <minima/data/tokenizers/text_generation.h>
#include <minima/data/tokenizers/tokenizer.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace minima::data::text_generation_test {
namespace {

/// Writes the tokens of a text one after the other, whatever it is given.
models::CausalModel writer(const Tokenizer& tokenizer, const std::string& text) {
  return {.next = [tokens = tokenizer.encode(text), count = tokenizer.size(), at = std::size_t{0}](
                      const Tensor&, models::KVCaches&) mutable {
    Tensor logits = zeros({1, count});
    logits.data<float>()[tokens[at++ % tokens.size()]] = 1;
    return logits;
  }};
}

TEST(TextGeneration, PiecesAreWholeCharacters) {
  const Tokenizer bytes = Tokenizer::bytes();
  std::vector<std::string> pieces;
  for (const std::string& piece : TextGeneration(writer(bytes, "aä€b"), bytes, "x", {.new_tokens = 7}))
    pieces.push_back(piece);
  EXPECT_EQ(pieces, (std::vector<std::string>{"a", "ä", "€", "b"}));
}

TEST(TextGeneration, SpecialTokensHaveNoText) {
  const Tokenizer tokenizer = Tokenizer::characters("abx", {"<end>", "<tool>"});
  TextGeneration text(writer(tokenizer, "a<tool>b<end>a"), tokenizer, "x", {.new_tokens = 9, .end = 0});
  std::string all;
  for (const std::string& piece : text) all += piece;
  EXPECT_EQ(all, "ab");
  EXPECT_EQ(text.generation().end(0), models::TextEnd::token);
  EXPECT_EQ(text.generation().tokens(0).size(), 5u);
}

TEST(TextGeneration, StopStringsEndTheText) {
  const Tokenizer bytes = Tokenizer::bytes();
  std::string all;
  for (const std::string& piece : TextGeneration(writer(bytes, "one two"), bytes, "x", {.stop = {" t"}})) all += piece;
  EXPECT_EQ(all, "one");
}

}  // namespace
}  // namespace minima::data::text_generation_test
