#pragma once

#include <string>

/// Whether `bytes` are the compressed text in Debian's bible-kjv-text (/usr/lib/bible.data).
bool is_kjv(const std::string& bytes);
/// Its text, one verse per line: `Ge1:1 In the beginning God created the heaven and the earth.` Throws FormatError.
std::string unpack_kjv(const std::string& bytes);
