#include <minima/models/language/text_stream.h>

#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::models {

namespace {

/// The bytes at the end of `text` that begin a UTF-8 character without ending it.
std::size_t incomplete_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // follows in a character
    const std::size_t length = byte >= 0xF5 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

TextStream::TextStream(std::vector<std::string> stop) : stop_(std::move(stop)) {
  for (const std::string& each : stop_)
    if (each.empty()) throw ValueError("generate: a stop string is empty, which would end every text at once");
}

std::size_t TextStream::held_back() const {
  std::size_t held = incomplete_bytes(pending_);
  const std::string_view text = pending_;
  for (const std::string& each : stop_)
    for (std::size_t length = std::min(each.size() - 1, text.size()); length > held; --length)
      if (text.ends_with(std::string_view(each).substr(0, length))) held = length;
  return held;
}

std::string TextStream::add(std::string_view bytes) {
  if (has_stopped_) return {};
  pending_ += bytes;
  std::size_t first = std::string::npos;
  for (const std::string& each : stop_) first = std::min(first, pending_.find(each));
  if (first != std::string::npos) {
    has_stopped_ = true;
    return std::exchange(pending_, {}).substr(0, first);
  }
  std::string settled = pending_.substr(0, pending_.size() - held_back());
  pending_.erase(0, settled.size());
  return settled;
}

std::string TextStream::finish() { return std::exchange(pending_, {}); }

}  // namespace minima::models
