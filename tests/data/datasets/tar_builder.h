#pragma once

#include <zlib.h>
#include <algorithm>
#include <cstdio>
#include <string>

namespace minima::test {

/// A tar header with its checksum; `type` as in the format.
inline std::string tar_header(const std::string& name, std::size_t size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, std::min<std::size_t>(100, name.size()), name, 0, 100);
  char number[13];
  std::snprintf(number, sizeof number, "%011zo", size);
  block.replace(124, 11, number);
  block.replace(257, 8,
                std::string("ustar\0"
                            "00",
                            8));
  block[156] = type;
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(number, sizeof number, "%06o", sum);
  block.replace(148, 7, std::string(number) + '\0');
  return block;
}
inline std::string tar_file(const std::string& name, const std::string& content, char type = '0') {
  std::string out = tar_header(name, content.size(), type) + content;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}
inline std::string tar_end() { return std::string(1024, '\0'); }

inline std::string gzip(const std::string& text) {
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

}  // namespace minima::test
