#pragma once

#include "corpus.h"

#include <minima/data/packing/packed_tokens.h>

#include <optional>

/// Documents packed into rows, which do not see each other; a tenth of them is for validation.
class Documents final : public Corpus {
 public:
  /// Reads --documents. Throws FileError, and ValueError for too few documents.
  explicit Documents(const Options& options);

  Batch draw(std::int64_t rows) override;
  Batch validation_rows(std::int64_t first, std::int64_t rows) const override;
  std::int64_t validation_count() const override { return validation_.size(); }
  std::string text() const override;
  void add_to(minima::train::Run& run) override { run.add("batches", loader_); }

 private:
  using Loader = minima::data::DataLoader<minima::data::PackedTokens>;

  minima::data::PackedTokens training_, validation_;
  Loader loader_;                        ///< a row at a time, so that any number of them makes a step
  std::optional<Loader::Iterator> row_;  ///< the one that was drawn last
};
