#include <minima/data/tokenizers/tokenizer.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::data::tokenizer_json_test {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Tokens = std::vector<std::int64_t>;

/// A tokenizer.json with these parts; "a", "b", " " and "ab" are its tokens.
std::string file(const std::string& parts = "", const std::string& model = "") {
  return R"({"version": "1.0", "added_tokens": [{"id": 4, "content": "<s>", "special": true},
    {"id": 5, "content": "<tool>", "special": false}],)" +
         parts + R"("decoder": {"type": "ByteLevel"}, "model": {"type": "BPE", )" + model +
         R"("vocab": {"a": 0, "b": 1, "Ġ": 2, "ab": 3}, "merges": ["a b"]}})";
}

Tokenizer read(const std::string& content) {
  const TemporaryFolder folder;
  return Tokenizer::load(folder.file("tokenizer.json", content));
}

std::string refusal(const std::string& content) {
  const TemporaryFolder folder;
  const std::string path = folder.file("tokenizer.json", content);
  const std::string message = message_of<FormatError>([&] { Tokenizer::load(path); });
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

TEST(TokenizerJson, ReadsVocabularyMergesAndAddedTokens) {
  const Tokenizer tokenizer = read(file());
  EXPECT_EQ(tokenizer.size(), 6);
  EXPECT_EQ(tokenizer.encode("ab ba<tool>a<s>"), (Tokens{3, 2, 1, 0, 5, 0, 4}));
  EXPECT_EQ(tokenizer.encode("<tool>a", {.parse_special = false}), (Tokens{5, 0}));
  EXPECT_THROW(tokenizer.encode("<s>", {.parse_special = false}), ValueError);  // "<" has no token
  EXPECT_EQ(tokenizer.find("<s>"), 4);
}

TEST(TokenizerJson, ByteWithoutATokenIsAnError) {
  EXPECT_EQ(
      message_of<ValueError>([] { read(file()).encode("abc"); }),
      "Tokenizer::encode: the vocabulary has no token for the byte 99; train it with all 256 (initial_alphabet in "
      "tokenizers)");
}

TEST(TokenizerJson, MergesMayBePairs) {
  std::string content = file();
  content.replace(content.find(R"(["a b"])"), 7, R"([["a","b"]])");
  EXPECT_EQ(read(content).encode("ab"), Tokens{3});
}

TEST(TokenizerJson, TemplateAddsItsTokens) {
  const Tokenizer tokenizer = read(file(R"("post_processor": {"type": "Sequence", "processors": [
    {"type": "ByteLevel", "trim_offsets": false}, {"type": "TemplateProcessing",
     "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
     "pair": [], "special_tokens": {}}]},)"));
  EXPECT_EQ(tokenizer.encode("ab"), (Tokens{4, 3}));
  EXPECT_EQ(tokenizer.encode("ab", {.add_special_tokens = false}), Tokens{3});
}

#ifdef MINIMA_HAVE_UTF8PROC
// These are the results of tokenizers 0.23.3 for these files.
TEST(TokenizerJson, PutsASpaceBeforeTextsThatBeginWithAnythingElse) {
  const Tokenizer tokenizer = read(R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true}, "model":
    {"type": "BPE", "vocab": {"a": 0, "Ġ": 1, "ĉ": 2}, "merges": []}})");
  EXPECT_EQ(tokenizer.encode("a"), (Tokens{1, 0}));
  EXPECT_EQ(tokenizer.encode(" a"), (Tokens{1, 0}));
  EXPECT_EQ(tokenizer.encode("\ta"), (Tokens{1, 2, 0}));
  EXPECT_TRUE(tokenizer.encode("").empty());
  const std::string split = R"({"type": "Split", "pattern": {"Regex": "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+|)"
                            R"( ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"}, "behavior": "Isolated"})";
  EXPECT_NE(refusal(file(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [)" + split +
                         R"(, {"type": "ByteLevel", "add_prefix_space": true, "use_regex": false}]},)"))
                .find("\"add_prefix_space\" after a Split"),
            std::string::npos);
}

TEST(TokenizerJson, FindsAddedTokensInTheTextOrInWhatItIsNormalisedTo) {
  for (const bool normalized : {true, false}) {
    const Tokenizer tokenizer = read(R"({"normalizer": {"type": "NFC"}, "decoder": {"type": "ByteLevel"},
      "added_tokens": [{"id": 3, "content": "o\u0308k", "special": false, "normalized": )" +
                                     std::string(normalized ? "true" : "false") + R"(}],
      "model": {"type": "BPE", "vocab": {"Ã": 0, "¶": 1, "k": 2}, "merges": []}})");
    EXPECT_EQ(tokenizer.encode("o\xCC\x88k"), Tokens{3});
    EXPECT_EQ(tokenizer.encode("\xC3\xB6kk"), (normalized ? Tokens{3, 2} : Tokens{0, 1, 2, 2}));
    const TemporaryFolder folder;
    tokenizer.save(folder / "tokenizer.json");
    EXPECT_EQ(Tokenizer::load(folder.path()).encode("\xC3\xB6k"), tokenizer.encode("\xC3\xB6k"));
  }
}

