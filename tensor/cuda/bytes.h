#pragma once

#include <cstdint>

namespace minima::cuda {

/// On the current stream: *first becomes the index of the first byte in device memory that is not `expected`, or stays.
void find_foreign_byte(const void* bytes, std::int64_t count, unsigned char expected, unsigned long long* first);

}  // namespace minima::cuda
