#pragma once

#include <string>
#include <vector>

namespace simulated::ptx {

/// The PTX texts that nvcc put into an object file, a static or shared library or a program, uncompressed; a file that
/// begins with a comment or a directive is PTX itself. Empty if there are none. Throws std::runtime_error, with the
/// file's name, for a file of another kind, or cut off.
std::vector<std::string> read_ptx(const std::string& file);

}  // namespace simulated::ptx
