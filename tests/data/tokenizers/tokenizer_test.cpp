#include <minima/data/tokenizers/tokenizer.h>
#include <minima/data/tokenizers/byte_pairs.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data::tokenizer_test {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Tokens = std::vector<std::int64_t>;

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() >> 11);
  return bytes;
}

TEST(Tokenizer, BytesAreTheirOwnNumbers) {
  const Tokenizer bytes = Tokenizer::bytes();
  EXPECT_EQ(bytes.size(), 256);
  EXPECT_EQ(bytes.encode("A\xff"), (Tokens{65, 255}));
  EXPECT_EQ(bytes.decode(Tokens{104, 105}), "hi");
  EXPECT_TRUE(bytes.encode("").empty());
}

TEST(Tokenizer, CharactersAreNumberedByTheirBytes) {
  const Tokenizer tokenizer = Tokenizer::characters("b\nä€a\xFF\xC3", {"<end>"});
  EXPECT_EQ(tokenizer.size(), 8);
  const Tokens expected{0, 1, 2, 3, 5, 6, 7, 4, 5};
  EXPECT_EQ(tokenizer.encode("<end>\nabä€\xFF\xC3ä"), expected);
  EXPECT_EQ(tokenizer.decode(expected), "<end>\nabä€\xFF\xC3ä");
  EXPECT_EQ(message_of<ValueError>([&] { tokenizer.encode("aö"); }),
            "Tokenizer::encode: the character \"ö\" is not in the vocabulary of 8; make it of a text that has it, or "
            "train byte pairs, which know all");
  EXPECT_THROW(Tokenizer::characters(""), ValueError);
  EXPECT_THROW(Tokenizer::characters("a", {""}), ValueError);
  const TemporaryFolder folder;
  const std::string path = folder.file("tokenizer.json", "");
  tokenizer.save(path);
  const Tokenizer loaded = Tokenizer::load(path);
  EXPECT_EQ(loaded.pattern(), SplitPattern::characters);
  EXPECT_EQ(loaded.encode("<end>\nabä€\xFF\xC3ä"), expected);
  EXPECT_THROW(loaded.encode("z"), ValueError);
}

TEST(Tokenizer, TokenOutsideTheVocabularyIsAnIndexError) {
  const Tokenizer bytes = Tokenizer::bytes();
  EXPECT_THROW(bytes.decode(Tokens{0, 256}), IndexError);
  EXPECT_THROW(bytes.token(-1), IndexError);
  EXPECT_EQ(message_of<IndexError>([&] { bytes.decode(Tokens{300}); }),
            "Tokenizer::decode: token 300 is outside the vocabulary of 256");
}

/// Spells out what `apply` promises: merges the first pair of the lowest rank until there is none.
std::vector<std::uint32_t> merged_naively(const detail::BytePairs& pairs, std::vector<std::uint32_t> tokens) {
  while (true) {
    std::size_t best = 0;
    detail::BytePairs::Merge merge;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto found = pairs.find(tokens[i], tokens[i + 1]);
      if (found.rank < merge.rank) best = i, merge = found;
    }
    if (merge.rank == detail::BytePairs::none) return tokens;
    tokens[best] = merge.token;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BytePairs, PiecesOfAnyLengthAreMergedInTheOrderOfRanks) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    detail::BytePairs pairs(40);
    for (std::uint32_t token = 3; token < 43; ++token) pairs.add(random() % token, random() % token, token);
    std::vector<std::uint32_t> tokens(round);
    for (auto& token : tokens) token = random() % 3;
    const auto expected = merged_naively(pairs, tokens);
    pairs.apply(tokens);
    EXPECT_EQ(tokens, expected) << round;
  }
}

#ifdef MINIMA_HAVE_UTF8PROC

const std::string sentence =
    "the cat sat on the mat; the rat sat on the hat. aaaaaaa bananas, bandanas and cabanas. It's 2024, isn't it? "
    "na\303\257ve na\303\257vet\303\251 fa\303\247ade\n";

Tokenizer trained(SplitPattern pattern = SplitPattern::llama3) {
  return Tokenizer::train_on(sentence + sentence + sentence,
                             {.vocabulary = 290, .pattern = pattern, .special = {"<|endoftext|>", "<|user|>"}});
}

