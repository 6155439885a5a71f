#include <minima/data/tokenizers/word_counts.h>

#include <minima/data/tokenizers/split.h>
#include <minima/tensor/threads/parallel.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::data::detail {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 21;

/// Where a block of about `block_bytes` ends. Every pattern cuts between a newline and a letter, and whether more
/// text follows matters to none if the newline is all there is of white space. A text without such a place is one
/// block.
std::size_t block_end(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + block_bytes; at < text.size(); ++at) {
    const char before = text[at - 2], next = text[at];
    if (text[at - 1] == '\n' && before > ' ' && ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')))
      return at;
  }
  return text.size();
}

void increase(WordCounts::Map& words, std::string_view word, std::int64_t by) {
  const auto found = words.find(word);
  if (found != words.end()) found->second += by;
  else words.emplace(word, by);
}

}  // namespace

void WordCounts::add(std::span<const std::string_view> texts) {
  std::vector<std::string_view> blocks;
  for (const std::string_view text : texts)
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = pattern_ == SplitPattern::none ? text.size() : block_end(text, begin);
      blocks.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  std::mutex mutex;
  parallel_for(0, static_cast<std::int64_t>(blocks.size()), 1, [&](std::int64_t first, std::int64_t last) {
    Map found;
    for (std::int64_t i = first; i < last; ++i) count(blocks[static_cast<std::size_t>(i)], found);
    const std::lock_guard lock(mutex);
    if (words_.empty()) words_.swap(found);
    for (const auto& [word, times] : found) increase(words_, word, times);
  });
}

void WordCounts::count(std::string_view text, Map& words) const {
  while (!text.empty()) {
    // Up to the next special token, if there is one.
    std::size_t plain = text.size(), skipped = 0;
    for (const std::string& token : special_) {
      const std::size_t at = text.find(token);
      if (at < plain || (at == plain && token.size() > skipped)) {
        plain = at;
        skipped = token.size();
      }
    }
    const std::string_view part = text.substr(0, plain);
    for (std::size_t begin = 0; begin < part.size();) {
      const std::size_t end = piece_end(pattern_, part, begin);
      increase(words, part.substr(begin, end - begin), 1);
      begin = end;
    }
    text.remove_prefix(plain + skipped);
  }
}

}  // namespace minima::data::detail
