#include <minima/data/loader/epoch_order.h>

#include <minima/data/loader/share.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace minima::data::detail {

std::vector<std::int64_t> positions_of(std::int64_t total, const Share& share) {
  std::vector<std::int64_t> positions;
  const std::int64_t global = share.global(), whole = total / global;
  for (std::int64_t batch = 0; batch < whole; ++batch)
    for (std::int64_t i = 0; i < share.batch_size; ++i)
      positions.push_back(batch * global + share.rank * share.batch_size + i);
  const std::int64_t left = total - whole * global, part = share.of_last(left);
  for (std::int64_t i = 0; i < part; ++i) {
    const std::int64_t position = whole * global + share.rank * part + i;
    positions.push_back(position < total ? position : (position - total) % total);
  }
  return positions;
}

std::int64_t batches_of(std::int64_t total, const Share& share) {
  return total / share.global() + (share.of_last(total % share.global()) > 0);
}

void PositionSet::add(std::int64_t first, std::int64_t count) {
  if (count <= 0) return;
  Range added{first, first + count};
  auto at = std::lower_bound(ranges_.begin(), ranges_.end(), added,
                             [](const Range& a, const Range& b) { return a.end < b.first; });
  auto last = at;
  while (last != ranges_.end() && last->first <= added.end) {
    added = {std::min(added.first, last->first), std::max(added.end, last->end)};
    ++last;
  }
  if (at != last) {
    *at = added;
    ranges_.erase(at + 1, last);
  } else {
    ranges_.insert(at, added);
  }
}

bool PositionSet::contains(std::int64_t position) const {
  const auto at = std::upper_bound(ranges_.begin(), ranges_.end(), position,
                                   [](std::int64_t p, const Range& r) { return p < r.end; });
  return at != ranges_.end() && at->first <= position;
}

std::int64_t PositionSet::prefix() const { return ranges_.empty() || ranges_[0].first != 0 ? 0 : ranges_[0].end; }

std::string PositionSet::text() const {
  std::string out;
  for (const Range& range : ranges_) out += str(out.empty() ? "" : ",", range.first, "-", range.end);
  return out;
}

PositionSet PositionSet::parse(const std::string& text) {
  PositionSet set;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto bad = [&] {
    return ValueError(
        str("DataLoader: the state's list of delivered samples is \"", minima::detail::printable(text), "\""));
  };
  while (at != end) {
    Range range{};
    const auto first = std::from_chars(at, end, range.first);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') throw bad();
    const auto second = std::from_chars(first.ptr + 1, end, range.end);
    const bool more = second.ptr != end;
    if (second.ec != std::errc() || range.first < 0 || range.end <= range.first ||
        (more && (*second.ptr != ',' || second.ptr + 1 == end)))
      throw bad();
    set.add(range.first, range.end - range.first);
    at = second.ptr + (more ? 1 : 0);
  }
  return set;
}

}  // namespace minima::data::detail
