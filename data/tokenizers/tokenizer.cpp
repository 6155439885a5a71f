#include <minima/data/tokenizers/tokenizer.h>

#include <minima/data/tokenizers/byte_pairs.h>
#include <minima/data/tokenizers/split.h>
#include <minima/data/tokenizers/tables.h>
#include <minima/data/tokenizers/unicode.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::data {

namespace detail {

namespace {

bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

}  // namespace

std::array<std::uint8_t, 256> bytes_in_order() {
  std::array<std::uint8_t, 256> order{};
  for (int byte = 0; byte < 256; ++byte) order[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(byte);
  std::stable_partition(order.begin(), order.end(), stands_for_itself);
  return order;
}

std::string byte_character(std::uint8_t byte) {
  int code = byte;
  if (!stands_for_itself(byte)) {
    code = 256;
    for (int other = 0; other < byte; ++other) code += !stands_for_itself(other);
  }
  if (code < 128) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace detail

namespace {

using Token = Tokenizer::Tables::Token;
using detail::BytePairs;

/// One call of `encode`.
class Encoder {
 public:
  Encoder(const Tokenizer::Tables& tables, std::vector<std::int64_t>& to)
      : tables_(tables), to_(to), cache_(detail::PieceCache::of_thread(tables.id)) {}

  void encode(std::string_view text, bool parse_special) {
    encode_between(text, tables_.in_text, parse_special, [&](std::string_view part) {
      std::string changed;
      if (tables_.normalizes) part = changed = detail::normalized_c(part);
      if (!tables_.seeks_in_normalized) return encode_plain(part);
      encode_between(part, tables_.in_normalized, parse_special, [&](std::string_view rest) { encode_plain(rest); });
    });
  }

 private:
  /// Adds the tokens that are spelt out in a text, and calls encode_part(part) for what is between them.
  template <class F>
  void encode_between(std::string_view text, const Tokenizer::Tables::Spellings& added, bool parse_special,
                      const F& encode_part) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto* found = added_at(text.substr(at), added, parse_special);
      if (!found) {
        ++at;
        continue;
      }
      if (at > begin) encode_part(text.substr(begin, at - begin));
      to_.push_back(found->token);
      begin = at += found->text.size();
    }
    if (begin < text.size()) encode_part(text.substr(begin));
  }

  static const Tokenizer::Tables::Spelling* added_at(std::string_view text, const Tokenizer::Tables::Spellings& added,
                                                     bool parse_special) {
    for (const auto& spelling : added[static_cast<unsigned char>(text.front())])
      if ((parse_special || !spelling.is_special) && text.starts_with(spelling.text)) return &spelling;
    return nullptr;
  }

  /// Normalised text without added tokens.
  void encode_plain(std::string_view text) {
    std::string changed;
    if (tables_.adds_space && text.front() != ' ') text = changed = " " + std::string(text);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = detail::piece_end(tables_.pattern, text, begin);
      encode_piece(text.substr(begin, end - begin));
      begin = end;
    }
  }

  void encode_piece(std::string_view piece) {
    if (const auto* known = cache_.find(piece)) {
      to_.insert(to_.end(), known->begin(), known->end());
      return;
    }
    piece_.clear();
    const auto whole = tables_.ignores_merges ? tables_.numbers.find(piece) : tables_.numbers.end();
    if (whole != tables_.numbers.end()) {
      piece_.push_back(whole->second);
    } else {
      if (tables_.pattern == SplitPattern::characters && tables_.merges.empty()) expect_bytes(piece);
      for (const char byte : piece) piece_.push_back(byte_token(static_cast<std::uint8_t>(byte)));
      tables_.pairs.apply(piece_);
    }
    to_.insert(to_.end(), piece_.begin(), piece_.end());
    cache_.keep(piece, piece_);
  }

  /// Throws ValueError for a character of a character-level tokenizer that it does not know.
  void expect_bytes(std::string_view character) const {
    for (const char byte : character)
      if (tables_.byte_tokens[static_cast<std::uint8_t>(byte)] == BytePairs::none)
        throw ValueError(str("Tokenizer::encode: the character \"", minima::detail::printable(character),
                             "\" is not in the vocabulary of ", tables_.tokens.size(),
                             "; make it of a text that has it, or train byte pairs, which know all"));
  }

  Token byte_token(std::uint8_t byte) const {
    const Token token = tables_.byte_tokens[byte];
    if (token == BytePairs::none)
      throw ValueError(str("Tokenizer::encode: the vocabulary has no token for the byte ", static_cast<int>(byte),
                           "; train it with all 256 (initial_alphabet in tokenizers)"));
    return token;
  }

  const Tokenizer::Tables& tables_;
  std::vector<std::int64_t>& to_;
  detail::PieceCache& cache_;
  std::vector<Token> piece_;
};

std::size_t checked(const char* member, std::int64_t token, std::size_t size) {
  if (token < 0 || static_cast<std::uint64_t>(token) >= size)
    throw IndexError(str("Tokenizer::", member, ": token ", token, " is outside the vocabulary of ", size));
  return static_cast<std::size_t>(token);
}

}  // namespace

