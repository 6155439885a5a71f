#include "simulated/ptx/text/text_file.h"

#include <cstddef>
#include <cstdio>

namespace simulated::ptx {

namespace {

void put(std::FILE* file, const std::string& text) {
  if (!file) return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

}  // namespace

std::optional<std::string> read_text_file(const std::string& name) {
  std::FILE* const file = std::fopen(name.c_str(), "re");
  if (!file) return std::nullopt;
  std::string text;
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, file)) text.append(part, count);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return std::nullopt;
  return text;
}

void write_text_file(const std::string& name, const std::string& text) { put(std::fopen(name.c_str(), "we"), text); }

void append_text_file(const std::string& name, const std::string& text) { put(std::fopen(name.c_str(), "ae"), text); }

}  // namespace simulated::ptx
