#pragma once

#include <string>
#include <vector>

namespace simulated::ptx {

/// The PTX texts that nvcc put into an object file, library or program, uncompressed. Empty if there are none. Throws
/// std::runtime_error, with the file's name, for a file that is no 64-bit ELF file or is cut off.
std::vector<std::string> read_ptx(const std::string& file);

}  // namespace simulated::ptx
