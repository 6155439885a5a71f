#pragma once

#include <string>

/// Lists the content of a safetensors or PyTorch file: a line for each tensor and value, by name. Throws minima::Error
/// for files that cannot be read.
std::string contents_of(const std::string& path);
