#pragma once

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/minima.h>

#include <span>
#include <string>
#include <vector>

/// A text as tokens; its last tenth is for validation.
class Corpus {
 public:
  /// Reads a file (an empty path: the King James Bible of Debian's bible-kjv-text) and trains a tokenizer on the part
  /// for training. Throws FileError, and ValueError for a text shorter than some rows.
  Corpus(const std::string& path, std::int64_t vocabulary, std::int64_t length);

  const minima::data::Tokenizer& tokenizer() const { return tokenizer_; }
  std::span<const std::int64_t> training() const { return training_; }
  std::span<const std::int64_t> validation() const { return validation_; }
  double bytes_per_token() const { return validation_bytes_ / static_cast<double>(validation_.size()); }
  /// Converts nats for each token into bits for each byte of the validation text.
  double bits_per_byte(double loss) const;

  /// Tokens [rows, length] and those after each.
  struct Batch {
    minima::Tensor tokens, targets;
  };
  /// Draws the places at which random rows of the training text begin, or the rows themselves.
  std::vector<std::int64_t> draw_starts(std::int64_t rows, minima::RandomGenerator& generator) const;
  Batch draw(std::int64_t rows, minima::RandomGenerator& generator) const;
  /// Rows first … first + rows - 1 of the validation text, one after the other.
  Batch validation_rows(std::int64_t first, std::int64_t rows) const;
  std::int64_t validation_count() const;

 private:
  Corpus(const std::string& text, std::int64_t vocabulary, std::int64_t length, const std::string& name);
  Batch rows_at(std::span<const std::int64_t> tokens, const std::vector<std::int64_t>& starts) const;

  std::int64_t length_;
  minima::data::Tokenizer tokenizer_;
  std::vector<std::int64_t> training_, validation_;
  double validation_bytes_ = 0;
};
