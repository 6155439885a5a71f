#include <minima/io/states/state_index.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/io/text/json_reader.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::size_t digits = 8;
constexpr std::string_view last_key = ",\n  \"crc32c\": \"", last_end = "\"\n}\n", zeros = "00000000";

std::uint32_t parse_crc(JsonReader& in) {
  const std::string text = in.string();
  std::uint32_t crc = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), crc, 16);
  if (text.size() != digits || result.ec != std::errc() || result.ptr != text.data() + text.size() ||
      text != crc_digits(crc))
    in.fail("a checksum must have eight hexadecimal digits");
  return crc;
}

StateIndex::File parse_file(JsonReader& in) {
  StateIndex::File file;
  in.begin_object();
  for (std::string key; in.next_key(key);) {
    if (key == "name") file.name = in.string();
    else if (key == "bytes") file.bytes = in.unsigned_integer();
    else if (key == "crc32c") file.start_crc = parse_crc(in);
    else in.fail(str("the unknown key ", printable(key)));
  }
  if (file.name.empty() || file.name.find('/') != std::string::npos || file.name.starts_with("."))
    in.fail("a file's name must be one of this folder");
  return file;
}

/// Checks the last checksum, which must be where `text` puts it.
void check_sum(std::string_view text, const std::string& source) {
  const std::size_t tail = last_key.size() + digits + last_end.size();
  if (text.size() < tail || !text.ends_with(last_end) || text.substr(text.size() - tail, last_key.size()) != last_key)
    throw_format_error(source, text.size(), "the index ends without its checksum: it is incomplete");
  const std::size_t at = text.size() - last_end.size() - digits;
  const std::uint32_t sum =
      crc32c(last_end.data(), last_end.size(), crc32c(zeros.data(), zeros.size(), crc32c(text.data(), at)));
  if (text.substr(at, digits) != crc_digits(sum))
    throw_format_error(source, at, "the checksum of the index does not match: it is corrupt");
}

}  // namespace

std::string crc_digits(std::uint32_t crc) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[crc >> shift & 15u];
  return text;
}

std::string StateIndex::text() const {
  Json json = Json::object({{"format", 1}, {"id", id}, {"step", step}, {"time", time}});
  if (std::isfinite(metric)) json.set("metric", metric);
  Json list = Json::array();
  for (const File& file : files)
    list.push_back(Json::object({{"name", file.name}, {"bytes", file.bytes}, {"crc32c", crc_digits(file.start_crc)}}));
  json.set("files", std::move(list));
  std::vector<Json::Member> members;
  for (const auto& [name, value] : values.texts()) members.emplace_back(name, value);
  json.set("values", Json::object(std::move(members)));
  std::string text = json.text(2);
  text.resize(text.size() - 2);  // the brace on a line of its own
  text += last_key;
  const std::size_t at = text.size();
  text += zeros;
  text += last_end;
  text.replace(at, digits, crc_digits(crc32c(text)));
  return text;
}

StateIndex StateIndex::parse(std::string_view text, const std::string& source) {
  check_sum(text, source);
  JsonReader in(text, source);
  StateIndex index;
  std::int64_t format = 0;
  in.begin_object();
  for (std::string key; in.next_key(key);) {
    if (key == "format") {
      format = in.integer();
      if (format != 1) in.fail(str("format ", format, ", written by a later version of minima"));
    } else if (key == "id") {
      index.id = in.string();
    } else if (key == "step") {
      index.step = in.integer();
      if (index.step < 0) in.fail("a negative step");
    } else if (key == "time") {
      index.time = in.string();
    } else if (key == "metric") {
      index.metric = in.number();
    } else if (key == "files") {
      in.begin_array();
      while (in.next_item()) index.files.push_back(parse_file(in));
    } else if (key == "values") {
      in.begin_object();
      for (std::string name; in.next_key(name);) {
        if (name.empty()) in.fail("a value without a name");
        index.values.set_text(name, in.string());
      }
    } else if (key == "crc32c") {
      parse_crc(in);
    } else {
      in.fail(str("the unknown key ", printable(key)));
    }
  }
  in.end();
  if (format == 0 || index.id.empty() || index.files.empty())
    throw_format_error(source, 0, "the index has no format, id or files");
  return index;
}

StateIndex read_index(const std::string& folder) {
  const std::string path = str(folder, "/", index_name);
  const OpenedFile opened = open_regular(path);
  if (opened.size > largest_index)
    throw_format_error(path, 0, str("an index of ", opened.size, " bytes; the limit is ", largest_index));
  std::string text(opened.size, '\0');
  read_all_at(opened.file, 0, text.data(), text.size(), path);
  return StateIndex::parse(text, path);
}

}  // namespace minima::detail
