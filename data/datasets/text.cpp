#include <minima/data/datasets/text.h>

#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace minima::data {

struct TextLines::Lines : Counted {
  explicit Lines(const std::string& path) : file(path) {
    const char* text = reinterpret_cast<const char*>(file.data());
    for (std::size_t at = 0; at < file.size();) {
      const void* end = std::memchr(text + at, '\n', file.size() - at);
      starts.push_back(at);
      at = end ? static_cast<std::size_t>(static_cast<const char*>(end) - text) + 1 : file.size();
    }
  }
  MappedFile file;
  std::vector<std::size_t> starts;
};

TextLines::TextLines(const std::string& path) : lines_(Ref<Lines>(new Lines(path))) {}
TextLines::TextLines(const TextLines&) = default;
TextLines::TextLines(TextLines&&) noexcept = default;
TextLines::~TextLines() = default;
const TextLines::Lines& TextLines::lines() const { return static_cast<const Lines&>(*lines_); }
std::int64_t TextLines::size() const { return static_cast<std::int64_t>(lines().starts.size()); }

std::string TextLines::get(std::int64_t index) const {
  if (index < 0 || index >= size()) throw IndexError(str("TextLines: line ", index, " of ", size()));
  const auto i = static_cast<std::size_t>(index);
  const std::size_t begin = lines().starts[i];
  std::size_t end = i + 1 < lines().starts.size() ? lines().starts[i + 1] : lines().file.size();
  const char* text = reinterpret_cast<const char*>(lines().file.data());
  if (end > begin && text[end - 1] == '\n') --end;
  if (end > begin && text[end - 1] == '\r') --end;
  return {text + begin, end - begin};
}

std::string TextLines::describe(std::int64_t index) const { return str(lines().file.path(), ":", index + 1); }

}  // namespace minima::data
