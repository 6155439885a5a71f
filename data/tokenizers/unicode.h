#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Splitting patterns learn the classes of characters from utf8proc. A build without that library throws from
// `require_unicode`.

namespace minima::data::detail {

/// The classes that the patterns distinguish: \p{L}, \p{N}, \r and \n, other white space, and the rest. A byte that is
/// not part of well-formed UTF-8 is a character of the rest.
enum class CharacterClass : std::uint8_t { other, letter, number, space, newline };

struct Character {
  CharacterClass kind;
  std::uint8_t length;  ///< bytes
};

extern const CharacterClass ascii_classes[128];

/// The character that begins at `text[at]`, beyond ASCII.
Character wide_character(std::string_view text, std::size_t at);

inline Character character_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte < 128 ? Character{ascii_classes[byte], 1} : wide_character(text, at);
}

/// Throws ValueError that names `user` if this build knows no Unicode.
void require_unicode(const std::string& user);

/// The text in normalisation form C; bytes that are not UTF-8 stay as they are.
std::string normalized_c(std::string_view text);

}  // namespace minima::data::detail
