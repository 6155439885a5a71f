#include "documents.h"

#include <minima/tensor/base/format.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace minima;

namespace {

constexpr std::int64_t ignored = -100;  // the target of padding

/// The text between two documents, in which `\\n` stands for the end of a line.
std::string separator_of(std::string text) {
  for (std::size_t at = text.find("\\n"); at != text.npos; at = text.find("\\n", at)) text.replace(at, 2, "\n");
  return text;
}

data::PackedTokensOptions packing(const Options& options) {
  return {
      .length = options.dial.length, .separator = separator_of(options.separator), .held_out = 0.1, .skip_short = true};
}

/// The texts of the documents in rows of bytes. Parts of one that is longer than a row are texts of their own.
std::vector<std::string> texts_of(const data::PackedTokens::Batch& batch) {
  const auto& [bytes, next, segments, positions] = batch;
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < bytes.numel(); ++i) {
    const std::int64_t target = next.data<std::int64_t>()[i];
    if (target == ignored) continue;
    if (positions.data<std::int64_t>()[i] == 0) texts.emplace_back(1, static_cast<char>(bytes.data<std::int64_t>()[i]));
    texts.back() += static_cast<char>(target);
  }
  return texts;
}

/// Trains on the documents that are not held out. Their text alone decides which these are, not the tokenizer, so
/// packing their bytes finds them.
data::Tokenizer train_tokenizer(const Options& options) {
  data::PackedTokensOptions long_rows = packing(options);
  long_rows.length = 1 << 16;
  const data::PackedTokens bytes(options.documents, data::Tokenizer::bytes(), long_rows);
  std::int64_t row = 0;
  std::vector<std::string> texts;
  const auto next = [&](std::string& text) {
    if (texts.empty() && row < bytes.size()) texts = texts_of(bytes.fetch(std::array{row++}));
    if (texts.empty()) return false;
    text = std::move(texts.back());
    texts.pop_back();
    return true;
  };
  return data::Tokenizer::train_from(next, {.vocabulary = options.dial.vocabulary});
}

}  // namespace

Documents::Documents(const Options& options)
    : Corpus(train_tokenizer(options)),
      training_(options.documents, tokenizer_, packing(options)),
      validation_(training_.held_out()),
      loader_(training_, {.shuffle = true, .workers = 1, .prefetch = 16, .seed = options.seed}) {
  // A target's bytes: those of its token, and none of the one that ends a document.
  double bytes = 0;
  for (std::int64_t row = 0; row < validation_.size(); ++row) {
    const Tensor targets = validation_rows(row, 1).targets;
    for (const std::int64_t target : targets.to_vector<std::int64_t>())
      if (target != ignored && !tokenizer_.is_special(target))
        bytes += static_cast<double>(tokenizer_.token(target).size());
  }
  bytes_per_token_ = bytes / static_cast<double>(validation_.targets());
}

Corpus::Batch Documents::draw(std::int64_t rows) {
  std::vector<Tensor> all_tokens, all_targets, all_segments;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (row_) ++*row_;
    while (!row_ || *row_ == loader_.end()) {  // an epoch is over; one that is resumed at its end has no row
      row_.reset();
      row_.emplace(loader_.begin());
    }
    const auto& [tokens, targets, segments, positions] = **row_;
    all_tokens.push_back(tokens), all_targets.push_back(targets), all_segments.push_back(segments);
  }
  return {cat(all_tokens), cat(all_targets), cat(all_segments)};
}

Corpus::Batch Documents::validation_rows(std::int64_t first, std::int64_t rows) const {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(rows));
  std::iota(indices.begin(), indices.end(), first);
  const auto [tokens, targets, segments, positions] = validation_.fetch(indices);
  return {tokens, targets, segments};
}

std::string Documents::text() const {
  char padding[32];
  std::snprintf(padding, sizeof padding, "%.1f%%", 100 * training_.padding());
  return str(training_.documents(), " training documents in ", training_.size(), " rows, ", padding, " padding; ",
             validation_.documents(), " for validation; ", training_.targets(), " and ", validation_.targets(),
             " targets, ", bytes_text());
}
