#include <minima/data/packing/packed_tokens.h>

#include <minima/data/datasets/tokens.h>
#include <minima/data/loader/loader.h>
#include <minima/data/tokenizers/tokenizer.h>
#include <minima/io/files/atomic_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace minima::data::packed_tokens_test {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Tokens = std::vector<std::int64_t>;

/// A row's documents with the target of their last position, after checks of what holds for every row.
std::vector<Tokens> documents_in(const PackedTokens::Batch& batch, std::int64_t row) {
  std::vector<Tokens> all;
  const std::int64_t length = batch[0].size(1);
  const auto at = [&](int which, std::int64_t i) {
    return batch[static_cast<std::size_t>(which)].data<std::int64_t>()[row * length + i];
  };
  for (std::int64_t i = 0; i < length;) {
    const std::int64_t segment = at(2, i);
    EXPECT_EQ(segment, static_cast<std::int64_t>(all.size()));
    Tokens document;
    std::int64_t begin = i;
    bool is_padding = at(1, i) == -100;
    for (; i < length && at(2, i) == segment; ++i) {
      EXPECT_EQ(at(3, i), i - begin);
      EXPECT_EQ(at(1, i) == -100, is_padding);
      if (i + 1 < length && at(2, i + 1) == segment && !is_padding) {
        EXPECT_EQ(at(1, i), at(0, i + 1));
      }
      document.push_back(at(0, i));
    }
    if (is_padding) {
      EXPECT_EQ(i, length) << "padding is at the end";
      break;
    }
    document.push_back(at(1, i - 1));
    all.push_back(std::move(document));
  }
  return all;
}

std::vector<Tokens> all_documents(const PackedTokens& text) {
  std::vector<Tokens> all;
  for (std::int64_t row = 0; row < text.size(); ++row) {
    const std::vector<Tokens> found = documents_in(text.fetch(std::vector{row}), 0);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::ranges::sort(all);
  return all;
}

/// The parts that a document becomes, in rows of `length`.
void add_parts(const Tokens& document, std::int64_t length, std::vector<Tokens>& to) {
  const auto count = static_cast<std::int64_t>(document.size());
  for (std::int64_t first = 0; first < count - 1; first += length)
    to.emplace_back(document.begin() + first, document.begin() + std::min(count, first + length + 1));
}

const char* const words[] = {"the",     " river",         " it's",        "  two", "\n\nnew",      " 12345",
                             " Straße", "，你好",         "世界。",       "\t{x}", "<|im_start|>", " e\xCC\x81",
                             "...",     "\xE3\x80\x80世", "\xE3\x80\x80", "\r\n",  " \xff\xfe",    "ab"};

std::string random_text(std::mt19937& random, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += words[random() % std::size(words)];
  return text;
}

/// Documents that ask for every kind of cut, in two files.
struct Corpus {
  explicit Corpus(std::size_t longest) {
    std::mt19937 random(7);
    for (int file = 0; file < 2; ++file) {
      std::string text;
      for (int i = 0; i < 40; ++i) {
        texts.push_back(random_text(random, 1 + random() % (i % 10 == 0 ? longest : 40)));
        text += texts.back() + "<|endoftext|>";
      }
      folder.file(str("part", file, ".txt"), text + "\n");
    }
  }
  std::vector<Tokens> parts(const Tokenizer& tokenizer, std::int64_t length, std::int64_t end) const {
    std::vector<Tokens> all;
    for (const std::string& text : texts) {
      Tokens tokens = tokenizer.encode(text, {.parse_special = false});
      if (end >= 0) tokens.push_back(end);
      add_parts(tokens, length, all);
    }
    std::ranges::sort(all);
    return all;
  }
  TemporaryFolder folder;
  std::vector<std::string> texts;
};

#ifdef MINIMA_HAVE_UTF8PROC
TEST(PackedTokens, HaveTheTokensOfWholeDocumentsWhereverThoseAreCut) {
  const Corpus corpus(4000);
  const std::string files = corpus.folder / "*.txt";
  for (const SplitPattern pattern : {SplitPattern::gpt2, SplitPattern::llama3}) {
    const auto tokenizer = Tokenizer::train(files, {.vocabulary = 400, .pattern = pattern});
    for (const std::int64_t length : {7, 64, 500}) {
      const PackedTokens text(files, tokenizer, {.length = length});
      EXPECT_EQ(text.documents(), 80);
      EXPECT_EQ(all_documents(text), corpus.parts(tokenizer, length, *tokenizer.find("<|endoftext|>")));
    }
  }
  const PackedTokens bytes(files, Tokenizer::bytes(), {.length = 100});
  EXPECT_EQ(all_documents(bytes), corpus.parts(Tokenizer::bytes(), 100, -1)) << "no end";
}

TEST(PackedTokens, WrittenAsTokensHaveTheSameRows) {
  const Corpus corpus(3000);
  const std::string files = corpus.folder / "*.txt", path = corpus.folder / "all.bin";
  const auto tokenizer = Tokenizer::train(files, {.vocabulary = 400});
  const PackedTokens text(files, tokenizer, {.length = 60, .held_out = 0.3});
  for (const PackedTokens& part : {text, text.held_out()}) {
    part.write_tokens(path);
    const PackedTokens file(path,
                            {.length = 60, .end = tokenizer.find("<|endoftext|>"), .vocabulary = tokenizer.size()});
    ASSERT_EQ(file.size(), part.size());
    for (std::int64_t row = 0; row < part.size(); ++row) {
      const PackedTokens::Batch one = part.fetch(Tokens{row}), two = file.fetch(Tokens{row});
      for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(one[i].to_vector<std::int64_t>(), two[i].to_vector<std::int64_t>());
    }
  }
  EXPECT_THROW(PackedTokens(files, Tokenizer::bytes()).write_tokens(path), ValueError) << "nothing ends documents";
}

TEST(PackedTokens, DocumentsHaveTheTokensOfTheTokenizersTemplate) {
  const Corpus corpus(900);
  const std::string files = corpus.folder / "*.txt", path = corpus.folder / "tokenizer.json";
  Tokenizer::train(files, {.vocabulary = 300, .special = {"<|endoftext|>", "<s>"}}).save(path);
  std::string json = test::content_of(path);
  const std::size_t at = json.find("\"post_processor\""), end = json.find("\"decoder\"");
  ASSERT_LT(at, end);
  json.replace(at, end - at, R"("post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}, )");
  write_file(path, json);
  const Tokenizer tokenizer = Tokenizer::load(path);
  ASSERT_EQ(tokenizer.encode("a").front(), 1);
  const PackedTokens text(files, tokenizer, {.length = 50});
  EXPECT_EQ(all_documents(text), corpus.parts(tokenizer, 50, 0));
}

