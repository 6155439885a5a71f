#include <minima/train/logs/jsonl.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/text/json.h>
#include <minima/io/text/json_reader.h>
#include <minima/tensor/base/error.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

namespace {

bool is_row(std::string_view line) {
  try {
    JsonReader in(line, "JSON", 0, JsonDialect::python);
    if (in.peek() != JsonReader::Kind::object) return false;
    in.skip();
    in.end();
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

}  // namespace

JsonlWriter::JsonlWriter(const std::string& path) : file_(path) {
  if (detail::size_of_file(path) == 0) return;
  const MappedFile mapped(path);
  const std::string_view text = mapped.text();
  if (text.empty() || text.back() == '\n') return;
  const std::size_t rows_end = text.rfind('\n') + 1;  // 0 without any
  const std::string_view tail = text.substr(rows_end);
  const bool is_zeros = tail.find_first_not_of('\0') == std::string_view::npos;  // as after a power loss
  if (is_row(tail)) file_.append("\n");  // written by a program that ends the last line without a newline
  else if (tail[0] == '{' || is_zeros) file_.shorten(rows_end);
  else
    detail::throw_format_error(path, rows_end,
                               "the last line is not a JSON object, so the file is not a JSON Lines log");
}

void JsonlWriter::row(const std::vector<Json::Member>& members) {
  Json object = Json::object();
  for (const auto& [key, value] : members) {
    const bool is_number = value.kind() == Json::Kind::number;
    object.set(key, is_number && !std::isfinite(value.number()) ? Json() : value);
  }
  std::string line = object.with_valid_utf8().text();
  line += '\n';
  file_.append(line);
}

}  // namespace minima
