#include <minima/io/plots/png_writer.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <zlib.h>
#include <vector>

// The PNG specification (ISO/IEC 15948): a signature, then chunks of length, type, data and CRC, numbers big-endian.

namespace minima {

namespace {

void append_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFFu);
}

void append_chunk(std::string& out, const char* type, const std::string& data) {
  append_number(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  append_number(out, static_cast<std::uint32_t>(
                         ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

}  // namespace

std::string encode_png(const std::uint8_t* pixels, int height, int width, int channels) {
  if (height < 1 || width < 1 || (channels != 1 && channels != 3 && channels != 4))
    throw ValueError(str("encode_png: cannot write an image of ", height, " × ", width, " × ", channels));
  const std::size_t row = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  std::vector<Bytef> filtered;
  filtered.reserve((row + 1) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    filtered.push_back(0);  // filter of this row: none
    filtered.insert(filtered.end(), pixels + static_cast<std::size_t>(y) * row,
                    pixels + static_cast<std::size_t>(y + 1) * row);
  }
  uLongf size = ::compressBound(filtered.size());
  std::string compressed(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, filtered.data(), filtered.size(), 9);
  compressed.resize(size);

  std::string header;
  append_number(header, static_cast<std::uint32_t>(width));
  append_number(header, static_cast<std::uint32_t>(height));
  const char colour = channels == 1 ? 0 : channels == 3 ? 2 : 6;
  header += {8, colour, 0, 0, 0};

  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", compressed);
  append_chunk(out, "IEND", "");
  return out;
}

std::string base64(const std::string& bytes) {
  constexpr const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? alphabet[group >> (18 - 6 * k) & 63u] : '=';
  }
  return out;
}

}  // namespace minima