void Tokenizer::Tables::finish() {
  static std::atomic<std::uint64_t> last_id{0};
  id = ++last_id;
  is_special.assign(tokens.size(), false);
  std::vector<bool> is_added(tokens.size(), false);
  for (const Added& item : added) {
    is_added[item.token] = true;
    is_special[item.token] = item.is_special;
    const std::string& text = tokens[item.token];
    const std::string spelling = item.is_normalized && normalizes ? detail::normalized_c(text) : text;
    auto& same_byte = (item.is_normalized ? in_normalized : in_text)[static_cast<unsigned char>(spelling.front())];
    same_byte.push_back({spelling, item.token, item.is_special});
    std::ranges::stable_sort(same_byte, std::ranges::greater(), [](const Spelling& each) { return each.text.size(); });
    seeks_in_normalized = seeks_in_normalized || item.is_normalized;
  }
  numbers.reserve(tokens.size());
  for (Token token = 0; token < tokens.size(); ++token)
    if (!is_added[token] && !numbers.emplace(tokens[token], token).second)
      throw ValueError(str("Tokenizer: tokens ", numbers.at(tokens[token]), " and ", token, " are the same"));
  byte_tokens.fill(BytePairs::none);
  for (int byte = 0; byte < 256; ++byte) {
    const char character = static_cast<char>(byte);
    const auto found = numbers.find(std::string_view(&character, 1));
    if (found != numbers.end()) byte_tokens[static_cast<std::size_t>(byte)] = found->second;
  }
  pairs = BytePairs(merges.size());
  for (const auto& [left, right] : merges) {
    const auto merged = numbers.find(tokens[left] + tokens[right]);
    if (merged == numbers.end())
      throw ValueError(str("Tokenizer: the vocabulary lacks what tokens ", left, " and ", right, " become"));
    pairs.add(left, right, merged->second);
  }
}

Tokenizer Tokenizer::bytes() {
  auto tables = std::make_shared<Tables>();
  for (int byte = 0; byte < 256; ++byte) tables->tokens.emplace_back(1, static_cast<char>(byte));
  tables->finish();
  return Tokenizer(std::move(tables));
}

Tokenizer Tokenizer::characters(std::string_view text, const std::vector<std::string>& special) {
  std::set<std::string_view> known;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = detail::piece_end(SplitPattern::characters, text, begin);
    known.insert(text.substr(begin, end - begin));
    begin = end;
  }
  if (known.empty()) throw ValueError("Tokenizer::characters: the text is empty, so there is no vocabulary");
  auto tables = std::make_shared<Tables>();
  tables->pattern = SplitPattern::characters;
  tables->ignores_merges = true;
  for (const std::string& name : special) {
    if (name.empty()) throw ValueError("Tokenizer::characters: a special token is empty");
    tables->added.push_back({static_cast<Token>(tables->tokens.size())});
    tables->tokens.push_back(name);
  }
  tables->tokens.insert(tables->tokens.end(), known.begin(), known.end());
  tables->finish();
  return Tokenizer(std::move(tables));
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text, TokenEncodeOptions options) const {
  std::vector<std::int64_t> tokens;
  tokens.reserve(text.size() / 3 + 4);
  if (options.add_special_tokens) tokens.insert(tokens.end(), tables_->before.begin(), tables_->before.end());
  Encoder(*tables_, tokens).encode(text, options.parse_special);
  if (options.add_special_tokens) tokens.insert(tokens.end(), tables_->after.begin(), tables_->after.end());
  return tokens;
}

std::string Tokenizer::decode(std::span<const std::int64_t> tokens, TokenDecodeOptions options) const {
  std::string text;
  for (const std::int64_t token : tokens) {
    const std::size_t index = checked("decode", token, tables_->tokens.size());
    if (!options.skip_special_tokens || !tables_->is_special[index]) text += tables_->tokens[index];
  }
  return text;
}

std::int64_t Tokenizer::size() const { return static_cast<std::int64_t>(tables_->tokens.size()); }

const std::string& Tokenizer::token(std::int64_t index) const {
  return tables_->tokens[checked("token", index, tables_->tokens.size())];
}

std::optional<std::int64_t> Tokenizer::find(std::string_view token) const {
  for (const auto& added : tables_->added)
    if (tables_->tokens[added.token] == token) return added.token;
  const auto found = tables_->numbers.find(token);
  if (found == tables_->numbers.end()) return std::nullopt;
  return found->second;
}

bool Tokenizer::is_special(std::int64_t index) const {
  return tables_->is_special[checked("is_special", index, tables_->tokens.size())];
}

SplitPattern Tokenizer::pattern() const { return tables_->pattern; }

}  // namespace minima::data
