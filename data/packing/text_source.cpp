#include <minima/data/packing/packed_tokens.h>
#include <minima/data/packing/token_source.h>
#include <minima/data/tokenizers/split.h>
#include <minima/data/tokenizers/tokenizer.h>
#include <minima/data/tokenizers/unicode.h>
#include <minima/io/files/crc32c.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::data::detail {

namespace {

constexpr TokenEncodeOptions plain{.add_special_tokens = false, .parse_special = false};
/// Documents above this size are cut into blocks before they are encoded.
constexpr std::size_t large_document = std::size_t{1} << 18;
/// Small documents that are encoded before their pieces are kept.
constexpr std::size_t documents_together = 4096;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class TextFiles final : public TokenSource {
 public:
  TextFiles(const std::vector<std::string>& paths, Tokenizer tokenizer)
      : tokenizer_(std::move(tokenizer)),
        is_bytes_(tokenizer_.pattern() == SplitPattern::none && tokenizer_.size() == 256) {
    for (const std::string& path : paths) files_.emplace_back(path);
    // The template's tokens stand before and after those of the text.
    const std::vector<std::int64_t> with = tokenizer_.encode("a", {.add_special_tokens = true, .parse_special = false});
    const std::vector<std::int64_t> without = tokenizer_.encode("a", plain);
    const auto text = std::search(with.begin(), with.end(), without.begin(), without.end());  // clang 14 has no ranges
    before_.assign(with.begin(), text);
    if (text != with.end()) after_.assign(text + std::ssize(without), with.end());
    // A tokenizer that changes a text must see a word with the space before it.
    cuts_at_spaces_only_ =
        tokenizer_.decode(without) != "a" || tokenizer_.decode(tokenizer_.encode("e\xCC\x81", plain)) != "e\xCC\x81";
  }

  Parts find_pieces(const PackedTokensOptions& options) override {
    std::optional<std::int64_t> end = options.end;
    for (const char* name : {"<|endoftext|>", "<|end_of_text|>"})
      if (const auto found = tokenizer_.find(name); found && !end && tokenizer_.is_special(*found)) end = found;
    if (end && (*end < 0 || *end >= tokenizer_.size()))
      throw ValueError(str("PackedTokens: end = ", *end, " is outside the vocabulary of ", tokenizer_.size()));
    end_ = end;
    if (end && (after_.empty() || after_.back() != *end)) after_.push_back(*end);
    Parts parts;
    std::vector<Document> waiting;
    for (std::uint32_t file = 0; file < files_.size(); ++file) {
      for_each_document(file, options.separator, [&](const Document& document) {
        waiting.push_back(document);
        const bool is_large = document.text.size() > large_document;
        if (is_large || waiting.size() == documents_together) add(waiting, options, parts);
      });
    }
    add(waiting, options, parts);
    return parts;
  }

  std::optional<std::int64_t> end() const override { return end_; }
  std::int64_t largest() const override { return tokenizer_.size() - 1; }

  void read(const TokenPiece& piece, std::vector<std::int64_t>& tokens) const override {
    const std::string_view text = text_of(piece.file).substr(piece.start, piece.size);
    std::vector<std::int64_t> all;
    if (piece.begins) all = before_;
    const std::vector<std::int64_t> encoded = tokenizer_.encode(text, plain);
    all.insert(all.end(), encoded.begin(), encoded.end());
    if (piece.ends) all.insert(all.end(), after_.begin(), after_.end());
    if (all.size() < piece.skip + piece.positions + std::size_t{1})
      throw FileError(str("PackedTokens: ", describe(piece), " has fewer tokens than at first; the file has changed"));
    const auto first = all.begin() + piece.skip;
    tokens.assign(first, first + piece.positions + 1);
  }

  std::string describe(const TokenPiece& piece) const override {
    return str(files_[piece.file].path(), ": byte ", piece.start);
  }

 private:
  struct Document {
    std::uint32_t file = 0;
    std::uint64_t start = 0;
    std::string_view text;
  };
  /// A document's text up to `end` bytes has `tokens` tokens, with those that the template adds.
  struct Cut {
    std::size_t end = 0;
    std::int64_t tokens = 0;
  };

  std::string_view text_of(std::uint32_t file) const { return files_[file].text(); }

  /// White space after the last separator is no document.
  template <class F>
  void for_each_document(std::uint32_t file, const std::string& separator, const F& f) const {
    const std::string_view text = text_of(file);
    std::size_t begin = 0;
    if (!separator.empty()) {
      for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator, begin)) {
        f(Document{file, begin, text.substr(begin, at - begin)});
        begin = at + separator.size();
      }
    }
    if (begin == 0 || !is_blank(text.substr(begin))) f(Document{file, begin, text.substr(begin)});
  }

  /// Turns the documents into pieces and forgets them.
  void add(std::vector<Document>& documents, const PackedTokensOptions& options, Parts& parts) const {
    std::vector<std::vector<TokenPiece>> found(documents.size());
    const auto fill = [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      found[at] = pieces_of(documents[at], options);
    };
    // The last one may be large: then its blocks are shared out among the threads.
    const bool ends_large = !documents.empty() && documents.back().text.size() > large_document;
    const auto small = static_cast<std::int64_t>(documents.size()) - (ends_large ? 1 : 0);
    parallel_for(0, small, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) fill(i);
    });
    if (ends_large) fill(small);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (found[i].empty()) continue;
      const std::string_view text = documents[i].text;
      Pieces& part = parts[is_held_out(minima::detail::crc32c(text), options.held_out) ? 1 : 0];
      ++part.documents;
      part.pieces.insert(part.pieces.end(), found[i].begin(), found[i].end());
    }
    documents.clear();
  }

  std::vector<TokenPiece> pieces_of(const Document& document, const PackedTokensOptions& options) const {
    const auto added = static_cast<std::int64_t>(before_.size() + after_.size());
    std::vector<Cut> cuts;
    if (document.text.size() <= large_document) cuts.push_back({document.text.size(), added + count(document.text)});
    if (cuts.empty() || cuts.back().tokens > options.length + 1) cuts = cuts_of(document.text, options.length);
    const std::int64_t tokens = cuts.back().tokens;
    if (!expect_target(options, str(files_[document.file].path(), ": byte ", document.start), tokens)) return {};
    std::vector<TokenPiece> pieces;
    for (std::int64_t first = 0; first < tokens - 1; first += options.length) {
      const std::int64_t positions = std::min(options.length, tokens - 1 - first);
      // The last cut with no more tokens than come before, and the first with all that are needed.
      const auto begin = std::ranges::upper_bound(cuts, first, {}, &Cut::tokens);
      const auto end = std::ranges::lower_bound(cuts, first + positions + 1, {}, &Cut::tokens);
      const Cut from = begin == cuts.begin() ? Cut{} : *(begin - 1);
      pieces.push_back({.start = document.start + from.end,
                        .size = end->end - from.end,
                        .file = document.file,
                        .skip = static_cast<std::uint32_t>(first - from.tokens),
                        .positions = static_cast<std::uint32_t>(positions),
                        .begins = begin == cuts.begin(),
                        .ends = end->end == document.text.size()});
    }
    return pieces;
  }

  /// Cuts a text about every quarter of a row, where the tokenizer's pattern does, so that blocks have the tokens that
  /// they have in the whole. Patterns look ahead for the end of white space only, so a cut must not follow it. It lies
  /// before white space or a byte that is not ASCII: never inside an added token.
  std::vector<Cut> cuts_of(std::string_view text, std::int64_t length) const {
    const std::size_t block = static_cast<std::size_t>(std::clamp<std::int64_t>(length, 512, 1 << 16));
    std::vector<Cut> cuts;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      at = is_bytes_ ? std::min(begin + block, text.size()) : piece_end(tokenizer_.pattern(), text, at);
      if (at == text.size() || (at - begin >= block && (is_bytes_ || is_cut(text, at)))) {
        cuts.push_back({at, 0});
        begin = at;
      }
    }
    if (cuts.empty()) cuts.push_back({});
    parallel_for(0, static_cast<std::int64_t>(cuts.size()), 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const auto c = static_cast<std::size_t>(i);
        const std::size_t from = c == 0 ? 0 : cuts[c - 1].end;
        cuts[c].tokens = count(text.substr(from, cuts[c].end - from));
      }
    });
    cuts.front().tokens += static_cast<std::int64_t>(before_.size());
    cuts.back().tokens += static_cast<std::int64_t>(after_.size());
    for (std::size_t i = 1; i < cuts.size(); ++i) cuts[i].tokens += cuts[i - 1].tokens;
    return cuts;
  }

  bool is_cut(std::string_view text, std::size_t at) const {
    const char next = text[at];
    const bool is_place = next == ' ' || next == '\n' || next == '\t' ||
                          (!cuts_at_spaces_only_ && static_cast<unsigned char>(next) >= 0x80);
    if (!is_place) return false;
    std::size_t before = at - 1;
    while (before > 0 && at - before < 4 && (static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
    const CharacterClass kind = character_at(text, before).kind;
    return kind != CharacterClass::space && kind != CharacterClass::newline;
  }

  std::int64_t count(std::string_view text) const {
    return static_cast<std::int64_t>(tokenizer_.encode(text, plain).size());
  }

  Tokenizer tokenizer_;
  std::vector<MappedFile> files_;
  std::vector<std::int64_t> before_, after_;  ///< of every document
  std::optional<std::int64_t> end_;
  bool cuts_at_spaces_only_ = false;
  bool is_bytes_;  ///< each byte is a token
};

}  // namespace

std::unique_ptr<TokenSource> text_source(const std::vector<std::string>& paths, Tokenizer tokenizer) {
  return std::make_unique<TextFiles>(paths, std::move(tokenizer));
}

}  // namespace minima::data::detail
