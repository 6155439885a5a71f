#pragma once

#include <minima/data/packing/packed_tokens.h>
#include <minima/data/tokenizers/tokenizer.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// How PackedTokens finds the documents of files and reads their parts. Internal.

namespace minima::data::detail {

/// A part of a document that fits a row.
struct TokenPiece {
  std::uint64_t start = 0;  ///< in its file: the first byte to encode, or the first token
  std::uint64_t size = 0;   ///< bytes to encode, or tokens of the file
  std::uint32_t file = 0;
  std::uint32_t skip = 0;       ///< encoded tokens before its first
  std::uint32_t positions = 0;  ///< the number of its inputs, and of its targets
  bool begins = false;          ///< what is encoded is the beginning of the document,
  bool ends = false;            ///< and its end
};

/// The documents of some files.
class TokenSource {
 public:
  /// Documents as pieces, in their order: those kept for training, and those held out.
  struct Pieces {
    std::vector<TokenPiece> pieces;
    std::int64_t documents = 0;
  };
  using Parts = std::array<Pieces, 2>;

  virtual ~TokenSource() = default;
  virtual Parts find_pieces(const PackedTokensOptions& options) = 0;
  /// `end` is the token that ends a document, `largest` the largest token there can be.
  virtual std::optional<std::int64_t> end() const = 0;
  virtual std::int64_t largest() const = 0;
  /// The positions + 1 tokens of a piece. Several threads call it.
  virtual void read(const TokenPiece& piece, std::vector<std::int64_t>& tokens) const = 0;
  /// `a.txt: byte 12`
  virtual std::string describe(const TokenPiece& piece) const = 0;
};

std::unique_ptr<TokenSource> text_source(const std::vector<std::string>& paths, Tokenizer tokenizer);
std::unique_ptr<TokenSource> token_file_source(const std::vector<std::string>& paths);

/// Whether a document with this checksum is held out.
bool is_held_out(std::uint32_t checksum, double share);
/// Throws ValueError for a document of so many tokens, fewer than two; false if the options skip it.
bool expect_target(const PackedTokensOptions& options, const std::string& place, std::int64_t tokens);

/// Rows of `capacity` positions: order[starts[r]] … order[starts[r + 1] - 1] are the pieces of row r.
struct PackedRows {
  std::vector<std::int64_t> starts;
  std::vector<std::uint32_t> order;
};
PackedRows pack_best_fit(const std::vector<TokenPiece>& pieces, std::int64_t capacity);

}  // namespace minima::data::detail
