#include <minima/io/tensors/safetensors_checksums.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/tensor/base/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace minima::detail {

namespace {

constexpr std::string_view checksum_start = "crc32c";  ///< of the value
constexpr std::size_t digit_count = 8;                 ///< of a sum, after a space

std::string digits_of(std::uint32_t sum) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[sum >> shift & 15u];
  return digits;
}

/// The position of the header checksum's digits in `start`; npos if the value is missing or malformed.
std::size_t find_digits(std::string_view start) {
  // Quotes inside strings are escaped, so this cannot match elsewhere.
  const std::string before = str('"', checksum_key, "\": \"", std::string(checksum_start), " ");
  const std::size_t found = start.find(before);
  return found == std::string_view::npos || start.size() - found < before.size() + digit_count ? std::string_view::npos
                                                                                               : found + before.size();
}

std::uint32_t sum_of_start(std::string_view start, std::size_t digits) {
  const std::uint32_t first = crc32c(start.data(), digits);
  const std::uint32_t zeros = crc32c("00000000", digit_count, first);
  return crc32c(start.data() + digits + digit_count, start.size() - digits - digit_count, zeros);
}

}  // namespace

std::string checksum_placeholder(std::size_t tensors) {
  std::string text(checksum_start);
  for (std::size_t i = 0; i < tensors + 1; ++i) text += " 00000000";
  return text;
}

void fill_in_checksums(std::string& start, std::span<const std::uint32_t> tensors) {
  const std::size_t own = find_digits(start);
  std::size_t at = own;
  for (const std::uint32_t sum : tensors) start.replace(at += digit_count + 1, digit_count, digits_of(sum));
  start.replace(own, digit_count, digits_of(sum_of_start(start, own)));
}

void take_checksums(SafetensorsHeader& header, std::string_view start, const std::string& source, bool verify) {
  const std::size_t length = checksum_placeholder(header.entries.size()).size();
  for (auto text = header.metadata.begin(); text != header.metadata.end(); ++text) {
    // If only one of the two is there, a bit has flipped.
    if (text->name != checksum_key && !(text->text.starts_with(checksum_start) && text->text.size() == length))
      continue;
    const std::string value = std::move(text->text);
    header.metadata.erase(text);
    if (!verify) return;
    const std::size_t digits = find_digits(start);
    const bool right = digits != std::string_view::npos && value.size() == length &&
                       start.substr(digits, digit_count) == digits_of(sum_of_start(start, digits));
    if (!right)
      throw_format_error(
          source, 0,
          str("the header's checksum is wrong: the file is damaged, or another program has rewritten it and kept ",
              checksum_key, " of the old one (then read_safetensors with .verify = false reads it)"));
    std::size_t at = checksum_start.size() + 1 + digit_count + 1;
    for (SafetensorsHeader::TensorInfo& entry : header.entries) {
      std::from_chars(value.data() + at, value.data() + at + digit_count, entry.crc, 16);
      at += digit_count + 1;
    }
    header.has_checksums = true;
    return;
  }
}

}  // namespace minima::detail
