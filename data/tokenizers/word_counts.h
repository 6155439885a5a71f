#pragma once

#include <minima/data/tokenizers/split.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minima::data::detail {

/// How often each piece occurs in texts. Special tokens are left out.
class WordCounts {
 public:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  using Map = std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>>;

  WordCounts(SplitPattern pattern, std::vector<std::string> special)
      : pattern_(pattern), special_(std::move(special)) {}

  /// Adds a text, in blocks on several threads.
  void add(std::string_view text);
  const Map& words() const { return words_; }

 private:
  void count(std::string_view text, Map& words) const;

  SplitPattern pattern_;
  std::vector<std::string> special_;
  Map words_;
};

}  // namespace minima::data::detail
