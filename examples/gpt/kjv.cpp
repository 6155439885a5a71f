#include "kjv.h"

#include <minima/tensor/base/error.h>

#include <cstdint>
#include <vector>

// Format: "EC02Compressed Data File" and zeros; from byte 84, big-endian, the block size, the number of blocks and
// their offsets; then the blocks. A block is the output of compress(1) without its header: codes of 9 to 16 bits
// (Welch, "A technique for high-performance data compression", 1984), least significant bit first, in groups of eight.

namespace {

constexpr std::size_t table_offset = 84;
constexpr std::uint32_t clear = 256;
constexpr int most_bits = 16;

[[noreturn]] void refuse(const char* what) {
  throw minima::FormatError(std::string("bible.data: ") + what + "; pass another file with --text");
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  if (at + 4 > bytes.size()) refuse("the file is truncated");
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

class Codes {
 public:
  Codes(const std::string& bytes, std::size_t begin, std::size_t end) : bytes_(bytes), begin_(begin), end_(end) {}

  bool next(std::uint32_t& code) {
    const std::size_t byte = begin_ + bit_ / 8;
    if (byte * 8 + bit_ % 8 + static_cast<std::size_t>(bits_) > end_ * 8) return false;
    std::uint32_t window = 0;
    for (std::size_t i = 0; i < 4 && byte + i < end_; ++i)
      window |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[byte + i])) << (8 * i);
    code = window >> (bit_ % 8) & ((1u << bits_) - 1);
    bit_ += static_cast<std::size_t>(bits_);
    return true;
  }
  int bits() const { return bits_; }
  /// Sets the code length from the next group of eight on.
  void set_bits(int bits) {
    const std::size_t group = 8 * static_cast<std::size_t>(bits_), used = bit_ - group_start_;
    bit_ = group_start_ = bit_ + (group - used % group) % group;
    bits_ = bits;
  }

 private:
  const std::string& bytes_;
  std::size_t begin_, end_, bit_ = 0, group_start_ = 0;
  int bits_ = 9;
};

void unpack_block(const std::string& bytes, std::size_t begin, std::size_t end, std::string& text) {
  struct Entry {
    std::size_t start, length;  ///< in `text`
  };
  std::vector<Entry> table;
  Codes codes(bytes, begin, end);
  Entry previous{0, 0};
  for (std::uint32_t code = 0; codes.next(code);) {
    if (code == clear) {
      table.clear();
      codes.set_bits(9);
      previous.length = 0;
      continue;
    }
    const std::size_t start = text.size();
    if (previous.length > 0 && table.size() + clear + 1 < (1u << most_bits))
      table.push_back({previous.start, previous.length + 1});  // its last character is the first of the next string
    if (code < clear) {
      text += static_cast<char>(code);
    } else {
      if (code - clear - 1 >= table.size()) refuse("invalid code");
      const Entry entry = table[code - clear - 1];
      for (std::size_t i = 0; i < entry.length; ++i) text += text[entry.start + i];
    }
    previous = {start, text.size() - start};
    // The encoder is one entry ahead: it counts the one that the next code completes.
    if (table.size() + clear + 1 > (1u << codes.bits()) - 1 && codes.bits() < most_bits)
      codes.set_bits(codes.bits() + 1);
  }
}

}  // namespace

bool is_kjv(const std::string& bytes) { return bytes.rfind("EC02Compressed", 0) == 0; }

std::string unpack_kjv(const std::string& bytes) {
  const std::size_t blocks = big_endian(bytes, table_offset + 4);
  if (blocks > bytes.size()) refuse("more blocks than bytes");
  std::string text;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = big_endian(bytes, table_offset + 8 + 4 * i),
                      end = big_endian(bytes, table_offset + 12 + 4 * i);
    if (begin > end || end > bytes.size()) refuse("a block is outside the file");
    unpack_block(bytes, begin, end, text);
  }
  return text;
}
