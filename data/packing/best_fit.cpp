#include <minima/data/packing/token_source.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace minima::data::detail {

namespace {

/// Pieces that are sorted together: enough for a good fit, few enough for a row's documents to be near each other.
constexpr std::size_t pool = 65536;

/// Rows that still have room, by how much.
class OpenRows {
 public:
  explicit OpenRows(std::int64_t capacity) : capacity_(static_cast<std::size_t>(capacity)), by_room_(capacity_ + 1) {}

  /// The row with the least room that suffices; a new one if there is none.
  std::uint32_t place(std::size_t length) {
    const auto fit = rooms_.lower_bound(length);
    std::size_t room = capacity_;
    std::uint32_t row = count_;
    if (fit == rooms_.end()) {
      ++count_;
    } else {
      room = *fit;
      row = by_room_[room].back();
      by_room_[room].pop_back();
      if (by_room_[room].empty()) rooms_.erase(fit);
    }
    if (room > length) {
      by_room_[room - length].push_back(row);
      rooms_.insert(room - length);
    }
    return row;
  }
  std::uint32_t count() const { return count_; }

 private:
  std::size_t capacity_;
  std::vector<std::vector<std::uint32_t>> by_room_;
  std::set<std::size_t> rooms_;  ///< those of which there are rows
  std::uint32_t count_ = 0;
};

}  // namespace

PackedRows pack_best_fit(const std::vector<TokenPiece>& pieces, std::int64_t capacity) {
  if (pieces.size() >= std::numeric_limits<std::uint32_t>::max())
    throw ValueError("PackedTokens: more than 4,294,967,294 parts of documents; divide the files among datasets");
  OpenRows open(capacity);
  std::vector<std::uint32_t> row_of(pieces.size()), sorted;
  for (std::size_t first = 0; first < pieces.size(); first += pool) {
    const std::size_t end = std::min(pieces.size(), first + pool);
    sorted.clear();
    for (std::size_t i = first; i < end; ++i) sorted.push_back(static_cast<std::uint32_t>(i));
    std::ranges::stable_sort(sorted, std::ranges::greater(), [&](std::uint32_t i) { return pieces[i].positions; });
    for (const std::uint32_t i : sorted) row_of[i] = open.place(pieces[i].positions);
  }
  // Rows in the order of their first pieces, so that reading in order walks through the files.
  constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(open.count(), unknown);
  PackedRows rows;
  rows.starts.assign(open.count() + std::size_t{1}, 0);
  std::uint32_t next = 0;
  for (std::uint32_t& row : row_of) {
    if (number[row] == unknown) number[row] = next++;
    row = number[row];
    ++rows.starts[row + std::size_t{1}];
  }
  for (std::size_t r = 1; r < rows.starts.size(); ++r) rows.starts[r] += rows.starts[r - 1];
  std::vector<std::int64_t> at(rows.starts.begin(), rows.starts.end() - 1);
  rows.order.resize(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    rows.order[static_cast<std::size_t>(at[row_of[i]]++)] = static_cast<std::uint32_t>(i);
  return rows;
}

}  // namespace minima::data::detail
