#include <minima/data/tokenizers/unicode.h>

#include <minima/io/text/utf8.h>
#include <minima/tensor/base/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#ifdef MINIMA_HAVE_UTF8PROC
#include <utf8proc.h>
#endif

namespace minima::data::detail {

namespace {

constexpr auto other = CharacterClass::other, letter = CharacterClass::letter, number = CharacterClass::number,
               space = CharacterClass::space, newline = CharacterClass::newline;

}  // namespace

// clang-format off
const CharacterClass ascii_classes[128] = {
    other,  other,  other,  other,  other,  other,  other,  other,  other,  space,  newline, space,  space,  newline, other, other,
    other,  other,  other,  other,  other,  other,  other,  other,  other,  other,  other,   other,  other,  other,   other, other,
    space,  other,  other,  other,  other,  other,  other,  other,  other,  other,  other,   other,  other,  other,   other, other,
    number, number, number, number, number, number, number, number, number, number, other,   other,  other,  other,   other, other,
    other,  letter, letter, letter, letter, letter, letter, letter, letter, letter, letter,  letter, letter, letter,  letter, letter,
    letter, letter, letter, letter, letter, letter, letter, letter, letter, letter, letter,  other,  other,  other,   other, other,
    other,  letter, letter, letter, letter, letter, letter, letter, letter, letter, letter,  letter, letter, letter,  letter, letter,
    letter, letter, letter, letter, letter, letter, letter, letter, letter, letter, letter,  other,  other,  other,   other, other};
// clang-format on

#ifdef MINIMA_HAVE_UTF8PROC

void require_unicode(const std::string&) {}

Character wide_character(std::string_view text, std::size_t at) {
  utf8proc_int32_t code = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                       static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  if (length <= 0) return {other, 1};
  const auto result = [&](CharacterClass kind) { return Character{kind, static_cast<std::uint8_t>(length)}; };
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return result(letter);
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return result(number);
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return result(space);
    default: return result(code == 0x85 ? space : other);  // NEL is white space, too
  }
}

namespace {

/// Appends the normal form of valid UTF-8.
void append_normalized(std::string_view text, std::string& to) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &mapped, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) throw ValueError(std::string("normalisation of text failed: ") + utf8proc_errmsg(size));
  to.append(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size));
}

}  // namespace

std::string normalized_c(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = find_invalid_utf8(text);
    if (valid > 0) append_normalized(text.substr(0, valid), result);
    if (valid < text.size()) result += text[valid];
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return result;
}

#else

void require_unicode(const std::string& user) {
  throw ValueError(user + ": this build of minima knows no Unicode; install libutf8proc-dev (Debian) and build again");
}

Character wide_character(std::string_view, std::size_t) { return {other, 1}; }

std::string normalized_c(std::string_view text) { return std::string(text); }

#endif

}  // namespace minima::data::detail
