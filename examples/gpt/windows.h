#pragma once

#include "corpus.h"

#include <span>
#include <vector>

/// One text, of which rows begin anywhere, as in nanoGPT; its last tenth is for validation.
class Windows final : public Corpus {
 public:
  /// Reads --text (empty: the King James Bible of Debian's bible-kjv-text). Throws FileError, and ValueError for a text
  /// shorter than some rows.
  explicit Windows(const Options& options);

  Batch draw(std::int64_t rows) override;
  Batch validation_rows(std::int64_t first, std::int64_t rows) const override;
  std::int64_t validation_count() const override;
  std::string text() const override;
  void add_to(minima::train::Run& run) override { run.add_equal("batches", batches_); }
  void write_dump(const std::string& folder, std::int64_t rows, std::int64_t draws) const override;

 private:
  Windows(const Options& options, const std::string& text);
  Batch rows_at(std::span<const std::int64_t> tokens, const std::vector<std::int64_t>& starts) const;
  /// Draws the places at which random rows begin.
  std::vector<std::int64_t> draw_starts(std::int64_t rows, minima::RandomGenerator& generator) const;

  std::int64_t length_;
  std::uint64_t seed_;
  minima::RandomGenerator batches_;
  std::vector<std::int64_t> training_, validation_;
};
