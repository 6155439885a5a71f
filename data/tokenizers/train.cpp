#include <minima/data/tokenizers/tokenizer.h>

#include <minima/data/tokenizers/files.h>
#include <minima/data/tokenizers/split.h>
#include <minima/data/tokenizers/tables.h>
#include <minima/data/tokenizers/unicode.h>
#include <minima/data/tokenizers/word_counts.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

using Token = Tokenizer::Tables::Token;
using Pair = std::uint64_t;  // left << 32 | right, so that pairs compare as their numbers do

Pair pair_of(Token left, Token right) { return Pair{left} << 32 | right; }
Token left_of(Pair pair) { return static_cast<Token>(pair >> 32); }
Token right_of(Pair pair) { return static_cast<Token>(pair); }

/// Finds merges as Hugging Face's BpeTrainer does: the most frequent pair first, of equally frequent ones the smaller.
/// Only the words that hold the merged pair are visited, and counts change by what happens there. As there, an
/// overlapping pair (three equal tokens in a row) counts twice.
class Merger {
 public:
  Merger(Tokenizer::Tables& tables, const detail::WordCounts::Map& words, std::int64_t min_frequency)
      : tables_(tables), min_frequency_(min_frequency) {
    std::array<Token, 256> byte_token{};
    for (Token token = 0; token < tables.tokens.size(); ++token) {
      const std::string& bytes = tables.tokens[token];
      if (token >= tables.added.size()) byte_token[static_cast<unsigned char>(bytes.front())] = token;
      numbers_.emplace(bytes, token);
    }
    words_.reserve(words.size());
    for (const auto& [word, count] : words) {
      const auto index = static_cast<std::uint32_t>(words_.size());
      words_.push_back({symbols_.size(), static_cast<std::uint32_t>(word.size()), count});
      for (std::size_t i = 0; i < word.size(); ++i) {
        symbols_.push_back(byte_token[static_cast<unsigned char>(word[i])]);
        if (i > 0) change(pair_of(symbols_[symbols_.size() - 2], symbols_.back()), 1, index);
      }
    }
    offer_grown();
  }

  void run(std::size_t vocabulary) {
    while (tables_.tokens.size() < vocabulary && !queue_.empty()) {
      const auto [count, pair] = queue_.top();
      queue_.pop();
      Statistics& statistics = pairs_.at(pair);
      if (count != statistics.count) {
        if (statistics.count > 0) queue_.push({statistics.count, pair});
        continue;
      }
      if (count < min_frequency_) break;
      merge(pair, statistics);
    }
  }

 private:
  struct Word {
    std::size_t begin;
    std::uint32_t size;
    std::int64_t count;
  };
  struct Statistics {
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;  ///< those that hold the pair, or did
    bool has_grown = false;
  };
  struct Candidate {
    std::int64_t count;
    Pair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void change(Pair pair, int by, std::uint32_t word) {
    Statistics& statistics = pairs_[pair];
    statistics.count += by * words_[word].count;
    if (by < 0) return;
    if (statistics.words.empty() || statistics.words.back() != word) statistics.words.push_back(word);
    if (!statistics.has_grown) grown_.push_back(pair);
    statistics.has_grown = true;
  }

  void offer_grown() {
    for (const Pair pair : grown_) {
      Statistics& statistics = pairs_[pair];
      statistics.has_grown = false;
      if (statistics.count > 0) queue_.push({statistics.count, pair});
    }
    grown_.clear();
  }

  void merge(Pair pair, Statistics& statistics) {
    const std::string bytes = tables_.tokens[left_of(pair)] + tables_.tokens[right_of(pair)];
    const auto [number, is_new] = numbers_.emplace(bytes, static_cast<Token>(tables_.tokens.size()));
    if (is_new) tables_.tokens.push_back(bytes);
    tables_.merges.emplace_back(left_of(pair), right_of(pair));
    const std::vector<std::uint32_t> holders = std::move(statistics.words);
    for (const std::uint32_t word : holders) merge_in(word, pair, number->second);
    offer_grown();
  }

