#include <minima/data/packing/packed_tokens.h>

#include <minima/data/collate/batch.h>
#include <minima/data/dataset.h>
#include <minima/data/datasets/tokens.h>
#include <minima/data/packing/token_source.h>
#include <minima/data/sampling/random.h>
#include <minima/data/tokenizers/files.h>
#include <minima/data/tokenizers/tokenizer.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima::data {

namespace detail {

bool is_held_out(std::uint32_t checksum, double share) {
  if (share == 0) return false;
  constexpr std::uint64_t key = 0x68656c64206f7574;  // separates these draws from others
  return RandomStream(derived_key(key, checksum, 0)).uniform() < share;
}

bool expect_target(const PackedTokensOptions& options, const std::string& place, std::int64_t tokens) {
  if (tokens >= 2) return true;
  if (options.skip_short) return false;
  throw ValueError(str("PackedTokens: ", place, ": the document has ", tokens, tokens == 1 ? " token" : " tokens",
                       ", which gives no target; fix the file or pass {.skip_short = true}"));
}

}  // namespace detail

struct PackedTokens::Corpus {
  struct Part {
    std::vector<detail::TokenPiece> pieces;
    detail::PackedRows rows;
    std::int64_t documents = 0, targets = 0;
    std::int64_t size() const { return static_cast<std::int64_t>(rows.starts.size()) - 1; }
  };

  Corpus(std::unique_ptr<detail::TokenSource> files, const PackedTokensOptions& given)
      : source(std::move(files)), options(given) {
    detail::TokenSource::Parts found = source->find_pieces(options);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part& part = parts[i];
      part.pieces = std::move(found[i].pieces);
      part.documents = found[i].documents;
      for (const detail::TokenPiece& piece : part.pieces) part.targets += piece.positions;
      part.rows = detail::pack_best_fit(part.pieces, options.length);
    }
    const std::int64_t documents = parts[0].documents + parts[1].documents;
    if (documents == 0) throw ValueError("PackedTokens: the files hold no document with a target");
    if (options.held_out > 0 && (parts[0].documents == 0 || parts[1].documents == 0))
      throw ValueError(str("PackedTokens: held_out = ", options.held_out, " leaves ", parts[0].documents, " of ",
                           documents, " documents for training and ", parts[1].documents,
                           " for validation; choose another share, a separator that makes more documents, or give "
                           "validation files of their own"));
  }

  std::unique_ptr<detail::TokenSource> source;
  PackedTokensOptions options;
  std::array<Part, 2> parts;
};

namespace {

constexpr std::int64_t ignored_target = -100;

const PackedTokensOptions& checked(const PackedTokensOptions& options) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (options.length < 1 || options.length > most)
    throw ValueError(str("PackedTokens: length must be from 1 to ", most, ", got ", options.length));
  if (!(options.held_out >= 0 && options.held_out < 1))
    throw ValueError(str("PackedTokens: held_out must be at least 0 and below 1, got ", options.held_out));
  if (options.vocabulary < 0)
    throw ValueError(str("PackedTokens: vocabulary must not be negative, got ", options.vocabulary));
  if (options.vocabulary > 0 && options.end && (*options.end < 0 || *options.end >= options.vocabulary))
    throw ValueError(str("PackedTokens: end = ", *options.end, " is outside the vocabulary of ", options.vocabulary));
  return options;
}

std::vector<std::string> paths_of(std::span<const std::string> patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns)
    for (std::string& path : detail::files_matching("PackedTokens", pattern)) paths.push_back(std::move(path));
  if (paths.empty()) throw ValueError("PackedTokens: needs at least one file");
  return paths;
}

}  // namespace

PackedTokens::PackedTokens(std::shared_ptr<const Corpus> corpus, std::size_t part)
    : corpus_(std::move(corpus)), part_(part) {}
PackedTokens::PackedTokens(const std::string& pattern, Tokenizer tokenizer, const PackedTokensOptions& options)
    : PackedTokens(std::span(&pattern, 1), std::move(tokenizer), options) {}
PackedTokens::PackedTokens(std::span<const std::string> patterns, Tokenizer tokenizer,
                           const PackedTokensOptions& options) {
  checked(options);
  corpus_ = std::make_shared<const Corpus>(detail::text_source(paths_of(patterns), std::move(tokenizer)), options);
}
PackedTokens::PackedTokens(const std::string& pattern, const PackedTokensOptions& options)
    : PackedTokens(std::span(&pattern, 1), options) {}
