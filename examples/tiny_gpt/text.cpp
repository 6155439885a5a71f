#include "text.h"

#include "kjv.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace minima;

namespace {

constexpr const char* debian = "/usr/lib/bible.data";

std::string read(const std::string& path) {
  if (path.empty() && !std::filesystem::exists(debian))
    throw FileError(std::string(debian) +
                    ": no such file; install Debian's bible-kjv-text or pass a text with --text FILE");
  const std::string name = path.empty() ? debian : path;
  std::ifstream file(name, std::ios::binary);
  if (!file) throw FileError(name + ": cannot open for reading: " + std::strerror(errno));
  if (std::filesystem::is_directory(name)) throw FileError(name + ": is a folder; --text needs a file");
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.empty()) throw ValueError(name + ": the file is empty; --text needs text to train on");
  return is_kjv(bytes) ? unpack_kjv(bytes) : bytes;
}

}  // namespace

Text::Text(const std::string& path) {
  const std::string text = read(path);
  bool seen[256] = {};
  for (const char c : text) seen[static_cast<unsigned char>(c)] = true;
  std::uint8_t id_of[256] = {};
  for (int c = 0; c < 256; ++c) {
    if (!seen[c]) continue;
    id_of[c] = static_cast<std::uint8_t>(characters_.size());
    characters_.push_back(static_cast<char>(c));
  }
  ids_.reserve(text.size());
  for (const char c : text) ids_.push_back(id_of[static_cast<unsigned char>(c)]);
}

std::int64_t Text::id(char character) const {
  const auto place = std::find(characters_.begin(), characters_.end(), character);
  return place == characters_.end() ? 0 : place - characters_.begin();
}

Text::Batch Text::draw(std::int64_t count, std::int64_t length, RandomGenerator& generator) const {
  if (size() <= length + 1)
    throw ValueError("the text has only " + std::to_string(size()) + " characters, too few for --context " +
                     std::to_string(length));
  const std::vector<std::int64_t> starts =
      randint(0, size() - length, {count}, {.dtype = int64}, &generator).to_vector<std::int64_t>();
  Batch batch{empty({count, length}, {.dtype = int64}), empty({count, length}, {.dtype = int64})};
  auto *text = batch.text.data<std::int64_t>(), *next = batch.next.data<std::int64_t>();
  for (const std::int64_t start : starts)
    for (std::int64_t i = 0; i < length; ++i) {
      *text++ = ids_[static_cast<std::size_t>(start + i)];
      *next++ = ids_[static_cast<std::size_t>(start + i + 1)];
    }
  return batch;
}