  void merge_in(std::uint32_t index, Pair pair, Token merged) {
    Word& word = words_[index];
    Token* const symbols = symbols_.data() + word.begin;
    std::uint32_t to = 0;
    for (std::uint32_t from = 0; from < word.size; ++to) {
      if (from + 1 == word.size || symbols[from] != left_of(pair) || symbols[from + 1] != right_of(pair)) {
        symbols[to] = symbols[from++];
        continue;
      }
      if (to > 0) {
        change(pair_of(symbols[to - 1], left_of(pair)), -1, index);
        change(pair_of(symbols[to - 1], merged), 1, index);
      }
      from += 2;
      if (from < word.size) {
        change(pair_of(right_of(pair), symbols[from]), -1, index);
        change(pair_of(merged, symbols[from]), 1, index);
      }
      symbols[to] = merged;
    }
    word.size = to;
  }

  Tokenizer::Tables& tables_;
  std::int64_t min_frequency_;
  std::unordered_map<std::string, Token> numbers_;
  std::vector<Token> symbols_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Statistics> pairs_;
  std::vector<Pair> grown_;
  std::priority_queue<Candidate> queue_;
};

void check(const TokenizerTraining& options) {
  const std::int64_t least = 256 + static_cast<std::int64_t>(options.special.size());
  if (options.vocabulary < least || options.vocabulary > 1 << 24)
    throw ValueError(str("Tokenizer::train: vocabulary must be between ", least, " (256 bytes and ",
                         options.special.size(), " special tokens) and 16777216, got ", options.vocabulary));
  if (options.min_frequency < 0)
    throw ValueError(str("Tokenizer::train: min_frequency must not be negative, got ", options.min_frequency));
  for (const std::string& text : options.special)
    if (text.empty()) throw ValueError("Tokenizer::train: a special token is empty");
  if (options.pattern != SplitPattern::none && options.pattern != SplitPattern::characters)
    detail::require_unicode("Tokenizer::train");
}

Tokenizer train_on_counts(const detail::WordCounts& counts, const TokenizerTraining& options) {
  auto tables = std::make_shared<Tokenizer::Tables>();
  tables->pattern = options.pattern;
  for (const std::string& text : options.special) {
    tables->added.push_back({static_cast<Token>(tables->tokens.size())});
    tables->tokens.push_back(text);
  }
  for (const std::uint8_t byte : detail::bytes_in_order()) tables->tokens.emplace_back(1, static_cast<char>(byte));
  Merger(*tables, counts.words(), options.min_frequency).run(static_cast<std::size_t>(options.vocabulary));
  tables->finish();
  return Tokenizer(std::move(tables));
}

}  // namespace

Tokenizer Tokenizer::train(const std::string& pattern, const TokenizerTraining& options) {
  return train(std::span(&pattern, 1), options);
}

Tokenizer Tokenizer::train(std::span<const std::string> patterns, const TokenizerTraining& options) {
  check(options);
  detail::WordCounts counts(options.pattern, options.special);
  for (const std::string& pattern : patterns) {
    for (const std::string& path : detail::files_matching("Tokenizer::train", pattern)) {
      const MappedFile file(path);
      const std::string_view text = file.text();
      counts.add({&text, 1});
    }
  }
  return train_on_counts(counts, options);
}

Tokenizer Tokenizer::train_on(std::string_view text, const TokenizerTraining& options) {
  check(options);
  detail::WordCounts counts(options.pattern, options.special);
  counts.add({&text, 1});
  return train_on_counts(counts, options);
}

Tokenizer Tokenizer::train_from(const Function<bool(std::string& text)>& next, const TokenizerTraining& options) {
  check(options);
  detail::WordCounts counts(options.pattern, options.special);
  constexpr std::size_t together = std::size_t{1} << 24;  // bytes that all threads share
  bool has_text = true;
  while (has_text) {
    std::vector<std::string> texts;
    std::string text;
    for (std::size_t bytes = 0; bytes < together && (has_text = next(text)); bytes += sizeof text + text.size())
      texts.push_back(text);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    counts.add(views);
  }
  return train_on_counts(counts, options);
}

}  // namespace minima::data