PackedTokens::PackedTokens(std::span<const std::string> patterns, const PackedTokensOptions& options) {
  checked(options);
  corpus_ = std::make_shared<const Corpus>(detail::token_file_source(paths_of(patterns)), options);
}
PackedTokens::~PackedTokens() = default;

PackedTokens PackedTokens::held_out() const {
  if (corpus_->options.held_out == 0)
    throw ValueError("PackedTokens: no documents are held out; pass {.held_out = 0.05}");
  return PackedTokens(corpus_, 1);
}

void PackedTokens::write_tokens(const std::string& path) const {
  const Corpus::Part& part = corpus_->parts[part_];
  const detail::TokenSource& source = *corpus_->source;
  if (!source.end())
    throw ValueError(
        "PackedTokens::write_tokens: no token ends the documents, so a file would run them together; pass "
        "{.end = …}");
  constexpr std::size_t together = 1024;  // pieces
  std::size_t at = 0;
  const auto next = [&](std::vector<std::int64_t>& tokens) {
    const std::size_t count = std::min(together, part.pieces.size() - at);
    std::vector<std::vector<std::int64_t>> read(count);
    parallel_for(0, static_cast<std::int64_t>(count), 16, [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
        source.read(part.pieces[at + i], read[i]);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const detail::TokenPiece& piece = part.pieces[at + i];
      const bool is_first = piece.begins && piece.skip == 0;  // a later part begins with a target that is written
      tokens.insert(tokens.end(), read[i].begin() + (is_first ? 0 : 1), read[i].end());
    }
    at += count;
  };
  detail::write_tokens(path, part.targets + part.documents, source.largest(), next);
}

std::int64_t PackedTokens::size() const { return corpus_->parts[part_].size(); }
std::int64_t PackedTokens::documents() const { return corpus_->parts[part_].documents; }
std::int64_t PackedTokens::targets() const { return corpus_->parts[part_].targets; }
double PackedTokens::padding() const {
  return 1 -
         static_cast<double>(targets()) / (static_cast<double>(size()) * static_cast<double>(corpus_->options.length));
}

std::string PackedTokens::describe(std::int64_t index) const {
  const Corpus::Part& part = corpus_->parts[part_];
  if (index < 0 || index >= part.size()) throw IndexError(str("PackedTokens: row ", index, " of ", part.size()));
  const auto first = static_cast<std::size_t>(part.rows.starts[static_cast<std::size_t>(index)]);
  return corpus_->source->describe(part.pieces[part.rows.order[first]]);
}

PackedTokens::Batch PackedTokens::fetch(std::span<const std::int64_t> indices) const {
  Batch batch;
  fetch_into(indices, {}, batch);
  return batch;
}

void PackedTokens::fetch_into(std::span<const std::int64_t> indices, const FetchContext& context, Batch& batch) const {
  const Corpus::Part& part = corpus_->parts[part_];
  const std::int64_t length = corpus_->options.length;
  const Shape shape{static_cast<std::int64_t>(indices.size()), length};
  for (Tensor& tensor : batch) reuse_or_allocate(tensor, shape, DType::int64, context.pinned);
  std::array<std::int64_t*, 4> to{};
  for (std::size_t i = 0; i < 4; ++i) to[i] = batch[i].data<std::int64_t>();
  const auto [tokens, targets, segments, positions] = to;
  std::vector<std::int64_t> read;
  std::int64_t row_start = 0;
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= part.size()) throw IndexError(str("PackedTokens: row ", index, " of ", part.size()));
    const auto row = static_cast<std::size_t>(index);
    std::int64_t at = row_start, segment = 0;
    for (std::int64_t i = part.rows.starts[row]; i < part.rows.starts[row + 1]; ++i, ++segment) {
      const detail::TokenPiece& piece = part.pieces[part.rows.order[static_cast<std::size_t>(i)]];
      corpus_->source->read(piece, read);
      for (std::int64_t p = 0; p < piece.positions; ++p, ++at) {
        tokens[at] = read[static_cast<std::size_t>(p)];
        targets[at] = read[static_cast<std::size_t>(p) + 1];
        segments[at] = segment;
        positions[at] = p;
      }
    }
    row_start += length;
    for (std::int64_t p = 0; at < row_start; ++p, ++at) {
      tokens[at] = 0;
      targets[at] = ignored_target;
      segments[at] = segment;
      positions[at] = p;
    }
  }
}

}  // namespace minima::data
