#pragma once

#include <minima/tensor/system/system_info.h>

#include <string>
#include <vector>

namespace minima::detail {

/// The libraries that minima is linked with.
std::vector<LibraryInfo> linked_libraries();
/// NVIDIA's libraries, most of them opened at the first call. In builds without CUDA a single row says so.
std::vector<LibraryInfo> cuda_libraries();

/// The file that holds a function; empty if that is the program itself, or the shared minima.
std::string file_of(const void* function);

}  // namespace minima::detail