#endif

TEST(PackedTokens, PadAtMostTwoPercentOfDocumentsShorterThanARow) {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  Tokens tokens;
  for (int i = 0; i < 3000; ++i) {
    const double size = std::exp(std::normal_distribution<double>(5, 1)(random));
    tokens.insert(tokens.end(), static_cast<std::size_t>(std::clamp(size, 1.0, 1000.0)), 1 + i % 900);
    tokens.push_back(0);
  }
  write_tokens(folder / "a.bin", tokens);
  const PackedTokens text(folder / "a.bin", {.length = 1024, .end = 0});
  EXPECT_EQ(text.documents(), 3000);
  EXPECT_EQ(text.targets(), static_cast<std::int64_t>(tokens.size()) - 3000);
  EXPECT_LE(text.padding(), 0.02);
  EXPECT_GT(text.size(), 300);
}

/// llm.c's files begin documents with their separator and nanoGPT's end them; both have the same documents.
TEST(PackedTokens, ReadTokenFiles) {
  const TemporaryFolder folder;
  write_tokens(folder / "before.bin", Tokens{9, 1, 2, 3, 9, 4, 9, 5, 6, 7, 8, 1});
  std::string after;
  for (const std::uint16_t token : {1, 2, 3, 9, 4, 9, 5, 6, 7, 8, 1, 9})
    after += {static_cast<char>(token), static_cast<char>(token >> 8)};
  folder.file("after.bin", after);
  const std::vector<Tokens> wanted{{1, 2, 3, 9}, {4, 9}, {5, 6, 7, 8, 1}, {1, 9}};
  for (const char* name : {"before.bin", "after.bin"}) {
    const PackedTokens text(folder / name, {.length = 4, .end = 9, .vocabulary = 10});
    std::vector<Tokens> sorted = wanted;
    std::ranges::sort(sorted);
    EXPECT_EQ(all_documents(text), sorted) << name;
    EXPECT_EQ(text.size(), 3);
    EXPECT_NE(text.describe(0).find(".bin: token "), std::string::npos);
  }
  const PackedTokens whole(folder / "after.bin", {.length = 20});
  EXPECT_EQ(all_documents(whole), (std::vector<Tokens>{{1, 2, 3, 9, 4, 9, 5, 6, 7, 8, 1, 9}}));
}

