#pragma once

#include <optional>
#include <string>

// Files whose descriptors are close-on-exec, which those of std::fstream are not: a program may start others meanwhile.

namespace simulated::ptx {

/// The content of a file; none if it cannot be read.
std::optional<std::string> read_text_file(const std::string& name);

/// Replaces the content of a file.
void write_text_file(const std::string& name, const std::string& text);

/// Adds to the end of a file.
void append_text_file(const std::string& name, const std::string& text);

}  // namespace simulated::ptx
