#include <minima/data/datasets/tokens.h>
#include <minima/data/packing/packed_tokens.h>
#include <minima/data/packing/token_source.h>
#include <minima/io/files/crc32c.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima::data::detail {

namespace {

constexpr std::int64_t block_tokens = 1 << 16;

class TokenFiles final : public TokenSource {
 public:
  explicit TokenFiles(const std::vector<std::string>& paths) : paths_(paths) {
    for (const std::string& path : paths) files_.emplace_back(path);
  }

  Parts find_pieces(const PackedTokensOptions& options) override {
    end_ = options.end;
    Parts parts;
    for (std::uint32_t file = 0; file < files_.size(); ++file) scan(file, options, parts);
    return parts;
  }

  std::optional<std::int64_t> end() const override { return end_; }
  std::int64_t largest() const override { return std::numeric_limits<std::uint32_t>::max(); }

  void read(const TokenPiece& piece, std::vector<std::int64_t>& tokens) const override {
    tokens.resize(piece.positions + std::size_t{1});
    files_[piece.file].read(static_cast<std::int64_t>(piece.start), static_cast<std::int64_t>(piece.size),
                            tokens.data());
    if (piece.size < tokens.size()) tokens.back() = *end_;
  }

  std::string describe(const TokenPiece& piece) const override {
    return str(paths_[piece.file], ": token ", piece.start);
  }

 private:
  void scan(std::uint32_t file, const PackedTokensOptions& options, Parts& parts) const {
    const TokenFile& tokens = files_[file];
    const std::int64_t size = tokens.size();
    std::vector<std::int64_t> block;
    std::int64_t begin = 0;  // of the document
    std::uint32_t checksum = 0;
    const auto finish = [&](std::int64_t end) {
      const bool is_edge = begin == end && (begin == 0 || end == size);  // a file may begin or end with a separator
      if (!is_edge || !end_) add({file, begin, end, checksum}, options, parts);
      begin = end + 1;
      checksum = 0;
    };
    for (std::int64_t at = 0; at < size; at += block_tokens) {
      block.resize(static_cast<std::size_t>(std::min(block_tokens, size - at)));
      tokens.read(at, static_cast<std::int64_t>(block.size()), block.data());
      const auto sum_up = [&](std::int64_t first, std::int64_t last) {
        checksum = minima::detail::crc32c(block.data() + (first - at),
                                          static_cast<std::size_t>(last - first) * sizeof(std::int64_t), checksum);
      };
      std::int64_t summed = at;
      for (std::int64_t i = at; i < at + static_cast<std::int64_t>(block.size()); ++i) {
        const std::int64_t token = block[static_cast<std::size_t>(i - at)];
        if (options.vocabulary > 0 && token >= options.vocabulary)
          throw IndexError(str("PackedTokens: ", paths_[file], ": token ", i, " is ", token,
                               ", outside the vocabulary of ", options.vocabulary,
                               "; encode the file with the model's tokenizer"));
        if (!end_ || token != *end_) continue;
        sum_up(summed, i);
        summed = i + 1;
        finish(i);
      }
      sum_up(summed, at + static_cast<std::int64_t>(block.size()));
    }
    if (begin < size || !end_) finish(size);
  }

  struct Document {
    std::uint32_t file;
    std::int64_t begin, end;
    std::uint32_t checksum;
  };
  void add(const Document& document, const PackedTokensOptions& options, Parts& parts) const {
    const std::int64_t count = document.end - document.begin + (end_ ? 1 : 0);
    if (!expect_target(options, str(paths_[document.file], ": token ", document.begin), count)) return;
    Pieces& part = parts[is_held_out(document.checksum, options.held_out) ? 1 : 0];
    ++part.documents;
    for (std::int64_t first = 0; first < count - 1; first += options.length) {
      const std::int64_t positions = std::min(options.length, count - 1 - first), start = document.begin + first;
      part.pieces.push_back({.start = static_cast<std::uint64_t>(start),
                             .size = static_cast<std::uint64_t>(std::min(positions + 1, document.end - start)),
                             .file = document.file,
                             .positions = static_cast<std::uint32_t>(positions),
                             .begins = first == 0,
                             .ends = first + positions == count - 1});
    }
  }

  std::vector<std::string> paths_;
  std::vector<TokenFile> files_;
  std::optional<std::int64_t> end_;
};

}  // namespace

std::unique_ptr<TokenSource> token_file_source(const std::vector<std::string>& paths) {
  return std::make_unique<TokenFiles>(paths);
}

}  // namespace minima::data::detail
