#pragma once

#include "options.h"

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/minima.h>
#include <minima/train/run/run.h>

#include <memory>
#include <string>
#include <utility>

/// A text as rows of tokens, a part of which is for validation. Its tokenizer is trained on the other part.
class Corpus {
 public:
  /// Tokens [rows, length] and those after each, -100 where none counts. `segments` numbers the documents of a row;
  /// undefined, a row is one text.
  struct Batch {
    minima::Tensor tokens, targets, segments;
  };

  virtual ~Corpus() = default;
  const minima::data::Tokenizer& tokenizer() const { return tokenizer_; }
  /// Converts nats for each token into bits for each byte of the validation text.
  double bits_per_byte(double loss) const;

  /// The next rows to train on.
  virtual Batch draw(std::int64_t rows) = 0;
  /// Rows first … first + rows - 1 of the validation text, one after the other.
  virtual Batch validation_rows(std::int64_t first, std::int64_t rows) const = 0;
  virtual std::int64_t validation_count() const = 0;
  /// Describes both parts in a line.
  virtual std::string text() const = 0;
  /// Tells other contents of the files, which another tokenizer or other rows would show: `text()` and a checksum of
  /// the tokenizer.
  std::string fingerprint() const;
  /// Adds the place in the training text to a run.
  virtual void add_to(minima::train::Run& run) = 0;
  /// Writes the tokens, and the rows that so many draws give, into a new folder, for other programs.
  virtual void write_dump(const std::string& folder, std::int64_t rows, std::int64_t draws) const;

 protected:
  explicit Corpus(minima::data::Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}
  std::string bytes_text() const;

  minima::data::Tokenizer tokenizer_;
  double bytes_per_token_ = 0;  ///< of the validation text
};

/// Opens `--documents`, or the one text of `--text`.
std::unique_ptr<Corpus> open_corpus(const Options& options);
