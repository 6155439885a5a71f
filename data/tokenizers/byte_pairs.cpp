#include <minima/data/tokenizers/byte_pairs.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <queue>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace minima::data::detail {

BytePairs::BytePairs(std::size_t count) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * count, 2));
  entries_.resize(size);
  mask_ = size - 1;
  shift_ = 64 - std::countr_zero(size);
}

void BytePairs::add(Token left, Token right, Token merged) {
  const std::uint64_t key = key_of(left, right);
  std::size_t at = slot(key);
  while (entries_[at].key != empty) {
    if (entries_[at].key == key) return;
    at = (at + 1) & mask_;
  }
  entries_[at] = {key, {count_++, merged}};
}

void BytePairs::apply(std::vector<Token>& tokens) const {
  constexpr std::size_t short_length = 48;  // up to here looking at all pairs beats a heap
  if (tokens.size() <= short_length) apply_to_short(tokens);
  else apply_to_long(tokens);
}

void BytePairs::apply_to_short(std::vector<Token>& tokens) const {
  std::size_t count = tokens.size();
  if (count < 2) return;
  Merge merges[64];
  for (std::size_t i = 0; i + 1 < count; ++i) merges[i] = find(tokens[i], tokens[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i)
      if (merges[i].rank < merges[best].rank) best = i;
    if (merges[best].rank == none) break;
    tokens[best] = merges[best].token;
    for (std::size_t i = best + 1; i + 1 < count; ++i) {
      tokens[i] = tokens[i + 1];
      merges[i] = merges[i + 1];
    }
    --count;
    if (best > 0) merges[best - 1] = find(tokens[best - 1], tokens[best]);
    if (best + 1 < count) merges[best] = find(tokens[best], tokens[best + 1]);
  }
  tokens.resize(count);
}

// Tokens stay where their first byte was, in a list; the heap has every pair that can be merged. Entries whose tokens
// have changed meanwhile are recognised by what they would make.
void BytePairs::apply_to_long(std::vector<Token>& tokens) const {
  const std::size_t count = tokens.size();
  std::vector<std::size_t> next(count), previous(count);
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;
  }
  using Candidate = std::tuple<std::uint32_t, std::size_t, Token, Token>;  // rank, place, left, right
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap;
  const auto offer = [&](std::size_t at) {
    if (at >= count || next[at] >= count) return;
    const Merge merge = find(tokens[at], tokens[next[at]]);
    if (merge.rank != none) heap.emplace(merge.rank, at, tokens[at], tokens[next[at]]);
  };
  for (std::size_t i = 0; i < count; ++i) offer(i);
  while (!heap.empty()) {
    const auto [rank, at, left, right] = heap.top();
    heap.pop();
    const std::size_t second = next[at];
    if (tokens[at] != left || second >= count || tokens[second] != right) continue;
    tokens[at] = find(left, right).token;
    tokens[second] = none;
    next[at] = next[second];
    if (next[at] < count) previous[next[at]] = at;
    offer(previous[at]);
    offer(at);
  }
  std::erase(tokens, none);
}

PieceCache& PieceCache::of_thread(std::uint64_t owner) {
  thread_local PieceCache cache;
  if (cache.owner_ != owner) {
    cache.slots_.assign(slots, Slot{});
    cache.owner_ = owner;
  }
  return cache;
}

const std::span<const BytePairs::Token>* PieceCache::find(std::string_view piece) {
  if (piece.size() > max_bytes) return nullptr;
  const Slot& known = slot(piece);
  if (known.size != piece.size() || std::memcmp(known.bytes, piece.data(), piece.size()) != 0) return nullptr;
  found_ = {known.tokens, known.count};
  return &found_;
}

void PieceCache::keep(std::string_view piece, std::span<const Token> tokens) {
  if (piece.size() > max_bytes || tokens.size() > max_tokens) return;
  Slot& place = slot(piece);
  std::memcpy(place.bytes, piece.data(), piece.size());
  place.size = static_cast<std::uint8_t>(piece.size());
  place.count = static_cast<std::uint32_t>(tokens.size());
  std::copy(tokens.begin(), tokens.end(), place.tokens);
}

}  // namespace minima::data::detail
