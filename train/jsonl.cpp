#include <minima/train/jsonl.h>

#include <fcntl.h>

#include <cmath>

namespace minima {

JsonlWriter::JsonlWriter(const std::string& path)
    : path_(path), file_(detail::open_file(path, O_WRONLY | O_CREAT | O_APPEND, "cannot open for writing")) {}

void JsonlWriter::row(const std::vector<Json::Member>& members) {
  Json object = Json::object();
  for (const auto& [key, value] : members) {
    const bool is_number = value.kind() == Json::Kind::number;
    object.set(key, is_number && !std::isfinite(value.number()) ? Json() : value);
  }
  std::string line = object.text();
  line += '\n';
  detail::write_all(file_, line.data(), line.size(), path_);
}

}  // namespace minima