TEST(TokenizerJson, NormalisesTextAndKeepsBytesThatAreNotUtf8) {
  const Tokenizer tokenizer = read(R"({"normalizer": {"type": "NFC"}, "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"Ã": 0, "©": 1, "e": 2, "ÿ": 3}, "merges": []}})");
  EXPECT_EQ(tokenizer.encode("e\xCC\x81"), (Tokens{0, 1}));
  EXPECT_EQ(tokenizer.encode("\xFF"
                             "e\xCC\x81\xFF"),
            (Tokens{3, 0, 1, 3}));
  EXPECT_EQ(tokenizer.encode(std::string(1'000'000, '\xFF')), Tokens(1'000'000, 3));
}
#endif

TEST(TokenizerJson, PieceThatIsATokenMayNeedNoMerges) {
  std::string content = file("", R"("ignore_merges": true, )");
  content.replace(content.find(R"(["a b"])"), 7, "[]");
  EXPECT_EQ(read(content).encode("ab"), Tokens{3});
}

TEST(TokenizerJson, ReadsThePairOfFilesOfGpt2) {
  const TemporaryFolder folder;
  folder.file("vocab.json", R"({"a": 0, "b": 1, "Ġ": 2, "ab": 3, "<|endoftext|>": 4})");
  folder.file("merges.txt", "#version: 0.2\na b\n");
#ifdef MINIMA_HAVE_UTF8PROC
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  EXPECT_EQ(tokenizer.encode("ab b<|endoftext|>"), (Tokens{3, 2, 1, 4}));
  EXPECT_EQ(tokenizer.pattern(), SplitPattern::gpt2);
  folder.file("merges.txt", "#version: 0.2\na b\na c\n");
  EXPECT_NE(
      message_of<FormatError>([&] { Tokenizer::load(folder.path()); }).find("merges.txt: byte 18: \"a c\" is no merge"),
      std::string::npos);
#endif
}

TEST(TokenizerJson, WhatIsNoByteLevelBpeIsRefusedByName) {
  const auto model = [](const std::string& text) { return R"({"model": )" + text + "}"; };
  EXPECT_NE(refusal(model(R"({"type": "WordPiece", "vocab": {}})")).find("a WordPiece model (BERT's)"),
            std::string::npos);
  EXPECT_NE(refusal(model(R"({"type": "Unigram", "vocab": []})")).find("Unigram model (SentencePiece's)"),
            std::string::npos);
  EXPECT_NE(refusal(model(R"({"vocab": [["a", 0.0]]})")).find("Unigram"), std::string::npos);
  EXPECT_NE(refusal(file("", R"("byte_fallback": true, )")).find("\"byte_fallback\" is not supported"),
            std::string::npos);
  EXPECT_NE(refusal(file(R"("normalizer": {"type": "Prepend", "prepend": "▁"},)")).find("the normalizer \"Prepend\""),
            std::string::npos);
  EXPECT_NE(refusal(file(R"("pre_tokenizer": {"type": "Whitespace"},)")).find("the pre-tokenizer \"Whitespace\""),
            std::string::npos);
  EXPECT_NE(refusal(file(R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\d"}, "behavior": "Isolated"},)"))
                .find("a Split by the pattern \\d"),
            std::string::npos);
  EXPECT_EQ(refusal("{}"), ": byte 1: no \"model\": this is not a tokenizer.json");
}

TEST(TokenizerJson, UnsoundFilesAreRefused) {
  const auto vocabulary = [](const std::string& vocab, const std::string& merges) {
    return R"({"decoder": {"type": "ByteLevel"}, "model": {"vocab": )" + vocab + R"(, "merges": )" + merges + "}}";
  };
  EXPECT_NE(refusal(vocabulary(R"({"a": 1})", "[]")).find("no token has the number 0"), std::string::npos);
  EXPECT_NE(refusal(vocabulary(R"({"a": 0, "b": 0})", "[]")).find("two tokens have the number 0"), std::string::npos);
  EXPECT_NE(refusal(vocabulary(R"({"a": 16000000})", "[]")).find("leaves a gap"), std::string::npos);
  EXPECT_NE(refusal(vocabulary(R"({"a": -1})", "[]")).find("the token number -1"), std::string::npos);
  EXPECT_NE(refusal(vocabulary(R"({"a": 0, "b": 1})", R"(["a b"])")).find("which the vocabulary lacks"),
            std::string::npos);
  EXPECT_NE(refusal(vocabulary(R"({"a": 0})", R"(["ab"])")).find("without a space"), std::string::npos);
  EXPECT_NE(refusal(vocabulary(R"({"▁a": 0})", "[]")).find("not in byte-level form"), std::string::npos);
}

}  // namespace
}  // namespace minima::data::tokenizer_json_test