TEST(PackedTokens, BrokenInputIsAnErrorWithItsPlace) {
  const TemporaryFolder folder;
  write_tokens(folder / "a.bin", Tokens{1, 2, 9, 9, 3, 9});
  const auto message = [&](const PackedTokensOptions& options) {
    return message_of<Error>([&] { PackedTokens(folder / "a.bin", options); });
  };
  EXPECT_EQ(message({.vocabulary = 9}), "PackedTokens: " + folder / "a.bin" +
                                            ": token 2 is 9, outside the vocabulary of 9; encode the file with the "
                                            "model's tokenizer");
  EXPECT_EQ(message({.end = 9}), "PackedTokens: " + folder / "a.bin" +
                                     ": token 3: the document has 1 token, which gives no target; fix the file or "
                                     "pass {.skip_short = true}");
  EXPECT_EQ(PackedTokens(folder / "a.bin", {.end = 9, .skip_short = true}).documents(), 2);
  EXPECT_EQ(message({.end = 12, .vocabulary = 10}), "PackedTokens: end = 12 is outside the vocabulary of 10");
  EXPECT_EQ(message({.length = 0}), "PackedTokens: length must be from 1 to 2147483647, got 0");
  EXPECT_EQ(message({.held_out = 1}), "PackedTokens: held_out must be at least 0 and below 1, got 1");
  EXPECT_THROW(PackedTokens(folder / "*.txt", Tokenizer::bytes()), FileError);
  folder.file("empty.txt", "one<|endoftext|><|endoftext|>two");
  EXPECT_EQ(message_of<ValueError>([&] { PackedTokens(folder / "empty.txt", Tokenizer::bytes()); }),
            "PackedTokens: " + folder / "empty.txt" +
                ": byte 16: the document has 0 tokens, which gives no target; fix the file or pass {.skip_short = "
                "true}");
  folder.file("none.txt", "");
  EXPECT_THROW(PackedTokens(folder / "none.txt", Tokenizer::bytes(), {.skip_short = true}), ValueError);
  const PackedTokens text(folder / "a.bin", {.length = 3});
  EXPECT_THROW(text.fetch(Tokens{text.size()}), IndexError);
  EXPECT_THROW(text.held_out(), ValueError);
}

TEST(PackedTokens, HeldOutDocumentsDependOnTheirTextAlone) {
  const Corpus corpus(100);
  const Tokenizer bytes = Tokenizer::bytes();
  const PackedTokensOptions options{.length = 300, .held_out = 0.2};
  const PackedTokens text(corpus.folder / "*.txt", bytes, options), held_out = text.held_out();
  EXPECT_EQ(text.documents() + held_out.documents(), 80);
  EXPECT_GT(held_out.documents(), 4);
  EXPECT_LT(held_out.documents(), 36);
  std::vector<Tokens> all = all_documents(text);
  const std::vector<Tokens> kept = all_documents(held_out);
  all.insert(all.end(), kept.begin(), kept.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, corpus.parts(bytes, 300, -1));
  const std::vector<Tokens> of_one =
      all_documents(PackedTokens(corpus.folder / "part1.txt", bytes, options).held_out());
  EXPECT_TRUE(std::ranges::includes(kept, of_one));
  corpus.folder.file("single", "a single document");
  EXPECT_THROW(PackedTokens(corpus.folder / "single", bytes, {.held_out = 0.1}), ValueError);
}

TEST(PackedTokens, LoadersResumeExactlyAtAnyNumberOfWorkersAndProcesses) {
  const Corpus corpus(600);
  const PackedTokens text(corpus.folder / "*.txt", Tokenizer::bytes(), {.length = 64});
  ASSERT_GT(text.size(), 60);
  const auto rows = [](DataLoader<PackedTokens>& loader, std::int64_t batches, std::vector<Tokens>& to) {
    for (auto& [tokens, targets, segments, positions] : loader) {
      for (std::int64_t i = 0; i < tokens.size(0); ++i) {
        const std::int64_t* const row = tokens.data<std::int64_t>() + i * 64;
        to.emplace_back(row, row + 64);
      }
      if (--batches == 0) break;
    }
  };
  std::vector<Tokens> whole, resumed;
  DataLoader<PackedTokens> straight(text, {.batch_size = 4, .shuffle = true, .seed = 5});
  rows(straight, -1, whole);
  DataLoader<PackedTokens> first(text, {.batch_size = 4, .shuffle = true, .workers = 2, .seed = 5});
  rows(first, 5, resumed);
  const State state = first.state_dict();
  for (int rank = 0; rank < 2; ++rank) {
    DataLoader<PackedTokens> part(text, {.batch_size = 3,
                                         .shuffle = true,
                                         .workers = rank,
                                         .seed = 1,
                                         .rank = rank,
                                         .world_size = 2,
                                         .uneven = Uneven::drop});
    part.load_state_dict(state);
    rows(part, -1, resumed);
  }
  std::ranges::sort(whole);
  std::ranges::sort(resumed);
  EXPECT_EQ(whole.size(), static_cast<std::size_t>(text.size()));
  EXPECT_TRUE(std::ranges::includes(whole, resumed));
  EXPECT_GE(resumed.size() + 1, whole.size()) << "an odd rest drops one";
}

}  // namespace
}  // namespace minima::data::packed_tokens_test
