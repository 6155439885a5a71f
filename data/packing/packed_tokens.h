#pragma once

#include <minima/data/dataset.h>
#include <minima/data/tokenizers/tokenizer.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace minima::data {

struct PackedTokensOptions {
  std::int64_t length = 1024;  ///< positions of a row
  /// Text files: what stands between two documents. Empty: a file is a document.
  std::string separator = "<|endoftext|>";
  /// The token that ends a document. Text files: that of the tokenizer, `<|endoftext|>` or `<|end_of_text|>`, if it has
  /// one. Token files: it separates the documents there, before or after each; without it a file is a document.
  std::optional<std::int64_t> end = {};
  std::int64_t vocabulary = 0;  ///< token files: larger ids are an error; 0 checks nothing
  double held_out = 0;          ///< the share of documents kept for validation, below 1; see PackedTokens::held_out()
  bool skip_short = false;      ///< leave out documents without a target, such as empty ones, instead of throwing
};

/// Documents packed into rows of `length` positions for a language model, several in a row and without padding between
/// them. A batch is {tokens, targets, segments, positions}, each int64 [B, length]:
///
///     const auto tokenizer = data::Tokenizer::train("corpus/*.txt", {.vocabulary = 8192});
///     const data::PackedTokens text("corpus/*.txt", tokenizer, {.length = 512, .held_out = 0.05});
///     data::DataLoader loader(text, {.batch_size = 16, .shuffle = true, .workers = 2});
///     for (auto& [tokens, targets, segments, positions] : loader) { … }
///     data::DataLoader validation(text.held_out(), {.batch_size = 16});
///
/// A target is the token after its input in the same document, so none crosses a border: a document of n tokens has n -
/// 1 of them. `segments` numbers the documents of a row from 0 (AttentionOptions::segments), and `positions` count from
/// 0 in each. Padding at a row's end has target -100, which losses ignore, and a segment of its own. Documents longer
/// than a row are cut: a part begins with the last target of the part before, so every token but the first is a target
/// exactly once.
///
/// Rows are filled by best fit, the longest parts first, in pools of 65,536 parts. The construction encodes each text
/// once to count its tokens, on all threads; after that files stay mapped, and fetch(), which loaders' workers call,
/// encodes what it needs. Memory: 36 to 44 bytes for each part of a document. The rows are the same
/// on every machine, in every epoch and for any number of workers and processes, so that a DataLoader's state resumes
/// exactly.
class MINIMA_API PackedTokens {
 public:
  /// Text files; patterns as `corpus/*.txt` name several. Documents are encoded with the tokens that the tokenizer's
  /// template adds; special tokens spelt out in a text are text. Throws FileError, ValueError for options out of range,
  /// and ValueError with file and byte for a document without a target.
  PackedTokens(const std::string& pattern, Tokenizer tokenizer, const PackedTokensOptions& options = {});
  PackedTokens(std::span<const std::string> patterns, Tokenizer tokenizer, const PackedTokensOptions& options = {});
  /// Token files of llm.c or nanoGPT (TokenFile). Throws the same, and IndexError with file and position for a token
  /// outside the vocabulary.
  explicit PackedTokens(const std::string& pattern, const PackedTokensOptions& options = {});
  explicit PackedTokens(std::span<const std::string> patterns, const PackedTokensOptions& options = {});
  PackedTokens(const PackedTokens&) = default;
  PackedTokens(PackedTokens&&) noexcept = default;
  ~PackedTokens();

  /// The documents that the options hold out, packed in the same way. Which these are depends on their text alone:
  /// equal documents are on one side, and more files move none. Throws ValueError without the option.
  PackedTokens held_out() const;

  /// Writes the documents, each with the token that ends it, as a token file of llm.c: PackedTokens(path, {.end = …})
  /// has the same rows without encoding anything. Throws ValueError if no token ends documents, and for 2³¹ tokens.
  ///   text.write_tokens("train.bin"), text.held_out().write_tokens("validation.bin");
  void write_tokens(const std::string& path) const;

  using Batch = std::array<Tensor, 4>;
  std::int64_t size() const;  ///< rows
  Batch fetch(std::span<const std::int64_t> indices) const;
  void fetch_into(std::span<const std::int64_t> indices, const FetchContext& context, Batch& batch) const;
  /// Names the place of a row's first document: `corpus/a.txt: byte 1234`.
  std::string describe(std::int64_t index) const;

  std::int64_t documents() const;
  std::int64_t targets() const;  ///< in an epoch
  /// The share of positions that are padding.
  double padding() const;

 private:
  struct Corpus;
  explicit PackedTokens(std::shared_ptr<const Corpus> corpus, std::size_t part);

  std::shared_ptr<const Corpus> corpus_;
  std::size_t part_ = 0;  ///< 1: held out
};

}  // namespace minima::data
