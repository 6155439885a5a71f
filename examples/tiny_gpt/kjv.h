#pragma once

#include <string>

/// Whether these are the bytes of the compressed text in Debian's bible-kjv-text (/usr/lib/bible.data).
bool is_kjv(const std::string& bytes);
/// Its text: `Ge1:1 In the beginning God created the heaven and the earth.`, a verse a line. Throws FormatError.
std::string unpack_kjv(const std::string& bytes);
