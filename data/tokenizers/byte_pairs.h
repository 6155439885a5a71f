#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace minima::data::detail {

/// Merges of byte-pair encoding: which pairs of neighbouring tokens become one, and in which order.
class BytePairs {
 public:
  using Token = std::uint32_t;
  static constexpr Token none = UINT32_MAX;

  struct Merge {
    std::uint32_t rank = none;  ///< merges of lower rank come first
    Token token = none;
  };

  BytePairs() = default;
  explicit BytePairs(std::size_t count);

  /// Adds a merge after those that are there. A pair that is there already keeps its first rank.
  void add(Token left, Token right, Token merged);
  Merge find(Token left, Token right) const {
    for (std::size_t at = slot(key_of(left, right));; at = (at + 1) & mask_) {
      const Entry& entry = entries_[at];
      if (entry.key == key_of(left, right)) return entry.merge;
      if (entry.key == empty) return {};
    }
  }

  /// Merges the tokens of a piece in place until no pair has a merge, always the first of those with the lowest rank.
  /// Takes O(n log n) steps.
  void apply(std::vector<Token>& tokens) const;

 private:
  static constexpr std::uint64_t empty = UINT64_MAX;
  struct Entry {
    std::uint64_t key = empty;
    Merge merge{};
  };

  static std::uint64_t key_of(Token left, Token right) { return std::uint64_t{left} << 32 | right; }
  std::size_t slot(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }
  void apply_to_short(std::vector<Token>& tokens) const;
  void apply_to_long(std::vector<Token>& tokens) const;

  std::vector<Entry> entries_{2};
  std::size_t mask_ = 1;
  int shift_ = 63;
  std::uint32_t count_ = 0;
};

/// Remembers the tokens of the pieces that were seen last, since most words of a text are repeated. There is one for
/// each thread; it forgets all when another tokenizer uses it.
class PieceCache {
 public:
  using Token = BytePairs::Token;

  static PieceCache& of_thread(std::uint64_t owner);

  /// The tokens of a piece; null if they are not known.
  const std::span<const Token>* find(std::string_view piece);
  void keep(std::string_view piece, std::span<const Token> tokens);

 private:
  static constexpr std::size_t max_bytes = 23, max_tokens = 6, slots = 1 << 14;
  struct Slot {
    char bytes[max_bytes];
    std::uint8_t size = 0;  ///< 0: free
    std::uint32_t count;
    Token tokens[max_tokens];
  };

  Slot& slot(std::string_view piece) { return slots_[std::hash<std::string_view>()(piece) % slots]; }

  std::uint64_t owner_ = 0;
  std::vector<Slot> slots_;
  std::span<const Token> found_;
};

}  // namespace minima::data::detail
