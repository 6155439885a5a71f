#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace minima::onnx {

/// What is wrong with the case in a folder, about at the tolerance of ONNX's own runner; nothing if it passes. Begins
/// with "onnx: " if the case asks for something that is none of minima's.
std::string failure_of(const std::filesystem::path& folder);

/// Names of cases and why they are left out, from a file with one a line.
std::map<std::string, std::string> read_reasons(const char* path);

}  // namespace minima::onnx
