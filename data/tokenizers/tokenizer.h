#pragma once

#include <minima/data/tokenizers/split.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data {

/// How Tokenizer::encode treats special tokens.
struct TokenEncodeOptions {
  /// Adds the tokens that the tokenizer's template puts around a text, such as Llama 3's <|begin_of_text|>.
  bool add_special_tokens = true;
  /// Special tokens spelt out in the text become those tokens. Switch it off for text of strangers, who could otherwise
  /// end their message and begin another.
  bool parse_special = true;
};

/// How Tokenizer::decode treats special tokens.
struct TokenDecodeOptions {
  bool skip_special_tokens = false;
};

/// The size, pattern and special tokens of a tokenizer that Tokenizer::train makes.
struct TokenizerTraining {
  std::int64_t vocabulary = 8192;  ///< tokens in all: special ones, 256 bytes, and the merges
  SplitPattern pattern = SplitPattern::llama3;
  std::vector<std::string> special = {"<|endoftext|>"};  ///< they have the first numbers
  std::int64_t min_frequency = 2;                        ///< a pair that occurs less often is not merged
};

/// A text as numbers and back, by byte-pair encoding of bytes (Sennrich et al. 2016, in the form of GPT-2):
///
///     const auto tokenizer = data::Tokenizer::train("corpus/*.txt", {.vocabulary = 8192});
///     std::vector<std::int64_t> tokens = tokenizer.encode("In the beginning");
///     std::string text = tokenizer.decode(tokens);
///
/// The text is cut into pieces by a pattern; in each, the bytes are tokens, and pairs of neighbours are merged in the
/// order of training. Any bytes can be encoded, UTF-8 or not, and `decode` returns them exactly, unless the tokenizer
/// normalises its text first, as Qwen's does. Copies share their tables; all members may be called concurrently.
class MINIMA_API Tokenizer {
 public:
  /// Tokens 0 to 255 are the bytes.
  static Tokenizer bytes();
  /// One token for each distinct character of a text, in the order of their bytes, after the special tokens: the
  /// smallest vocabulary, for experiments. A byte that is not UTF-8 is a character, too. Encoding another character
  /// throws ValueError. Throws ValueError for a text without characters, and for an empty special token.
  static Tokenizer characters(std::string_view text, const std::vector<std::string>& special = {});
  /// Reads a `tokenizer.json` of Hugging Face's `tokenizers`, or GPT-2's pair of files: `path` is the file, the folder
  /// that holds one or the other, or its `vocab.json`. Throws FileError, or FormatError with the offset: also for what
  /// is no byte-level BPE (SentencePiece, WordPiece, Unigram), which it names.
  static Tokenizer load(const std::string& path);
  /// Finds the most frequent pairs in files; patterns as `corpus/*.txt` name several. The result depends neither on the
  /// number of threads nor on the order of the files: of pairs that are equally frequent the one with the smaller
  /// numbers is merged, as in `tokenizers`. Special tokens spelt out in a file are no text, but ends of it. Memory
  /// grows with the number of distinct words. Throws ValueError for options out of range and for a pattern that names
  /// no file.
  static Tokenizer train(const std::string& pattern, const TokenizerTraining& options = {});
  static Tokenizer train(std::span<const std::string> patterns, const TokenizerTraining& options = {});
  /// The same for a text in memory.
  static Tokenizer train_on(std::string_view text, const TokenizerTraining& options = {});
  /// The same for texts that do not fit into memory or are in no file: `next(text)` replaces the text by the next one,
  /// and returns false after the last. Texts are words of their own, so a pair does not reach from one into the next.
  ///   Tokenizer::train_from([&](std::string& line) { return bool(std::getline(archive, line)); });
  static Tokenizer train_from(const Function<bool(std::string& text)>& next, const TokenizerTraining& options = {});

  /// Writes `tokenizer.json`, which `tokenizers` and `transformers` read. Throws ValueError for a special token that
  /// the file could not tell from another one.
  void save(const std::string& path) const;

  std::vector<std::int64_t> encode(std::string_view text, TokenEncodeOptions options = {}) const;
  /// Throws IndexError for a token outside the vocabulary.
  std::string decode(std::span<const std::int64_t> tokens, TokenDecodeOptions options = {}) const;

  /// The number of tokens, special ones included.
  std::int64_t size() const;
  /// A token's bytes, or a special token's text. Throws IndexError outside the vocabulary.
  const std::string& token(std::int64_t index) const;
  /// The special or added token with this text, otherwise the token of these bytes.
  std::optional<std::int64_t> find(std::string_view token) const;
  bool is_special(std::int64_t index) const;
  SplitPattern pattern() const;

  struct Tables;
  explicit Tokenizer(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}

 private:
  std::shared_ptr<const Tables> tables_;
};

}  // namespace minima::data
