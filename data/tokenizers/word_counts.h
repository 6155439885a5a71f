#pragma once

#include <minima/data/tokenizers/split.h>
#include <minima/tensor/base/string_hash.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data::detail {

/// How often each piece occurs in texts. Special tokens are left out.
class WordCounts {
 public:
  using Map = minima::detail::StringMap<std::int64_t>;

  WordCounts(SplitPattern pattern, std::vector<std::string> special)
      : pattern_(pattern), special_(std::move(special)) {}

  /// Adds texts, in blocks on several threads. No piece reaches from one text into the next.
  void add(std::span<const std::string_view> texts);
  const Map& words() const { return words_; }

 private:
  void count(std::string_view text, Map& words) const;

  SplitPattern pattern_;
  std::vector<std::string> special_;
  Map words_;
};

}  // namespace minima::data::detail