// Merges and numbers are those of tokenizers 0.23.3: BpeTrainer with the same options and ByteLevel.alphabet().
TEST(Tokenizer, TrainingFindsTheMergesOfHuggingFacesTrainer) {
  const std::vector<std::string> expected{
      "aa",     "an", "at", "he",   "the",     "as",    "a\303", "ban",  " the", "na\303",        "on", "sat", "ve",
      "\257ve", " c", " i", " ban", " na\303", " on",   " sat",  "aaaa", "anas", " na\303\257ve", "'s", "'t",  "02",
      "202",    "It", "ad", "aban", "danas",   "fa\303"};
  for (const SplitPattern pattern : {SplitPattern::gpt2, SplitPattern::llama3}) {
    const Tokenizer tokenizer = trained(pattern);
    ASSERT_EQ(tokenizer.size(), 290);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(tokenizer.token(258 + static_cast<std::int64_t>(i)), expected[i]);
    EXPECT_EQ(tokenizer.encode("the bananas sat<|endoftext|>na\303\257ve aaaa \346\274\242"),
              (Tokens{262, 274, 279, 277, 0, 267, 271, 222, 278, 222, 164, 122, 97}));
  }
}

TEST(Tokenizer, TrainingDoesNotDependOnThreadsOrBlocks) {
  std::string text;
  for (int i = 0; text.size() < 5'000'000; ++i)
    text += str(i % 977, " ", sentence, i % 3 ? "" : "\n\n", "Line ", i * i, "\n");
  const TokenizerTraining options{.vocabulary = 600};
  set_num_threads(1);
  const Tokenizer alone = Tokenizer::train_on(text, options);
  set_num_threads(3);
  const Tokenizer together = Tokenizer::train_on(text, options);
  set_num_threads(1);
  ASSERT_EQ(alone.size(), together.size());
  for (std::int64_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone.token(i), together.token(i)) << i;
}

TEST(Tokenizer, AnyBytesComeBack) {
  const Tokenizer tokenizer = trained();
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::string bytes = random_bytes(seed * 37, seed) + sentence.substr(0, seed * 5) + std::string(seed * 9, 'a');
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(bytes)), bytes) << seed;
  }
}

TEST(Tokenizer, SpecialTokensInATextOfStrangersStayText) {
  const Tokenizer tokenizer = trained();
  const std::string text = "on<|user|>on";
  EXPECT_EQ(tokenizer.encode(text), (Tokens{268, 1, 268}));
  const Tokens plain = tokenizer.encode(text, {.parse_special = false});
  EXPECT_EQ(tokenizer.decode(plain), text);
  for (const std::int64_t token : plain) EXPECT_FALSE(tokenizer.is_special(token));
  EXPECT_EQ(tokenizer.decode(Tokens{268, 1, 268}, {.skip_special_tokens = true}), "onon");
  EXPECT_EQ(tokenizer.find("<|user|>"), 1);
  EXPECT_EQ(tokenizer.find(" the"), 266);
  EXPECT_EQ(tokenizer.find("absent"), std::nullopt);
}

TEST(Tokenizer, SavedTokenizerReadsBackTheSame) {
  const TemporaryFolder folder;
  for (const SplitPattern pattern :
       {SplitPattern::none, SplitPattern::gpt2, SplitPattern::llama3, SplitPattern::qwen2}) {
    const Tokenizer tokenizer = trained(pattern);
    const std::string path = folder / "tokenizer.json";
    tokenizer.save(path);
    const Tokenizer loaded = Tokenizer::load(path);
    EXPECT_EQ(loaded.pattern(), pattern);
    EXPECT_EQ(loaded.encode(sentence + "<|user|>"), tokenizer.encode(sentence + "<|user|>"));
    const std::string first = test::content_of(path);
    loaded.save(path);
    EXPECT_EQ(test::content_of(path), first);
  }
  EXPECT_EQ(Tokenizer::load(folder.path()).size(), 290);
}

TEST(Tokenizer, SpecialTokensMayHaveAnyCharacters) {
  const TemporaryFolder folder;
  // Ä, ä and é stand for bytes in tokenizer.json; the other characters do not.
  const std::vector<std::string> special{"<|конец|>", "<｜end▁of▁text｜>", "Ää", "éé", "\xF0\x9F\x98\x80"};
  const Tokenizer tokenizer = Tokenizer::train_on(sentence + sentence, {.vocabulary = 280, .special = special});
  const std::string text = "the<|конец|>Ää cat\xF0\x9F\x98\x80éé<｜end▁of▁text｜>";
  const Tokens tokens = tokenizer.encode(text);
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(std::ranges::count(tokens, i), 1) << special[i];
  tokenizer.save(folder / "tokenizer.json");
  const Tokenizer loaded = Tokenizer::load(folder.path());
  EXPECT_EQ(loaded.encode(text), tokens);
  EXPECT_EQ(loaded.decode(tokens), text);
  for (std::int64_t i = 0; i < tokenizer.size(); ++i) EXPECT_EQ(loaded.token(i), tokenizer.token(i));
  const Tokenizer ambiguous = Tokenizer::train_on(sentence, {.vocabulary = 280, .special = {"Ä"}});
  EXPECT_EQ(message_of<ValueError>([&] { ambiguous.save(folder / "tokenizer.json"); }),
            "Tokenizer::save: the special token \"Ä\" is also how tokenizer.json spells token 129; rename it");
  EXPECT_EQ(Tokenizer::load(folder.path()).size(), tokenizer.size()) << "the old file is whole";
}

TEST(Tokenizer, TrainsOnTheFilesOfAPattern) {
  const TemporaryFolder folder;
  folder.file("a.txt", sentence);
  folder.file("b.txt", sentence + sentence);
  folder.file("c.bin", std::string(1000, 'z'));
  const Tokenizer tokenizer =
      Tokenizer::train(folder / "*.txt", {.vocabulary = 290, .special = {"<|endoftext|>", "<|user|>"}});
  for (std::int64_t i = 0; i < 290; ++i) EXPECT_EQ(tokenizer.token(i), trained().token(i));
  EXPECT_THROW(Tokenizer::train(folder / "*.md"), FileError);
}

TEST(Tokenizer, TrainsOnTextsAsTheyCome) {
  const TokenizerTraining options{.vocabulary = 290, .special = {"<|endoftext|>", "<|user|>"}};
  int given = 0;
  const auto next = [&](std::string& text) {
    text = given % 2 ? "" : sentence;
    return ++given <= 6;
  };
  const Tokenizer tokenizer = Tokenizer::train_from(next, options);
  EXPECT_EQ(given, 7);
  ASSERT_EQ(tokenizer.size(), 290);
  for (std::int64_t i = 0; i < 290; ++i) EXPECT_EQ(tokenizer.token(i), trained().token(i));
  // A text's end is a border, as a special token is.
  std::string joined;
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    texts.push_back(str("  ", i % 7, "\n\n", sentence.substr(i % 40, 30)));
    joined += texts.back() + "<|user|>";
  }
  std::size_t at = 0;
  const Tokenizer apart = Tokenizer::train_from(
      [&](std::string& text) { return at < texts.size() && (text = texts[at++], true); }, options);
  const Tokenizer together = Tokenizer::train_on(joined, options);
  for (std::int64_t i = 0; i < 290; ++i) EXPECT_EQ(apart.token(i), together.token(i));
  EXPECT_EQ(Tokenizer::train_from([](std::string&) { return false; }).size(), 257);
}

TEST(Tokenizer, TrainingOptionsAreChecked) {
  EXPECT_EQ(message_of<ValueError>([] { Tokenizer::train_on("a", {.vocabulary = 256}); }),
            "Tokenizer::train: vocabulary must be between 257 (256 bytes and 1 special tokens) and 16777216, got 256");
  EXPECT_THROW(Tokenizer::train_on("a", {.vocabulary = 1LL << 40}), ValueError);
  EXPECT_THROW(Tokenizer::train_on("a", {.min_frequency = -1}), ValueError);
  EXPECT_THROW(Tokenizer::train_on("a", {.special = {""}}), ValueError);
  EXPECT_EQ(Tokenizer::train_on("").size(), 257);
}

#endif

}  // namespace
}  // namespace minima::data::tokenizer_test
